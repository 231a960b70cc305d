#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/compress/compress.hpp>
#include <anemone/compress/compression_report.hpp>
#include <anemone/compress/loss_interval.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/ops/quantization.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/encode.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// Two layers, of 32 x 64 and 8 x 32 elements, with biases.
dynamic_graph two_layers() {
    dynamic_builder g;
    auto x = g.input("x", {4, 64});
    auto h = g.add(op::relu, {g.add(op::linear, {x, g.weight("up.weight", {32, 64}), g.weight("up.bias", {32})})});
    g.output("y", g.add(op::linear, {h, g.weight("down.weight", {8, 32}), g.weight("down.bias", {8})}));
    return g.finish();
}

model_samples random_samples(std::size_t runs, std::size_t elements, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    model_samples samples;
    for (std::size_t run = 0; run < runs; ++run) {
        std::vector<half> x(elements);
        for (half& v : x) {
            v = half(normal(random));
        }
        samples.add(std::span<const half>(x));
    }
    return samples;
}

const stored_candidate& candidate_of(const compression_plan& plan, std::size_t weight, const compression& form) {
    for (const stored_candidate& c : plan.weights.at(weight).candidates) {
        if (c.form && c.form->form == form.form && c.form->bits == form.bits && c.form->vector == form.vector) {
            return c;
        }
    }
    throw std::out_of_range("no such candidate");
}

