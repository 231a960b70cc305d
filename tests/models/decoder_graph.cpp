#include "small_decoders.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/model.hpp>
#include <anemone/models/decoder_graph.hpp>
#include <anemone/models/decoder_inputs.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace ane;
using models::activation_layout;
using models::cache_form;
using models::decoder_configuration;
using models::decoder_form;

namespace {

constexpr models::family families[] = {models::family::gpt2,  models::family::llama,   models::family::qwen2,
                                       models::family::qwen3, models::family::mistral, models::family::gemma2,
                                       models::family::gemma3};

// Each family on all Macs; the engine's layout and caches as states of two of them.
constexpr decoder_form rows{.positions = 4, .capacity = 32};
constexpr decoder_form channels{.positions = 4, .capacity = 32, .layout = activation_layout::channels};
constexpr decoder_form states{.positions = 4, .capacity = 32, .caches = cache_form::states};
constexpr decoder_form texts{.positions = 4, .capacity = 32, .batch = 3};
constexpr decoder_form text_channels{.positions = 4, .capacity = 32, .layout = activation_layout::channels, .batch = 3};
template <models::family F, decoder_form Form> constexpr bool family_conforms() {
    return conforms<models::decoder<small_decoders::of(F), Form>, macs>;
}
static_assert(family_conforms<models::family::gpt2, rows>());
static_assert(family_conforms<models::family::llama, rows>());
static_assert(family_conforms<models::family::qwen2, rows>());
static_assert(family_conforms<models::family::qwen3, rows>());
static_assert(family_conforms<models::family::mistral, rows>());
static_assert(family_conforms<models::family::gemma2, rows>());
static_assert(family_conforms<models::family::gemma3, rows>());
static_assert(family_conforms<models::family::gemma3, channels>());
static_assert(family_conforms<models::family::llama, channels>());
static_assert(family_conforms<models::family::llama, states>());
static_assert(family_conforms<models::family::llama, texts>());
static_assert(family_conforms<models::family::gemma2, text_channels>());

using arrays = std::map<std::string, std::vector<half>>;

/// The outputs of a run by name, in double precision but for the ports; states stay in the program.
arrays run(const graph_view& g, backend::wide_program& program, const arrays& given) {
    std::vector<std::span<const std::byte>> in;
    std::vector<std::span<std::byte>> out;
    arrays result;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input && g.next_of(i) < 0) {
            const auto found = given.find(std::string(g.name(i)));
            REQUIRE_MESSAGE(found != given.end(), std::string(g.name(i)));
            REQUIRE(static_cast<std::int64_t>(found->second.size()) == g[i].shape.count());
            in.push_back(std::as_bytes(std::span(found->second)));
        }
    }
    for (const output_port& port : g.outputs) {
        if (!port.is_state()) {
            std::vector<half>& to = result[std::string(g.name(port))];
            to.resize(static_cast<std::size_t>(g[port.node].shape.count()));
            out.push_back(std::as_writable_bytes(std::span(to)));
        }
    }
    program.run(in, out);
    return result;
}

std::vector<half> halves(const std::vector<float>& values) { return {values.begin(), values.end()}; }

/// Rows of an activation as the channels of the engine's layout, and back.
std::vector<half> turned(const std::vector<half>& x, std::int64_t rows_of, std::int64_t columns) {
    std::vector<half> result(x.size());
    for (std::int64_t r = 0; r < rows_of; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            result[static_cast<std::size_t>(c * rows_of + r)] = x[static_cast<std::size_t>(r * columns + c)];
        }
    }
    return result;
}

/// The same of two texts.
std::vector<half> turned_texts(const std::vector<half>& x, std::int64_t rows_of, std::int64_t columns) {
    const auto middle = x.begin() + rows_of * columns;
    std::vector<half> both = turned({x.begin(), middle}, rows_of, columns);
    const std::vector<half> second = turned({middle, x.end()}, rows_of, columns);
    both.insert(both.end(), second.begin(), second.end());
    return both;
}

/// A decoder with its weights that computes positions in chunks, as a host does.
struct host {
    decoder_configuration c;
    decoder_form f;
    dynamic_graph made;
    backend::wide_program program;
    arrays caches;
    std::int64_t kept = 0;

