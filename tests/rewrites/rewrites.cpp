// Every rewrite on a model of its own: it applies, the oracle gives the same bits (or values within a rounding), and a
// wrong rewrite is told from a right one.

#include "models.hpp"
#include "same.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/prune.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/rewrites/optimize.hpp>
#include <anemone/rewrites/registry.hpp>
#include <anemone/rules/evaluate.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace ane;
using namespace rewriting;

namespace {

/// Whether `damaged` has something to break at a node, so that results have to differ.
bool can_be_damaged(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind == op::slice) {
        for (int k = 0; k < n.shape.rank; ++k) {
            if (n.get<window>().begin[k] != 0) {
                return true;
            }
        }
        return false;
    }
    if (n.kind == op::concat) {
        return n.operands.count == 2 && g.operand(n, 0).shape == g.operand(n, 1).shape;
    }
    if (n.kind == op::transpose) {
        return !detail::is_view(n, g.operand(n, 0).shape);
    }
    if (n.kind == op::layer_norm) {
        return true;
    }
    for (int reader = index + 1; reader < g.size(); ++reader) { // it tells no sum with a number from a product with it
        if (g[reader].kind == op::softmax && g.operands(reader)[0] == index) {
            return false;
        }
    }
    return n.kind == op::add || n.kind == op::sub || n.kind == op::mul;
}

/// A copy in which one thing is wrong: a window, the order of a concatenation, a permutation that is a view, a sum that
/// is a difference, a product that is a sum, a norm whose factor is its offset.
dynamic_graph damaged(const dynamic_graph& g, int index) {
    dynamic_graph wrong = prune(g);
    node& n = wrong.nodes[static_cast<std::size_t>(index)];
    if (n.kind == op::slice) {
        window w = n.get<window>();
        for (int i = 0; i < w.begin.rank; ++i) {
            w.begin[i] = 0;
        }
        n.attributes = w;
    } else if (n.kind == op::transpose) {
        n.kind = op::reshape;
        n.attributes = no_attributes{};
    } else if (n.kind == op::layer_norm) { // its factor for its offset
        std::swap(wrong.operand_pool[static_cast<std::size_t>(n.operands.first + 1)],
                  wrong.operand_pool[static_cast<std::size_t>(n.operands.first + 2)]);
    } else if (n.kind == op::concat || n.kind == op::sub) {
        std::swap(wrong.operand_pool[static_cast<std::size_t>(n.operands.first)],
                  wrong.operand_pool[static_cast<std::size_t>(n.operands.first + 1)]);
    } else {
        n.kind = n.kind == op::add ? op::sub : op::add;
    }
    return wrong;
}

} // namespace

TEST_CASE("every rewrite applies to its model, and keeps what it says") {
    for (const rewrite_record& r : rewrite_table) {
        CAPTURE(std::string(r.id));
        const dynamic_graph model = model_for(r.id);
        const rewritten made = r.apply(model, tiny);
        REQUIRE(made.places > 0);
        bool same_bits = true;
        for (const target chip : {h13, h17s}) {
            for (unsigned seed = 1; seed <= 3; ++seed) {
                const auto c = compare(model, made.graph, chip, seed);
                same_bits = same_bits && c.same_bits;
                // A code is 1/255 of the largest value, and a sum may take half of one from each of its terms.
                CHECK(c.worst <= (std::string_view(r.id) == "values_for_dynamic_codes" ? 0x1p-6 : 0x1p-8));
            }
        }
        // A power of two changes no bit but of what it takes below fp16's normal numbers.
        const std::string_view id = r.id;
        const bool power_of_two = id == "scale_norms" || id == "scale_values";
        CHECK((same_bits == (r.kept == rewrite_exactness::bits) || power_of_two));
    }
}

