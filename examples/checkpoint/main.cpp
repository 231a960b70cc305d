/// One layer out of a checkpoint: a file as GPT-2's, with three layers, a prefix before every name and the matrices as
/// [in, out], becomes the weights of a model of one layer, which runs on the CPU and in the M1's arithmetic.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace ane::literals;

constexpr int tokens = 16;
constexpr int width = 64;
constexpr int heads = 4;

template <int Out, class Tensor> constexpr auto dense(const ane::builder& g, Tensor x) {
    return linear(x, g.weight("weight", ane::f16<Out, Tensor::extent.width()>), g.weight("bias", ane::f16<Out>));
}
template <class Tensor> constexpr auto norm(const ane::builder& g, Tensor x) {
    return layer_norm(x, g.weight("weight", ane::f16<width>), g.weight("bias", ane::f16<width>));
}
template <class Tensor> constexpr auto by_head(Tensor x) {
    return transpose<ane::permutation{1, 0, 2}>(reshape<tokens, heads, width / heads>(x));
}

constexpr auto layer = ane::graph([](const ane::builder& g) {
    auto x = g.input("x"_s, ane::f16<tokens, width>);
    auto mask = g.input("mask"_s, ane::f16<tokens, tokens>, ane::within(-10000, 0));
    // Queries, keys and values lie side by side. They are split on a middle axis: a slice of the last one is a hazard
    // on the M1 (R090).
    auto all = reshape<tokens, 3, width>(dense<3 * width>(g.scope("attn.c_attn"), norm(g.scope("ln_1"), x)));
    auto [q, k, v] = split<3, ane::axis{1}>(all);
    auto mixed = transpose<ane::permutation{1, 0, 2}>(attention(by_head(q), by_head(k), by_head(v), mask));
    x += dense<width>(g.scope("attn.c_proj"), reshape<tokens, width>(mixed));
    auto hidden = gelu(dense<4 * width>(g.scope("mlp.c_fc"), norm(g.scope("ln_2"), x)));
    x += dense<width>(g.scope("mlp.c_proj"), hidden);
    g.output("y"_s, x);
});
static_assert(ane::conforms<layer, ane::macs>);

/// GPT-2 has all its matrices as [in, out]; `linear` wants [out, in].
void turn_matrices(ane::weight_store& store) {
    for (const char* const name :
         {"attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"}) {
        store.transpose(name);
    }
}

/// A checkpoint from elsewhere, were it not made here.
ane::weight_store make_checkpoint() {
    ane::weight_store file;
    file.add("transformer.wte.weight", {100, width}, std::vector<float>(100 * width, 0.02F));
    for (int i = 0; i < 3; ++i) {
        ane::weight_store one = ane::random_weights(layer, static_cast<std::uint64_t>(i) + 1);
        turn_matrices(one);
        one.add("attn.bias", {1, 1, tokens, tokens}, std::vector<float>(tokens * tokens, 1.0F)); // no weight of ours
        file.merge(std::move(one).with_prefix("transformer.h." + std::to_string(i)));
    }
    file.add("transformer.ln_f.weight", {width}, std::vector<float>(width, 1.0F));
    return file;
}

std::vector<float> run(const ane::backend::any& place, const ane::weight_store& weights) {
    auto program = ane::compile<layer>(place, weights);
    ane::ndarray<ane::shape<tokens, width>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = ane::half(std::sin(0.37 * static_cast<double>(i)));
    }
    ane::ndarray<ane::shape<tokens, tokens>> mask;
    for (int row = 0; row < tokens; ++row) {
        for (int column = row + 1; column < tokens; ++column) {
            mask(row, column) = ane::half(-10000.0); // no token sees what follows it
        }
    }
    return program({"x"_s = x, "mask"_s = mask})["y"_s].floats();
}

int main() {
    const std::string path =
        (std::filesystem::temp_directory_path() / "anemone_example_checkpoint.safetensors").string();
    ane::save_safetensors(path, make_checkpoint());
    const ane::weight_store file = ane::load_safetensors(path);
    std::filesystem::remove(path);
    fmt::print("the file has {} tensors, the model wants\n{}\n", file.size(), ane::print_weights(layer));

    // As it is it does not fit, and the message names the calls that help.
    std::string said;
    try {
        ane::compile<layer>(ane::backend::cpu{}, file.subset("transformer.h.1"));
    } catch (const ane::error& e) {
        said = e.what();
        fmt::print("{}\n\n", said);
    }

    ane::weight_store weights = file.subset("transformer.h.1");
    turn_matrices(weights);
    weights = ane::weights_for(layer, std::move(weights)); // leaves out what is no weight of the model

    const std::vector<ane::backend::any> places{ane::backend::cpu{}, ane::backend::oracle{ane::h13}};
    std::vector<std::vector<float>> results;
    for (const ane::backend::any& place : places) {
        results.push_back(run(place, weights));
        const std::vector<float>& y = results.back();
        fmt::print("{:<10}  y[0, 0..3] = {:.4f} {:.4f} {:.4f} {:.4f}\n", place.name(), y[0], y[1], y[2], y[3]);
    }
    float apart = 0;
    for (std::size_t i = 0; i < results[0].size(); ++i) {
        apart = std::max(apart, std::fabs(results[0][i] - results[1][i]));
    }
    fmt::print("they differ by {:.4f} at most\n", apart);

    const bool told = said.find("weights.transpose(\"attn.c_attn.weight\")") != std::string::npos &&
                      said.find("attn.c_proj.weight") != std::string::npos;
    const bool same = results[0] == run(places[0], ane::random_weights(layer, 2)); // what layer 1 was made from
    return told && same && apart < 0.05F ? 0 : 1;
}