    host(const decoder_configuration& of, const decoder_form& form, const weight_store& weights)
        : c(of), f(form), made(decoder_graph(of, form)),
          program(backend::wide{}.compile(made, in_form(made, weights))) {
        const auto size = static_cast<std::size_t>(c.kept_heads * c.head_width * f.capacity);
        for (std::int64_t i = 0; i < c.layers; ++i) {
            caches["keys_" + std::to_string(i)].resize(size);
            caches["values_" + std::to_string(i)].resize(size);
        }
    }
    static weight_store in_form(const graph_view& g, const weight_store& rows_of) {
        weight_store result;
        for (stored_tensor t : rows_of) {
            t.shape = g[g.find(op::weight, t.name)].shape;
            result.add(t);
        }
        return result;
    }

    /// What the ports hold for `count` rows, the others being padding of nonsense; the activation in rows.
    arrays given_of(const std::vector<half>& x, std::int64_t count) const {
        arrays given = caches;
        const auto table = static_cast<std::size_t>(f.positions * c.head_width);
        std::vector<float> cosines(table);
        std::vector<float> sines(table);
        if (c.rotary.kind != models::rope_kind::none) {
            models::rotary_tables(c.rotary, c.head_width, kept, cosines, sines);
            given["cosines"] = halves(cosines);
            given["sines"] = halves(sines);
            models::rotary_tables(c.local_rotary, c.head_width, kept, cosines, sines);
            given["local_cosines"] = halves(cosines);
            given["local_sines"] = halves(sines);
        }
        std::vector<float> mask(
            static_cast<std::size_t>(f.positions * (f.capacity + (f.caches == cache_form::inputs ? f.positions : 0))));
        models::causal_mask(f, kept, 0, mask);
        given["mask"] = halves(mask);
        models::causal_mask(f, kept, c.window, mask);
        given["local_mask"] = halves(mask);
        if (f.caches == cache_form::states) {
            std::vector<float> at(static_cast<std::size_t>(f.capacity * f.positions));
            models::cache_places(f, kept, count, at);
            given["at"] = halves(at);
        }
        given["x"] = x;
        given["x"].resize(static_cast<std::size_t>(f.positions * c.width), half(3.0F));
        return given;
    }
    /// The logits of `count` rows.
    std::vector<half> logits_of(const std::vector<half>& x, std::int64_t count) {
        arrays given = given_of(x, count);
        const bool is_rows = f.layout == activation_layout::rows;
        if (!is_rows) {
            given["x"] = turned(given["x"], f.positions, c.width);
        }
        arrays out = run(made, program, given);
        for (std::int64_t i = 0; f.caches == cache_form::inputs && i < c.layers; ++i) {
            put(out["new_keys_" + std::to_string(i)], caches["keys_" + std::to_string(i)], count, true);
            put(out["new_values_" + std::to_string(i)], caches["values_" + std::to_string(i)], count, false);
        }
        kept += count;
        std::vector<half> logits = is_rows ? out["logits"] : turned(out["logits"], c.vocabulary, f.positions);
        logits.resize(static_cast<std::size_t>(count * c.vocabulary));
        return logits;
    }
    void put(const std::vector<half>& fresh, std::vector<half>& cache, std::int64_t count, bool are_keys) const {
        for (std::int64_t head = 0; head < c.kept_heads; ++head) {
            for (std::int64_t p = 0; p < count && kept + p < f.capacity; ++p) {
                for (std::int64_t d = 0; d < c.head_width; ++d) {
                    const std::int64_t at = are_keys ? (head * c.head_width + d) * f.capacity + kept + p
                                                     : (head * f.capacity + kept + p) * c.head_width + d;
                    cache[static_cast<std::size_t>(at)] =
                        fresh[static_cast<std::size_t>((head * f.positions + p) * c.head_width + d)];
                }
            }
        }
    }
};

/// The largest difference of two results.
double largest_difference(const std::vector<half>& a, const std::vector<half>& b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(static_cast<float>(a[i])) - static_cast<float>(b[i])));
    }
    return most;
}