TEST_CASE("values beyond fp16 are held as a power of two of themselves, where something brings them back") {
    const target_description& h = describe(h13);
    const dynamic_graph model = large_values_model();
    CHECK(ane::detail::refuted_limits(model, h) > 0);
    const optimized made = optimize(model, h, {.values = true});
    CHECK(made.refuted_after == 0);
    // By what the promises allow the model overflows, and the other does not.
    const weight_store weights = random_weights(model, 1);
    std::mt19937 random(1);
    std::vector<half> x(64);
    std::vector<half> z(64);
    std::uniform_real_distribution<double> far(2000, 4000);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = half(far(random));
        z[i] = half(far(random) / 14);
    }
    model_samples largest;
    const std::span<const std::byte> ports[] = {std::as_bytes(std::span(x)), std::as_bytes(std::span(z))};
    largest.add(input_buffers(ports));
    const model_results meant = run_samples(model, weights, largest, backend::any(backend::wide{}));
    const model_results before = run_samples(model, weights, largest, backend::any(backend::cpu{}));
    const model_results after = run_samples(made.graph, weights, largest, backend::any(backend::cpu{}));
    CHECK_FALSE(relative_error(meant, before) < 0.5);
    CHECK(relative_error(meant, after) < 0.01);
}

TEST_CASE("a value beyond fp16 that leaves the model stays as it is") {
    dynamic_builder g;
    g.output("y", g.add(op::mul, {g.input("x", {8}, bounded(400)), g.constant(300)}));
    g.output("z", g.add(op::abs, {g.input("v", {8}, bounded(1))}));
    const rewritten made = detail::scale_values(g.finish(), describe(h13));
    CHECK(made.places == 0);
}

TEST_CASE("channels first: without biases the bits stay, and no value is turned round between the ends") {
    const dynamic_graph model = block_model(false);
    const rewritten made = detail::channels_first(model, describe(h13));
    CHECK(compare(model, made.graph, h13, 7).same_bits);
    int transposes = 0;
    for (const node& n : made.graph.nodes) {
        transposes += n.kind == op::transpose ? 1 : 0;
    }
    CHECK(transposes == 2);
}

TEST_CASE("channels first: a block as PyTorch exports it") {
    const dynamic_graph model = exported_model();
    const rewritten made = detail::channels_first(model, describe(h13));
    const auto c = compare(model, made.graph, h13, 11);
    CHECK(c.worst < 0x1p-8);
    int transposes = 0;
    for (const node& n : made.graph.nodes) {
        transposes += n.kind == op::transpose ? 1 : 0;
    }
    CHECK(transposes == 2); // on the way in and on the way out
}

TEST_CASE("tiles of layers: what does not fit on the chip does, and overlapping windows are computed twice") {
    const dynamic_graph model = separable_model();
    const rewritten made = detail::tile_layers(model, tiny);
    REQUIRE(made.places == 1);
    std::int64_t rows = 0;
    for (const node& n : made.graph.nodes) {
        if (n.kind == op::conv2d) {
            CHECK(bytes(n.type, n.shape.count()) < tiny.memory.working_set_nominal);
            rows += n.shape == extents{1, 4, n.shape[2], 7} ? n.shape[2] : 0;
        }
    }
    CHECK(rows == 9); // of the projection: each once
    int convolutions = 0, slices = 0;
    for (const node& n : made.graph.nodes) {
        convolutions += n.kind == op::conv2d ? 1 : 0;
        slices += n.kind == op::slice ? 1 : 0;
    }
    CHECK(convolutions == 3 * 4);
    CHECK(slices == 4);
    // Where everything fits, and where no number of tiles makes it fit, the model stays.
    CHECK(detail::tile_layers(model, describe(h13)).places == 0);
    CHECK(detail::tile_layers(model, derive(tiny, [](auto& d) { d.memory.working_set_nominal = 64; })).places == 0);
}

TEST_CASE("tiles of layers: a layer keeps its stages, which round with it") {
    dynamic_builder g; // the product leaves the chip, the bias and the mean of it are outside of what has to be cut
    const auto x = g.input("x", {1, 2, 4, 8});
    const auto y = g.add(op::matmul, {x, g.weight("w", {8, 64})});
    const auto n = g.add(op::matmul, {y, g.weight("v", {64, 4})});
    g.output("y", g.add(op::softmax, {g.add(op::add, {n, g.weight("b", {4})})}, axis{2}));
    const dynamic_graph model = g.finish();
    const rewritten made = detail::tile_layers(model, tiny);
    REQUIRE(made.places == 1);
    CHECK(compare(model, made.graph, h17s, 3).same_bits);
    for (std::size_t i = 0; i < made.graph.nodes.size(); ++i) {
        if (made.graph.nodes[i].kind == op::add) {
            CHECK(graph_view(made.graph).operand(made.graph.nodes[i], 0).kind == op::matmul);
        }
    }
}

