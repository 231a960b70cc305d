/// How alike texts are: token numbers in, embeddings of length one out, whose products are cosines (docs/text_networks.md). Without
/// arguments a small encoder with random weights, in two layouts and in the arithmetic of the M1; `example_sentences FOLDER
/// 101,7592,102 101,2088,102` takes a folder of sentence-transformers. There is no tokenizer here.
#include <anemone/anemone.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/models/networks/text_inputs.hpp>
#include <anemone/weights/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace ane::models;

constexpr network_form for_engine{.layout = activation_layout::channels};
static_assert(ane::conforms<image_network<minilm_l6, for_engine>, ane::macs>);

constexpr bert_configuration small{.vocabulary = 100,
                                   .layers = 2,
                                   .width = 64,
                                   .heads = 4,
                                   .inner = 128,
                                   .positions = 32,
                                   .usual = 16,
                                   .has_pooler = false,
                                   .pooling = sentence_pooling::mean};

namespace {

using tokens = std::vector<std::int64_t>;

std::vector<ane::half> halves_of(const std::vector<float>& values) {
    std::vector<ane::half> made(values.size());
    std::transform(values.begin(), values.end(), made.begin(), [](float v) { return ane::half(v); });
    return made;
}

/// A network, its tables, and its graph as a program.
class embedder {
public:
    embedder(const network& n, network_form form, ane::weight_store tables, const ane::read_model& model,
             const ane::backend::any& place)
        : network_(n), form_(form), tables_(std::move(tables)), graph_(model.graph),
          program_(ane::compile(graph_, place, model.weights)) {}

    std::vector<float> operator()(const tokens& text) {
        const text_values given = text_inputs(network_, tables_, text, form_);
        const std::vector<ane::half> x = halves_of(given.x);
        const std::vector<ane::half> mark = halves_of(given.mark);
        const ane::graph_view g = graph_;
        std::vector<std::vector<ane::half>> results;
        std::vector<std::span<std::byte>> outputs;
        std::size_t embedding = 0;
        for (const ane::output_port& port : g.outputs) {
            embedding = g.text(port.name) == "embedding" ? results.size() : embedding;
            results.emplace_back(static_cast<std::size_t>(g[port.node].shape.count()));
        }
        outputs.reserve(results.size());
        for (std::vector<ane::half>& each : results) {
            outputs.push_back(std::as_writable_bytes(std::span(each)));
        }
        const std::vector<std::span<const std::byte>> inputs{std::as_bytes(std::span(x)),
                                                             std::as_bytes(std::span(mark))};
        program_.run(inputs, outputs);
        return {results[embedding].begin(), results[embedding].end()};
    }

private:
    network network_;
    network_form form_;
    ane::weight_store tables_;
    ane::dynamic_graph graph_;
    ane::any_program program_;
};

double product(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return sum;
}

embedder of_folder(const std::string& path) {
    return {network_in_folder(path), {}, read_host_tables(path), read_network(path), ane::backend::cpu{}};
}

/// The small one, whose tensors have their published names; its tables are waves.
embedder small_one(const network_form& form, const ane::backend::any& place) {
    ane::read_model model{.graph = network_graph(small, form), .weights = {}};
    model.weights = ane::random_weights(model.graph, 7);
    ane::weight_store tables;
    for (const host_table& each : tables_of(small)) {
        std::vector<float> values(static_cast<std::size_t>(each.rows * each.width));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 1009)));
        }
        tables.add(std::string(each.name), {each.rows, each.width}, values);
    }
    return {small, form, host_tables_among(small, std::move(tables)), model, place};
}

tokens tokens_of(const std::string& text) {
    tokens found;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t read = 0;
        found.push_back(std::stoll(text.substr(at), &read));
        at += read + 1;
    }
    return found;
}

} // namespace

int main(int count, char** arguments) {
    try {
        if (count > 3) {
            embedder embedding = of_folder(arguments[1]);
            fmt::print("{:.4f}\n", product(embedding(tokens_of(arguments[2])), embedding(tokens_of(arguments[3]))));
            return 0;
        }
        const tokens text = tokens_of("2,45,17,8,99,3");
        const tokens like = tokens_of("2,45,17,9,99,3");
        const tokens other = tokens_of("2,60,61,62,63,64,65,3");
        embedder rows = small_one({}, ane::backend::cpu{});
        embedder channels = small_one(for_engine, ane::backend::cpu{});
        embedder padded = small_one({.positions = 32}, ane::backend::cpu{});
        embedder m1 = small_one(for_engine, ane::backend::oracle{ane::h13});
        const std::vector<float> embedding = rows(text);
        const double same[] = {product(embedding, channels(text)), product(embedding, padded(text)),
                               product(embedding, m1(text))};
        const double near = product(embedding, rows(like));
        const double far = product(embedding, rows(other));
        fmt::print("the engine's layout {:.3f}, more padding {:.3f}, the arithmetic of M1 {:.3f}\n", same[0], same[1],
                   same[2]);
        fmt::print("another word {:.3f}, another text {:.3f}\n", near, far);
        const bool is_same = std::all_of(std::begin(same), std::end(same), [](double c) { return c > 0.99; });
        return is_same && near < 0.9999 && far < near ? 0 : 1;
    } catch (const std::exception& e) {
        fmt::print("{}\n", e.what());
        return 2;
    }
}