std::vector<half> some_rows(std::int64_t count, std::int64_t width) {
    std::vector<half> x;
    for (std::int64_t i = 0; i < count * width; ++i) {
        x.emplace_back(static_cast<float>(std::sin(0.37 * static_cast<double>(i * i % 1009))));
    }
    return x;
}

} // namespace

TEST_CASE("layouts, kinds of caches and chunks of a decoder compute the same") {
    for (const models::family kind : families) {
        const decoder_configuration c = small_decoders::of(kind);
        CAPTURE(std::string(name(kind)));
        const weight_store weights = random_weights(decoder_graph(c, {.positions = 1, .capacity = 0}), 7);
        constexpr std::int64_t length = 11;
        const std::vector<half> x = some_rows(length, c.width);
        host whole(c, {.positions = length, .capacity = 0}, weights); // without a cache: plain causal attention
        const std::vector<half> expected = whole.logits_of(x, length);
        double largest = 0;
        for (const half each : expected) {
            largest = std::max(largest, std::abs(static_cast<double>(static_cast<float>(each))));
        }
        CHECK(largest > 0.01);
        for (const cache_form caches : {cache_form::inputs, cache_form::states}) {
            for (const std::int64_t positions : {1, 4}) { // the last chunk of 4 has a row of padding
                std::vector<half> in_rows;
                for (const activation_layout layout : {activation_layout::rows, activation_layout::channels}) {
                    host stepwise(c, {.positions = positions, .capacity = 16, .caches = caches, .layout = layout},
                                  weights);
                    std::vector<half> found;
                    for (std::int64_t at = 0; at < length; at += positions) {
                        const std::int64_t count = std::min(positions, length - at);
                        const std::vector<half> part(x.begin() + at * c.width, x.begin() + (at + count) * c.width);
                        const std::vector<half> logits = stepwise.logits_of(part, count);
                        found.insert(found.end(), logits.begin(), logits.end());
                    }
                    // The caches between two runs are fp16, what is within one is not.
                    CHECK(largest_difference(found, expected) < 0.01 * largest);
                    // Between the layouts there is the order of sums in double precision alone: a result that lies where
                    // fp16 rounds to another number.
                    if (layout == activation_layout::rows) {
                        in_rows = found;
                    } else {
                        CHECK(largest_difference(found, in_rows) <= 0x1p-10 * largest);
                    }
                }
            }
        }
    }
}

TEST_CASE("each text of a batch gets what it gets alone") {
    for (const models::family kind : {models::family::gpt2, models::family::llama, models::family::gemma3}) {
        const decoder_configuration c = small_decoders::of(kind);
        CAPTURE(std::string(name(kind)));
        const weight_store weights = random_weights(decoder_graph(c, {.positions = 1, .capacity = 0}), 11);
        for (const cache_form caches : {cache_form::inputs, cache_form::states}) {
            for (const std::int64_t positions : {1, 3}) {
                // Two texts, of which the second is two runs ahead.
                const decoder_form alone{.positions = positions, .capacity = 16, .caches = caches};
                host texts[] = {host(c, alone, weights), host(c, alone, weights)};
                const std::vector<half> x = some_rows(4 * positions, c.width);
                const auto part = [&](std::int64_t run_of) {
                    const auto begin = x.begin() + run_of * positions * c.width;
                    return std::vector<half>(begin, begin + positions * c.width);
                };
                if (caches == cache_form::inputs) { // a test cannot put numbers into states
                    texts[1].logits_of(part(0), positions);
                    texts[1].logits_of(part(1), positions);
                }
                arrays given;
                for (int t = 0; t < 2; ++t) {
                    for (const auto& [port, values] : texts[t].given_of(part(2 + t), positions)) {
                        given[port].insert(given[port].end(), values.begin(), values.end());
                    }
                }
                std::vector<half> expected;
                for (int t = 0; t < 2; ++t) {
                    const std::vector<half> logits = texts[t].logits_of(part(2 + t), positions);
                    expected.insert(expected.end(), logits.begin(), logits.end());
                }
                for (const activation_layout layout : {activation_layout::rows, activation_layout::channels}) {
                    CAPTURE(static_cast<int>(layout));
                    decoder_form both = alone;
                    both.layout = layout;
                    both.batch = 2;
                    const dynamic_graph made = decoder_graph(c, both);
                    auto program = backend::wide{}.compile(made, host::in_form(made, weights));
                    arrays in_layout = given;
                    std::vector<half> found;
                    if (layout == activation_layout::channels) {
                        in_layout["x"] = turned_texts(given["x"], positions, c.width);
                        found = turned_texts(run(made, program, in_layout)["logits"], c.vocabulary, positions);
                    } else {
                        found = run(made, program, in_layout)["logits"];
                    }
                    CHECK(largest_difference(found, expected) < 1e-3);
                }
            }
        }
    }
}

