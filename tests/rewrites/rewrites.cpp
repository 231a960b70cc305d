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
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
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
                CHECK(c.worst <= 0x1p-8);
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
    CHECK(made.places == 2); // the one that begins at 0 may stay
    CHECK(detail::slices_off_width(model, describe(h14)).places == 2);
    CHECK(detail::slices_off_width(model, describe(h15)).places == 0);
    int transposes = 0;
    for (const node& n : made.graph.nodes) {
        transposes += n.kind == op::transpose ? 1 : 0;
        CHECK_FALSE((n.kind == op::slice && reads_inside_width(made.graph, n)));
    }
    CHECK(transposes == 2); // of the odd window
    const optimized found = optimize(model, h13, {.values = true});
    CHECK(found.refuted_before - found.refuted_after == 2); // that the sigmoid's argument is large stays
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

TEST_CASE("the vendor's form is found where it is asked for, at its price, and is told by a proof") {
    const dynamic_graph model = exported_model(197, 768, 12);
    const optimized found = optimize(model, h13, {.vendor = true});
    CHECK(beside_the_guidance(found.graph) == 2);
    bool taken = false;
    for (const rewrite_step& step : found.steps) {
        taken = taken || std::string_view(step.record().id) == "transformer_for_engine";
    }
    CHECK(taken);
    CHECK(found.after >= optimize(model, h13).after);
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