TEST_CASE("slices off the width: whole blocks by a reshape, other windows by turned axes; only A13 and A14 need it") {
    const dynamic_graph model = halves_model();
    const rewritten made = detail::slices_off_width(model, describe(h13));
    CHECK(made.places == 3); // the one that begins at 0 may stay
    CHECK(detail::slices_off_width(model, describe(h14)).places == 3);
    CHECK(detail::slices_off_width(model, describe(h15)).places == 0);
    int transposes = 0;
    for (const node& n : made.graph.nodes) {
        transposes += n.kind == op::transpose ? 1 : 0;
        CHECK_FALSE(reads_inside_width(made.graph, n));
    }
    CHECK(transposes == 4); // of the odd window, and of every third
    const optimized found = optimize(model, h13, {.values = true});
    CHECK(found.refuted_before - found.refuted_after == 3); // that the sigmoid's argument is large stays
}

TEST_CASE("products with ones: the sum has the range that the product has not") {
    dynamic_builder g;
    g.output("y", g.add(op::matmul, {g.input("x", {1, 16}, within(3000, 4000)), g.constant({16, 1}, 1.0)}));
    const dynamic_graph model = g.finish();
    const rewritten made = detail::products_as_sums(model, describe(h17s));
    REQUIRE(made.places == 1);
    const model_samples samples = random_samples(model, 1);
    const backend::any m5{backend::oracle{h17s}};
    const float sum = run_samples(made.graph, {}, samples, m5)[0][0][0];
    CHECK(sum > 16 * 3000.0F);
    CHECK(sum < 16 * 4000.0F);
    CHECK(std::isinf(run_samples(model, {}, samples, m5)[0][0][0]));
    const optimized found = optimize(model, h17s, {.values = true});
    CHECK(found.refuted_after < found.refuted_before);
}

TEST_CASE("scaled inputs of int8 weights: 30,000 does not become infinite before them") {
    const dynamic_graph model = int8_model();
    const rewritten made = detail::scale_int8_inputs(model, describe(h13));
    REQUIRE(made.places == 1);
    const weight_store weights = random_weights(model, 5);
    model_samples samples;
    const std::vector<half> large(4 * 32, half(20000.0));
    samples.add(std::span<const half>(large));
    const backend::any m1{backend::oracle{h13}};
    const model_results before = run_samples(model, weights, samples, m1);
    const model_results after = run_samples(made.graph, weights, samples, m1);
    const model_results exact = run_samples(model, weights, samples, backend::any{backend::cpu{}});
    for (std::size_t i = 0; i < 32; ++i) {
        CHECK_FALSE(std::isfinite(before[0][0][i]));
        CHECK(after[0][0][i] == doctest::Approx(exact[0][0][i]).epsilon(0.01));
    }
}

TEST_CASE("scaled weights: products near the last bit of the sums keep more of themselves") {
    const dynamic_graph model = small_products_model();
    const optimized found = optimize(model, h17s, {.errors = true});
    REQUIRE(found.steps.size() == 1);
    CHECK(std::string(found.steps[0].record().id) == "scale_weights");
    CHECK(found.error_after < 0.5 * found.error_before);
    const weight_store weights = random_weights(model, 5);
    const model_samples samples = random_samples(model, 20, 3);
    const backend::any m5{backend::oracle{h17s}};
    const model_results exact = run_samples(model, weights, samples, backend::any{backend::cpu{}});
    const double before = relative_error(exact, run_samples(model, weights, samples, m5));
    const double after = relative_error(exact, run_samples(found.graph, weights, samples, m5));
    CHECK(after < 0.5 * before);
    CHECK(optimize(model, h17s).steps.empty()); // it does not pay in time
}

TEST_CASE("cancelled transposes: a token of a decoder needs none") {
    const dynamic_graph model = token_model();
    const rewritten made = detail::cancel_transposes(model, describe(h13));
    CHECK(compare(model, made.graph, h17s, 13).same_bits);
    for (const node& n : made.graph.nodes) {
        CHECK(n.kind != op::transpose);
    }
}

TEST_CASE("the list of rewrites has a row for each") {
    const std::string text = rewrites_text();
    for (const rewrite_record& r : rewrite_table) {
        CHECK(text.find(std::string(r.id) + " ") != std::string::npos);
        CHECK(text.find(r.when) != std::string::npos);
    }
    CHECK(std::count(text.begin(), text.end(), '\n') == std::ssize(rewrite_table));
}

