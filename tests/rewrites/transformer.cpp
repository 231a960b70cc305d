// The vendor's form of transformers, and the norms in parts that it begins with.

#include "models.hpp"
#include "same.hpp"
#include <anemone/analysis/vendor_guidance.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/proof/proof.hpp>
#include <anemone/rewrites/optimize.hpp>
#include <anemone/rewrites/registry.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using namespace rewriting;

TEST_CASE("the vendor's form: layers are 1x1 convolutions, heads are apart, softmax and norms go along channels") {
    for (const dynamic_graph& model : {block_model(true), exported_model()}) {
        const rewritten made = detail::transformer_for_engine(model, describe(h13));
        const graph_view g = made.graph;
        int convolutions = 0, softmaxes = 0, norms = 0, products = 0;
        for (const node& n : g.nodes) {
            convolutions += n.kind == op::conv2d ? 1 : 0;
            products += n.kind == op::matmul ? 1 : 0;
            CHECK(n.kind != op::linear);
            CHECK_FALSE((n.kind == op::matmul && n.shape[1] != 1));
            if (n.kind == op::softmax) {
                ++softmaxes;
                CHECK(n.shape == extents{1, 12, 1, 12}); // keys as channels, queries last
                CHECK(n.get<axis>().index == 1);
            }
            if (n.kind == op::layer_norm || n.kind == op::rms_norm) {
                ++norms;
                CHECK(n.shape == extents{1, 32, 1, 12});
                CHECK(n.get<stabilizer>().axis == 1);
            }
        }
        CHECK(convolutions == 6);
        CHECK(products == 2 * 4);
        CHECK(softmaxes == 4);
        CHECK(norms == 2);
        CHECK(beside_the_guidance(model) >= 7);
        CHECK(beside_the_guidance(g) == 2); // the transposes of the ports
    }
}

TEST_CASE("the vendor's form: layers with weights in a stored form stay products") {
    dynamic_builder g;
    const auto w = g.add(op::compressed, {g.weight("w", {6, 24})}, compression{.form = weight_form::affine, .bits = 8});
    const auto y = g.add(op::linear, {g.input("x", {5, 24}), w});
    g.output("y", g.add(op::linear, {y, g.weight("v", {8, 6}), g.weight("b", {8})}));
    const dynamic_graph model = g.finish();
    const rewritten made = detail::transformer_for_engine(model, describe(h13));
    REQUIRE(made.places == 1);
    CHECK(compare(model, made.graph, h17s, 5).worst <= 0x1p-8);
}

TEST_CASE("the vendor's form: masks of each shape, batches, one head of keys for all, norms of heads") {
    std::uint32_t seed = 40;
    for (const std::int64_t batch : {1, 3}) {
        for (const extents& mask : {extents{5}, extents{7, 5}, extents{1, 1, 7, 5}, extents{1, 4, 7, 5},
                                    extents{4, 1, 5}, extents{1, 1, 1, 5}}) {
            CAPTURE(++seed);
            dynamic_builder g;
            const auto x = g.input("x", {batch, 7, 16});
            const auto z = g.input("z", {batch, 5, 16});
            const auto heads = [&](const char* name, const dynamic_tensor& v, std::int64_t count) {
                const auto y = g.add(op::linear, {v, g.weight(name, {count * 8, 16})});
                return g.add(op::transpose, {g.reshape(y, {batch, v.shape()[1], count, 8})}, permutation{0, 2, 1, 3});
            };
            const auto q = g.add(op::rms_norm, {heads("q", x, 4), g.weight("gain", {8})}, stabilizer{1e-3F, -1});
            const auto scores = g.add(op::matmul, {q, heads("k", z, 1)}, transposed{.b = true});
            const auto masked = g.add(op::add, {g.add(op::mul, {scores, g.constant(0.35)}), g.input("mask", mask)});
            const auto y = g.add(op::matmul, {g.add(op::softmax, {masked}, axis{3}), heads("v", z, 1)});
            const auto joined = g.reshape(g.add(op::transpose, {y}, permutation{0, 2, 1, 3}), {batch, 7, 32});
            g.output("y", g.add(op::linear, {joined, g.weight("o", {16, 32}), g.weight("o.bias", {16})}));
            g.output("scores", scores);
            const dynamic_graph model = g.finish();
            const rewritten made = detail::transformer_for_engine(model, describe(h13));
            CHECK(made.places == 6);
            CHECK(compare(model, made.graph, h13, seed).same_bits);
            CHECK(compare(model, made.graph, h17s, seed).same_bits);
        }
    }
}