/// What `choose_compression` throws.
std::string refusal_of(const compression_options& options, target t = h13,
                       const model_samples& samples = random_samples(4, 256, 1)) {
    const dynamic_graph g = two_layers();
    try {
        (void)choose_compression(g, random_weights(g, 1), t, samples, options);
    } catch (const error& e) {
        CHECK(e.code() == errc::argument);
        return e.what();
    }
    return "nothing";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("compress: sizes are those of the closed forms, and the totals their sums") {
    const dynamic_graph g = two_layers();
    const model_samples samples = random_samples(6, 256, 2);
    const compression_plan plan =
        choose_compression(g, random_weights(g, 1), h17s, samples, {.most_loss = 0.5, .file = weight_file::any});
    REQUIRE(plan.weights.size() == 2);
    CHECK(plan.other_bytes == 2 * (32 + 8)); // the biases
    CHECK(plan.before.bytes == 2 * (32 * 64 + 32 + 8 * 32 + 8));
    const std::int64_t rows[] = {32, 8};
    const std::int64_t counts[] = {32 * 64, 8 * 32};
    for (std::size_t w = 0; w < 2; ++w) {
        CHECK(candidate_of(plan, w, affine_int8).bytes == counts[w] + 2 * rows[w]);
        CHECK(candidate_of(plan, w, blockwise<32>).bytes == counts[w] + 2 * counts[w] / 32);
        CHECK(candidate_of(plan, w, blockwise<32, 4>).bytes == counts[w] / 2 + 2 * counts[w] / 32);
        for (const compression& p : {palette<4>, palette<6>, palette<8>, palette<3>}) {
            CHECK(candidate_of(plan, w, p).bytes == counts[w] * p.bits / 8 + (2 << p.bits));
        }
        CHECK(candidate_of(plan, w, palette<4, 2>).bytes == counts[w] / 4 + 2 * 2 * 16);
    }
    std::int64_t total = plan.other_bytes;
    for (const weight_choice& w : plan.weights) {
        total += w.form().bytes;
    }
    CHECK(plan.after.bytes == total);
    CHECK(plan.ratio() == doctest::Approx(static_cast<double>(plan.before.bytes) / static_cast<double>(total)));
}

TEST_CASE("compress: no plan breaks its gate, and a tighter one never gives a smaller model") {
    const dynamic_graph g = two_layers();
    const weight_store weights = random_weights(g, 3);
    const model_samples samples = random_samples(8, 256, 4);
    const backend::any cpu = backend::cpu{};
    model_samples gate; // by turns with those that are held out, between those that are learnt from
    model_samples others;
    for (std::size_t run = 1; run < samples.size(); run += 2) {
        (run % 4 == 1 ? gate : others).add(samples.inputs(run));
    }
    std::int64_t before = 0;
    for (const double most : {0.5, 0.1, 0.03, 0.006, 0.0005, 0.0}) {
        CAPTURE(most);
        const compression_plan plan = choose_compression(g, weights, h13, samples, {.most_loss = most});
        CHECK(plan.after.loss <= most);
        CHECK(plan.after.bytes >= before);
        before = plan.after.bytes;
        const compressed_model small = apply(plan);
        const double measured =
            relative_error(run_samples(g, weights, gate, cpu), run_samples(small.graph, small.weights, gate, cpu));
        CHECK(measured == plan.after.loss); // the same bits
        CHECK(plan.held_out.runs == others.size());
        CHECK(plan.held_out.loss == relative_error(run_samples(g, weights, others, cpu),
                                                   run_samples(small.graph, small.weights, others, cpu)));
    }
    CHECK(before == 2 * (32 * 64 + 32 + 8 * 32 + 8)); // random weights have no lossless form: all in fp16
    CHECK(choose_compression(g, weights, h13, samples, {.most_loss = 0.5}).ratio() > 3);
}

TEST_CASE("compress: the gate is the caller's measure where there is one") {
    const dynamic_graph g = two_layers();
    const weight_store weights = random_weights(g, 3);
    const model_samples samples = random_samples(4, 256, 4);
    int asked = 0;
    compression_options options{.most_loss = 0.25};
    options.loss = [&asked](const model_results& want, const model_results& got) {
        ++asked;
        CHECK(want.size() == 1); // a quarter of the runs
        CHECK(want[0].size() == 1);
        CHECK(want[0][0].size() == 32);
        return want == got ? 0.0 : 1.0;
    };
    const compression_plan plan = choose_compression(g, weights, h13, samples, options);
    CHECK(asked > 0);
    CHECK(plan.after.bytes == plan.before.bytes);
    options.loss = [](const model_results&, const model_results&) { return std::nan(""); };
    CHECK_THROWS_WITH_AS(choose_compression(g, weights, h13, samples, options),
                         "argument: compression: the loss of the uncompressed model is nan, the limit is 0.25", error);
}

TEST_CASE("compress: the loss is told of runs that nothing was chosen by, with the interval of further ones") {
    const dynamic_graph g = two_layers();
    const weight_store weights = random_weights(g, 21);
    const model_samples samples = random_samples(16, 256, 22);
    const model_samples fresh = random_samples(100, 256, 23);
    const compression_plan plan = choose_compression(g, weights, h13, samples, {.most_loss = 0.1});
    REQUIRE(plan.held_out.at_least);
    REQUIRE(plan.held_out.at_most);
    CHECK(*plan.held_out.at_least <= plan.held_out.loss);
    CHECK(*plan.held_out.at_most >= plan.held_out.loss);
    const compressed_model small = apply(plan);
    const backend::any cpu = backend::cpu{};
    const model_results want = run_samples(g, weights, fresh, cpu);
    const model_results got = run_samples(small.graph, small.weights, fresh, cpu);
    int within = 0;
    for (std::size_t run = 0; run < want.size(); ++run) {
        const double loss = relative_error({want[run]}, {got[run]});
        within += loss >= *plan.held_out.at_least && loss <= *plan.held_out.at_most ? 1 : 0;
    }
    CHECK(within >= 75); // 90 are expected, of a bound that 4 runs gave
    CHECK(has(compression_report(plan), "on 4 runs that nothing was chosen by: loss "));
    CHECK(has(compression_report(plan), "nine of ten runs lose from "));

    const compression_plan one = choose_compression(g, weights, h13, random_samples(1, 256, 24), {.most_loss = 0.1});
    CHECK(one.held_out.runs == 0);
    CHECK(has(compression_report(one), "no runs were held out"));
    const compression_plan two = choose_compression(g, weights, h13, random_samples(2, 256, 25), {.most_loss = 0.1});
    CHECK(two.held_out.runs == 1);
    CHECK_FALSE(two.held_out.at_most);
    // With a calibration of the caller all samples are the gate's, and runs are held out where they are given.
    compression_options options{.most_loss = 0.1, .calibration = &samples};
    CHECK(choose_compression(g, weights, h13, samples, options).held_out.runs == 0);
    options.held_out = &fresh;
    const compression_plan given = choose_compression(g, weights, h13, samples, options);
    CHECK(given.held_out.runs == 100);
    CHECK(given.after.loss != given.held_out.loss);
}

TEST_CASE("compress: over several models and samples the interval holds nine times of ten") {
    const dynamic_graph g = two_layers();
    const backend::any cpu = backend::cpu{};
    constexpr unsigned plans = 6;
    constexpr std::size_t runs = 50;
    std::size_t within = 0;
    for (unsigned seed = 0; seed < plans; ++seed) {
        const weight_store weights = random_weights(g, 100 + seed);
        const model_samples samples = random_samples(32, 256, 200 + seed); // of which 8 are held out
        const model_samples fresh = random_samples(runs, 256, 300 + seed);
        const compression_plan plan = choose_compression(g, weights, h13, samples, {.most_loss = 0.1});
        REQUIRE(plan.held_out.at_least);
        const compressed_model small = apply(plan);
        const model_results want = run_samples(g, weights, fresh, cpu);
        const model_results got = run_samples(small.graph, small.weights, fresh, cpu);
        for (std::size_t run = 0; run < runs; ++run) {
            const double loss = relative_error({want[run]}, {got[run]});
            within += loss >= *plan.held_out.at_least && loss <= *plan.held_out.at_most ? 1 : 0;
        }
    }
    // The ends themselves are estimates: of six plans the share is 0.9 within 0.06.
    const double share = static_cast<double>(within) / (plans * runs);
    CAPTURE(share);
    CHECK(share > 0.84);
    CHECK(share < 0.96);
}

TEST_CASE("compress: the interval of a further loss") {
    CHECK_FALSE(compress::interval_of_next(std::vector<double>{0.1}));
    CHECK_FALSE(compress::interval_of_next(std::vector<double>{0.1, std::numeric_limits<double>::infinity()}));
    const auto same = compress::interval_of_next(std::vector<double>{0.1, 0.1, 0.1});
    REQUIRE(same);
    CHECK(same->at_least == doctest::Approx(0.1));
    CHECK(same->at_most == doctest::Approx(0.1));
    // mean 2, deviation 1, t = 2.920 of two degrees of freedom: 2.920 * sqrt(4 / 3) = 3.372
    const auto three = compress::interval_of_next(std::vector<double>{1, 2, 3});
    REQUIRE(three);
    CHECK(three->at_least == 0); // losses are not negative
    CHECK(three->at_most == doctest::Approx(5.372).epsilon(1e-3));
    CHECK(compress::student_quantile(10) == doctest::Approx(1.812).epsilon(0.01));
    CHECK(compress::student_quantile(30) == doctest::Approx(1.697).epsilon(0.01));
}

TEST_CASE("compress: the same arguments give the same plan") {
    const dynamic_graph g = two_layers();
    const weight_store weights = random_weights(g, 5);
    const model_samples samples = random_samples(6, 256, 6);
    const compression_plan a = choose_compression(g, weights, h13, samples, {.most_loss = 0.05});
    const compression_plan b = choose_compression(g, weights, h13, samples, {.most_loss = 0.05});
    CHECK(compression_report(a) == compression_report(b));
    CHECK(draw_pareto(a) == draw_pareto(b));
    CHECK(apply(a).weights == apply(b).weights);
    CHECK(a.runs == b.runs);
}

TEST_CASE("compress: error feedback is kept where it moves the outputs less, else not") {
    const dynamic_graph g = two_layers();
    const weight_store weights = random_weights(g, 7);
    const model_samples samples = random_samples(40, 256, 8);
    const compression_plan with = choose_compression(g, weights, h13, samples, {.most_loss = 0.5});
    const compression_plan without =
        choose_compression(g, weights, h13, samples, {.most_loss = 0.5, .error_feedback = false});
    int kept = 0;
    for (std::size_t w = 0; w < 2; ++w) {
        for (std::size_t c = 1; c < with.weights[w].candidates.size(); ++c) {
            const stored_candidate& fed = with.weights[w].candidates[c];
            const stored_candidate& nearest = without.weights[w].candidates[c];
            if (!fed.usable()) {
                continue;
            }
            CHECK(fed.output_error <= fed.nearest_error);
            CHECK(fed.nearest_error == nearest.output_error);
            CHECK(fed.fed_back == (fed.output_error < fed.nearest_error));
            CHECK(!nearest.fed_back);
            kept += fed.fed_back ? 1 : 0;
        }
    }
    CHECK(kept > 0);
}

TEST_CASE("compress: the model that comes of it is emitted with its forms, and runs as the plan says on the oracle") {
    const dynamic_graph g = two_layers();
    const weight_store weights = random_weights(g, 9);
    const model_samples samples = random_samples(6, 256, 10);
    const backend::any oracle = backend::oracle(h13);
    const compression_plan plan = choose_compression(
        g, weights, h13, samples,
        {.most_loss = 0.5, .required = {{"up.weight", palette<4>}, {"down.weight", affine_int8}}, .place = &oracle});
    const compressed_model small = apply(plan);
    const lowered_graph lowered = lower(small.graph);
    const folded_constants constants = fold_constants(lowered.graph, small.weights);
    const mil_program mil = emit_mil(lowered.graph, constants);
    CHECK(has(mil.text, "constexpr_lut_to_dense"));
    CHECK(has(mil.text, "constexpr_affine_dequantize"));
    const lowered_graph dense = lower(g);
    const auto dense_bytes = emit_mil(dense.graph, fold_constants(dense.graph, weights)).weights.bytes().size();
    const auto saved = static_cast<std::int64_t>(dense_bytes - mil.weights.bytes().size());
    CHECK(saved <= plan.before.bytes - plan.after.bytes);              // each part has a head of 64 bytes and begins at
    CHECK(saved >= plan.before.bytes - plan.after.bytes - 4 * 2 * 64); // a multiple of these
    CHECK_NOTHROW(emit_netplist(lowered.graph, constants));

    // The values of the store encode to those of the plan: an index for each of at most 16 values.
    const std::vector<half> up = to_half(small.weights.at("up.weight"));
    const auto bits_of = [](const std::vector<half>& values) {
        std::vector<std::uint16_t> bits;
        for (const half v : values) {
            bits.push_back(v.bits);
        }
        std::sort(bits.begin(), bits.end());
        bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
        return bits;
    };
    CHECK(bits_of(stored_values(up, {32, 64}, palette<4>)).size() <= 16);
    CHECK(small.weights.at("up.bias") == weights.at("up.bias"));
}

TEST_CASE("compress: a plan's choices can be changed before they are applied") {
    const dynamic_graph g = two_layers();
    compression_plan plan =
        choose_compression(g, random_weights(g, 11), h13, random_samples(4, 256, 12), {.most_loss = 0.5});
    plan.weights[0].chosen = 0;
    plan.weights[1].chosen = 0;
    const compressed_model same = apply(plan);
    CHECK(same.graph.nodes.size() == plan.model.nodes.size());
    CHECK(same.weights == plan.store);
    plan.weights[0].chosen = 99;
    CHECK_THROWS_AS(apply(plan), error);
    for (std::size_t c = 1; c < plan.weights[0].candidates.size(); ++c) {
        if (!plan.weights[0].candidates[c].refused.empty()) {
            plan.weights[0].chosen = c;
        }
    }
    REQUIRE(!plan.weights[0].form().refused.empty());
    CHECK_THROWS_AS(apply(plan), error);
}

TEST_CASE("compress: by time, forms that the target expands are passed over, and small layers are left alone") {
    dynamic_builder b;
    auto x = b.input("x", {1, 1024});
    auto h = b.add(op::linear, {x, b.weight("large", {1024, 1024})});
    b.output("y", b.add(op::linear, {h, b.weight("small", {4, 1024})}));
    const dynamic_graph g = b.finish();
    const weight_store weights = random_weights(g, 13);
    const model_samples samples = random_samples(2, 1024, 14);
    compression_options options{
        .goal = compression_goal::time, .most_loss = 0.9, .forms = {affine_int8, palette<4>}, .error_feedback = false};
    const compression_plan m1 = choose_compression(g, weights, h13, samples, options);
    CHECK(has(candidate_of(m1, 0, affine_int8).passed_over, "expanded"));
    CHECK(!candidate_of(m1, 0, affine_int8).streams);
    CHECK(candidate_of(m1, 0, palette<4>).streams);
    REQUIRE(m1.weights[0].form().form);
    CHECK(m1.weights[0].form().form->form == weight_form::palette);
    CHECK(*m1.after.seconds < *m1.before.seconds);
    options.forms = {affine_int8};
    const compression_plan m2 = choose_compression(g, weights, h14, samples, options); // streams int8
    REQUIRE(m2.weights[0].form().form);
    CHECK(m2.weights[0].form().streams);
    CHECK(*m2.after.seconds < *m2.before.seconds);
}

TEST_CASE("compress: what a target or a file cannot hold is refused with its reason") {
    compression_options options{.most_loss = 0.9};
    const auto required = [&](const compression& form) {
        compression_options o = options;
        o.required = {{"up.weight", form}};
        return o;
    };
    CHECK(has(refusal_of(required(palette<3>)), "argument: up.weight: cannot be stored as palette of 3 bits: palettes "
                                                "of 3 bits are not supported; palettes of 4 bits are on h13"));
    CHECK(has(refusal_of(required(blockwise<32>)), "an ML package holds the form"));
    CHECK(has(refusal_of(required({.form = weight_form::affine, .bits = 8, .zero_point = true})), "zero point"));
    CHECK(has(refusal_of(required({.form = weight_form::palette, .bits = 5})), "got 5"));
    options.file = weight_file::mil_every_form;
    CHECK(refusal_of(required(blockwise<32>)) == "nothing");
    CHECK(has(refusal_of(required(blockwise<24>)), "(got 64, limit 24)")); // other blocks are not put in its place
    options.file = weight_file::netplist;
    CHECK(has(refusal_of(required(palette<4>)), "a netplist holds weights of 16 bits alone, not of 4"));
    CHECK(refusal_of(options) == "nothing"); // nothing is compressed then
    options.file = weight_file::mil;
    options.required = {{"up.weight", std::nullopt}};
    CHECK(refusal_of(options) == "nothing");
}

TEST_CASE("compress: bad arguments are errors that name the thing, the value and the limit") {
    CHECK(has(refusal_of({.most_loss = -1}), "most_loss: is -1, the limit is a finite number from 0 on"));
    CHECK(has(refusal_of({.most_loss = std::nan("")}), "most_loss: is nan"));
    CHECK(has(refusal_of({.most_loss = std::numeric_limits<double>::infinity()}), "most_loss: is inf"));
    CHECK(has(refusal_of({}, h13, {}), "samples: there are 0 runs: at least 1"));
    CHECK(has(refusal_of({.required = {{"none", palette<4>}}}), "none: has a required form, but is not a weight"));
    CHECK(has(refusal_of({.required = {{"up.bias", palette<4>}}}), "up.bias: has a required form, but not every"));
    CHECK(has(refusal_of({.required = {{"up.weight", palette<4>}, {"up.weight", palette<8>}}}), "2 required forms"));
    CHECK(has(refusal_of({.most_loss = 1e-9, .required = {{"up.weight", palette<4>}}}), "required forms: the loss is"));
    const dynamic_graph g = two_layers();
    CHECK_THROWS_AS(choose_compression(g, {}, h13, random_samples(2, 256, 1)), error);                   // no weights
    CHECK_THROWS_AS(choose_compression(g, random_weights(g, 1), h13, random_samples(2, 255, 1)), error); // no input
}

TEST_CASE("compress: weights that are stored already, tied, or read by others than products stay as they are") {
    dynamic_builder b;
    auto x = b.input("x", {2, 16});
    auto w = b.weight("stored", {16, 16});
    auto table = b.weight("added", {2, 16});
    auto y = b.add(op::linear, {x, b.add(op::compressed, {w}, affine_int8)});
    auto tied = b.weight("tied", {16, 16});
    y = b.add(op::linear, {b.add(op::linear, {y, tied}), tied});
    b.output("y", b.add(op::add, {y, table}));
    const dynamic_graph g = b.finish();
    const compression_plan plan = choose_compression(g, random_weights(g, 2), h13, random_samples(2, 32, 3),
                                                     {.most_loss = 0.5, .forms = {palette<4>, affine_int8}});
    REQUIRE(plan.weights.size() == 1);
    CHECK(plan.weights[0].name == "tied");
    CHECK(!plan.weights[0].form().fed_back); // two readers, two sorts of activations
    CHECK(plan.other_bytes == (256 + 2 * 16) + 2 * 32);
    CHECK(apply(plan).graph.nodes.size() == g.nodes.size() + 1);
}

TEST_CASE("compress: a weight that meets a constant or another weight learns nothing from runs") {
    for (const bool is_constant : {false, true}) {
        for (const bool is_convolution : {false, true}) {
            CAPTURE(is_constant);
            CAPTURE(is_convolution);
            const extents met = is_convolution ? extents{1, 2, 4, 4} : extents{4, 16};
            dynamic_builder b;
            auto x = b.input("x", {1, 16});
            auto first = is_constant ? b.constant(met, std::vector<float>(static_cast<std::size_t>(met.count()), 0.5F))
                                     : b.weight("first", met);
            auto y = is_convolution ? b.add(op::conv2d, {first, b.weight("w", {8, 2, 1, 1})}, conv{})
                                    : b.add(op::linear, {first, b.weight("w", {16, 16})});
            b.output("y", b.add(op::mul, {is_convolution ? b.reshape(y, {8, 16}) : y, x}));
            const dynamic_graph g = b.finish();
            const compression_plan plan = choose_compression(g, random_weights(g, 2), h13, random_samples(2, 16, 3),
                                                             {.most_loss = 0.5, .forms = {palette<4>, affine_int8}});
            REQUIRE(plan.weights.size() == 1);
            CHECK(plan.weights[0].name == "w");
            for (const stored_candidate& each : plan.weights[0].candidates) {
                CHECK(!each.fed_back);
            }
        }
    }
}

TEST_CASE("compress: zeros are kept as a mask where half and more are zero, without loss") {
    dynamic_builder b;
    b.output("y", b.add(op::linear, {b.input("x", {1, 64}), b.weight("w", {32, 64})}));
    const dynamic_graph g = b.finish();
    std::vector<float> values(32 * 64, 0.0F);
    std::mt19937 random(4);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < values.size(); i += 4) {
        values[i] = normal(random);
    }
    weight_store weights;
    weights.add("w", {32, 64}, std::span<const float>(values));
    const compression_plan plan = choose_compression(g, weights, h13, random_samples(4, 64, 5), {.most_loss = 0});
    REQUIRE(plan.weights[0].form().form);
    CHECK(plan.weights[0].form().form->form == weight_form::sparse);
    CHECK(plan.after.bytes == 32 * 64 / 8 + 2 * 32 * 64 / 4);
    CHECK(plan.after.loss == 0);
    CHECK(draw_pareto(plan).size() > 0);
}