TEST_CASE("a rewrite that does not fit leaves a model alone") {
    dynamic_builder g;
    g.output("y", g.add(op::max_pool, {g.input("x", {1, 4, 8, 8})}, pool{.kernel = 2, .stride = 2}));
    const dynamic_graph model = g.finish();
    for (const rewrite_record& r : rewrite_table) {
        CAPTURE(std::string(r.id));
        CHECK(r.apply(model, tiny).places == 0);
    }
    // strides, padding, groups and 3x3 kernels are no products of pixels; one row needs its weights once
    for (const conv& how : {conv{.stride = 2}, conv{.padding = 1}}) {
        dynamic_builder h;
        h.output("y", h.add(op::conv2d, {h.input("x", {1, 4, 8, 8}), h.weight("w", {4, 4, 1, 1})}, how));
        CHECK(detail::pointwise_as_product(h.finish(), tiny).places == 0);
    }
    dynamic_builder row;
    row.output("y", row.add(op::linear, {row.input("x", {1, 32}), row.weight("w", {96, 32})}));
    CHECK(detail::split_outputs(row.finish(), tiny).places == 0);
}

TEST_CASE("every rewrite: the comparison tells a wrong one from a right one") {
    for (const rewrite_record& r : rewrite_table) {
        CAPTURE(std::string(r.id));
        const dynamic_graph model = model_for(r.id);
        const dynamic_graph made = r.apply(model, tiny).graph;
        int tried = 0, told = 0;
        for (int i = 0; i < static_cast<int>(made.nodes.size()); ++i) {
            if (!can_be_damaged(made, i)) {
                continue;
            }
            ++tried;
            told += compare(model, damaged(made, i), h13, 3).worst > 0x1p-8 ? 1 : 0;
        }
        CHECK(told > 0);
        CHECK(told >= tried - 1); // the sign of a bias of keys moves no softmax
    }
}

TEST_CASE("clamps restore a quantized product whose codes take another scale, and change no bit of the right one") {
    const dynamic_graph model = quantized_model();
    const optimized found = optimize(model, h17s, {.values = true});
    REQUIRE(found.refuted_before == 1);
    CHECK(found.refuted_after == 0);
    numerics::datapath path = numerics::datapath_of(h17s);
    path.quantized_product_scale = numerics::product_scale_rule::shared;
    const auto on = [&](const graph_view& g, const backend::oracle& engine) {
        return run_samples(g, {}, random_samples(model, 2, 5), backend::any(engine));
    };
    const auto right = on(model, backend::oracle(h17s));
    CHECK(on(found.graph, backend::oracle(h17s)) == right);
    CHECK(on(model, backend::oracle(path)) != right);
    CHECK(on(found.graph, backend::oracle(path)) == right);
    CHECK(optimize(model, h17s).steps.size() == 0);
}

TEST_CASE("blocks of features: each has the integers and scales that it had, and is held as stored") {
    const dynamic_graph model = blocks_model();
    const optimized found = optimize(model, h17s, {.forms = true});
    REQUIRE(found.steps.size() >= 1);
    CHECK(detail::expanded_weights(model, describe(h17s)) == 3);
    CHECK(detail::expanded_weights(found.graph, describe(h17s)) == 0);
    CHECK(found.after > 1.0 * found.before); // a price, not a gain
    CHECK(optimize(model, h17s).steps.size() == 0);
    int parts = 0;
    for (const node& n : found.graph.nodes) {
        if (n.kind == op::compressed) {
            CHECK(is_int8_by_channel(n.get<compression>()));
            ++parts;
        }
    }
    CHECK(parts == 3 + 3 + 5);
    const auto on = [&](const graph_view& g) {
        return run_samples(g, random_weights(model, 9), random_samples(model, 2, 5), backend::any(backend::cpu{}));
    };
    const auto want = on(model);
    const auto got = on(found.graph);
    for (std::size_t run = 0; run < want.size(); ++run) {
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            for (std::size_t i = 0; i < want[run][port].size(); ++i) {
                CHECK(got[run][port][i] == doctest::Approx(want[run][port][i]).epsilon(0x1p-8).scale(1));
            }
        }
    }
    for (const violation& v : violations(found.graph, h17s)) {
        CHECK_FALSE(v.is_error);
    }
}