TEST_CASE("the vendor's form is found where it is asked for, at its price, and proven") {
    const dynamic_graph model = exported_model(197, 768, 12);
    const optimized found = optimize(model, h13, {.vendor = true});
    CHECK(beside_the_guidance(found.graph) == 2);
    bool taken = false;
    for (const rewrite_step& step : found.steps) {
        taken = taken || std::string_view(step.record().id) == "transformer_for_engine";
    }
    CHECK(taken);
    CHECK(found.after >= optimize(model, h13).after);

    const dynamic_graph small = exported_model();
    const optimized vendors = optimize(small, h13, {.vendor = true});
    REQUIRE(!vendors.steps.empty());
    CHECK(prove(small, vendors, random_weights(small, 3), h13).holds());
}

TEST_CASE("whole norms: each form of their parts, and what only looks like one") {
    const dynamic_graph model = norm_parts_model();
    const rewritten made = detail::whole_norms(model, describe(h13));
    CHECK(made.places == 2);
    int norms = 0;
    for (const node& n : made.graph.nodes) {
        norms += n.kind == op::layer_norm || n.kind == op::rms_norm ? 1 : 0;
        CHECK(n.kind != op::reduce_mean);
    }
    CHECK(norms == 2);
    const auto parts = [](bool other_axis, bool other_value, bool computed_factor) {
        dynamic_builder g;
        const auto x = g.input("x", {6, 6});
        const auto centred =
            g.add(op::sub, {x, g.add(op::reduce_mean, {other_value ? g.input("z", {6, 6}) : x}, axes{1})});
        const auto variance = g.add(op::reduce_mean, {g.add(op::square, {centred})}, axes{other_axis ? 0 : 1});
        const auto root = g.add(op::rsqrt, {variance}, stabilizer{.epsilon = 1e-3F});
        const auto factor = computed_factor ? g.input("factor", {6}) : g.weight("factor", {6});
        g.output("y", g.add(op::mul, {g.add(op::mul, {centred, root}), factor}));
        return g.finish();
    };
    const auto kind_of = [&](const dynamic_graph& g) {
        const rewritten whole = detail::whole_norms(g, describe(h13));
        for (const node& n : whole.graph.nodes) {
            if (whole.places > 0 && (n.kind == op::layer_norm || n.kind == op::rms_norm)) {
                return n.kind;
            }
        }
        return op::input;
    };
    CHECK(kind_of(parts(false, false, false)) == op::layer_norm);
    CHECK(kind_of(parts(false, true, false)) == op::rms_norm); // of a difference
    CHECK(kind_of(parts(true, false, false)) == op::input);    // along columns, with a factor along rows
    CHECK(kind_of(parts(false, false, true)) == op::input);
}

TEST_CASE("the page has what the vendor's form is predicted to take on each chip") {
    std::ifstream file(std::string(ANEMONE_SOURCE_DIR) + "/docs/rewrites.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const target chip : {h13, h14, h15, h16, h17s}) {
        const target_description& t = describe(chip);
        std::string row = fmt::format("| {} |", t.product);
        for (const std::int64_t rows : {197, 512}) {
            const dynamic_graph model = exported_model(rows, 768, 12);
            const dynamic_graph first = detail::channels_first(model, t).graph;
            const dynamic_graph vendors = detail::transformer_for_engine(model, t).graph;
            for (const graph_view& g : {graph_view(model), graph_view(first), graph_view(vendors)}) {
                row += fmt::format(" {:.0f} |", 1e6 * detail::rewritten_seconds(g, t));
            }
        }
        CHECK_MESSAGE(page.find(row) != std::string::npos, row);
    }
}