TEST_CASE("a decoder in programs is the decoder") {
    const decoder_configuration c = small_decoders::of(models::family::llama);
    const weight_store weights = random_weights(decoder_graph(c, {.positions = 1, .capacity = 0}), 3);
    const std::vector<half> x = some_rows(3, c.width);
    host whole(c, {.positions = 3, .capacity = 0}, weights);
    const std::vector<half> expected = whole.logits_of(x, 3);
    const dynamic_graph first =
        decoder_graph(c, {.positions = 3, .capacity = 0, .first = 0, .count = 1, .head = false});
    const dynamic_graph second = decoder_graph(c, {.positions = 3, .capacity = 0, .first = 1, .head_parts = 3});
    CHECK(first.view().find_output("new_keys_0") >= 0);
    CHECK(second.view().find_output("new_keys_1") >= 0);
    const decoder_form parts{.head_parts = 3};
    CHECK(part_begin(c, parts, 1) == 22);
    CHECK(part_begin(c, parts, 3) == 64);
    weight_store of_first;
    weight_store of_second;
    for (const stored_tensor& t : weights) {
        if (first.view().find(op::weight, t.name) >= 0) {
            of_first.add(t);
        } else if (second.view().find(op::weight, t.name) >= 0) {
            of_second.add(t);
        } else {
            REQUIRE(t.name == "lm_head_weight");
            for (int part = 0; part < 3; ++part) {
                const auto begin = static_cast<std::size_t>(part_begin(c, parts, part) * c.width * 2);
                const auto end = static_cast<std::size_t>(part_begin(c, parts, part + 1) * c.width * 2);
                of_second.add({"lm_head_weight_" + std::to_string(part),
                               t.type,
                               {part_begin(c, parts, part + 1) - part_begin(c, parts, part), c.width},
                               t.bytes.part(begin, end - begin)});
            }
        }
    }
    std::vector<float> cosines(24);
    std::vector<float> sines(24);
    std::vector<float> mask(9);
    models::rotary_tables(c.rotary, c.head_width, 0, cosines, sines);
    models::causal_mask({.positions = 3, .capacity = 0}, 0, 0, mask);
    arrays given{{"x", x}, {"cosines", halves(cosines)}, {"sines", halves(sines)}, {"mask", halves(mask)}};
    backend::wide_program one = backend::wide{}.compile(first, of_first);
    backend::wide_program two = backend::wide{}.compile(second, of_second);
    given["x"] = run(first, one, given)["y"];
    arrays out = run(second, two, given);
    std::vector<half> found;
    for (std::int64_t row = 0; row < 3; ++row) {
        for (int part = 0; part < 3; ++part) {
            const std::vector<half>& logits = out["logits_" + std::to_string(part)];
            const auto size = static_cast<std::ptrdiff_t>(logits.size() / 3);
            found.insert(found.end(), logits.begin() + row * size, logits.begin() + (row + 1) * size);
        }
    }
    CHECK(largest_difference(found, expected) < 0.005);
}

TEST_CASE("forms that a decoder does not have are refused") {
    const decoder_configuration c = small_decoders::llama;
    CHECK_THROWS_AS(decoder_graph(c, {.positions = 0}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.capacity = 0, .caches = cache_form::states}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.capacity = -1}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.first = 2, .count = 1}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.first = 2, .head = false}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.head_parts = 65}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.head_parts = 0}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.batch = 0}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.positions = 1024, .batch = 1025}), error);
    CHECK_THROWS_AS(decoder_graph(c, {.positions = 4, .batch = std::numeric_limits<std::int64_t>::max()}), error);
}
