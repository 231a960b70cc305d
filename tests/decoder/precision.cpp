// Which parts of a decoder fp16 spoils: against logits that are written here in double precision, and where something breaks
// that was put there.

#include "../from_environment.hpp"
#include "../models/small_decoders.hpp"
#include "small_decoder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/decoder/precision.hpp>
#include <anemone/models/decoder_graph.hpp>
#include <anemone/models/decoder_inputs.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

using token_text = std::vector<token_id>;

token_text text_of(std::int64_t vocabulary, std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    token_text made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(static_cast<token_id>(random() % static_cast<unsigned>(vocabulary)));
    }
    return made;
}

/// Random weights of any family, with an embedding whose rows are apart.
weight_store weights_of_family(const models::decoder_configuration& c, std::uint64_t seed, double mean = 0) {
    weight_store w = random_weights(models::decoder_graph(c, {.positions = 1, .capacity = 0}), seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<double> drawn(mean, 1);
    const auto add = [&](std::string_view published, std::int64_t rows) {
        const sequence<char> found = models::weight_name(std::string(published) + ".weight");
        const std::string name(found.data(), found.size());
        std::vector<half> values;
        for (std::int64_t i = 0; i < rows * c.width; ++i) {
            values.emplace_back(drawn(random));
        }
        if (!w.contains(name)) {
            w.add(name, {rows, c.width}, std::span<const half>(values));
        }
    };
    add(models::names_of(c.kind).embedding, c.vocabulary);
    if (c.kind == models::family::gpt2) {
        add(models::names_of(c.kind).position_embedding, c.positions);
    }
    return w;
}

/// The same weights with all elements of those whose name ends so times a factor.
weight_store with_times(const weight_store& from, std::string_view ending, double factor) {
    weight_store made;
    for (const stored_tensor& t : from) {
        std::vector<float> values = to_float(t);
        for (float& each : values) {
            each = std::string_view(t.name).ends_with(ending) ? static_cast<float>(each * factor) : each;
        }
        made.add(t.name, t.shape, std::span<const float>(values));
    }
    return made;
}

/// KL divergence and flips, from their definitions.
logit_error told(const std::vector<small_decoder::row>& exact, const std::vector<small_decoder::row>& got) {
    logit_error e;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        long double of_p = 0;
        long double of_q = 0;
        for (std::size_t k = 0; k < exact[i].size(); ++k) {
            of_p += std::exp(static_cast<long double>(exact[i][k]));
            of_q += std::exp(static_cast<long double>(got[i][k]));
        }
        long double kl = 0;
        for (std::size_t k = 0; k < exact[i].size(); ++k) {
            const long double p = std::exp(static_cast<long double>(exact[i][k])) / of_p;
            kl += p * std::log(p / (std::exp(static_cast<long double>(got[i][k])) / of_q));
        }
        e.mean_kl += static_cast<double>(kl) / static_cast<double>(exact.size());
        e.worst_kl = std::max(e.worst_kl, static_cast<double>(kl));
        const auto most = [](const small_decoder::row& r) { return std::max_element(r.begin(), r.end()) - r.begin(); };
        e.flips += most(exact[i]) == most(got[i]) ? 0 : 1;
    }
    return e;
}

/// The logits of a text by a backend's program of the whole model.
template <class Backend>
std::vector<small_decoder::row> logits_by(const Backend& place, const models::decoder_configuration& c,
                                          const weight_store& w, const token_text& of) {
    const auto length = static_cast<std::int64_t>(of.size());
    const models::decoder_form form{.positions = length, .capacity = 0};
    const dynamic_graph g = models::decoder_graph(c, form);
    std::vector<half> x;
    const std::vector<double> table = to_double(w.at("model_embed_tokens_weight"));
    for (const token_id token : of) {
        for (std::int64_t k = 0; k < c.width; ++k) {
            x.emplace_back(table[static_cast<std::size_t>(token * c.width + k)]);
        }
    }
    std::vector<float> cosines(static_cast<std::size_t>(length * c.head_width));
    std::vector<float> sines(cosines.size());
    std::vector<float> mask(static_cast<std::size_t>(length * length));
    models::rotary_tables(c.rotary, c.head_width, 0, cosines, sines);
    models::causal_mask(form, 0, 0, mask);
    const std::vector<half> tables[] = {
        x, {cosines.begin(), cosines.end()}, {sines.begin(), sines.end()}, {mask.begin(), mask.end()}};
    std::vector<std::span<const std::byte>> inputs;
    for (const std::vector<half>& each : tables) {
        inputs.push_back(std::as_bytes(std::span(each)));
    }
    std::vector<std::vector<half>> memory;
    for (const output_port& port : g.outputs) {
        memory.emplace_back(static_cast<std::size_t>(g.nodes[static_cast<std::size_t>(port.node)].shape.count()));
    }
    std::vector<std::span<std::byte>> outputs;
    for (std::vector<half>& each : memory) {
        outputs.push_back(std::as_writable_bytes(std::span(each)));
    }
    place.compile(g, weights_for(g, w)).run(inputs, outputs);
    std::vector<small_decoder::row> rows;
    for (std::int64_t i = 0; i < length; ++i) {
        const auto begin = memory.back().begin() + i * c.vocabulary;
        rows.emplace_back(begin, begin + c.vocabulary);
    }
    return rows;
}

const part_effect& effect(const precision_report& r, decoder_part part) {
    return *std::find_if(r.parts.begin(), r.parts.end(), [&](const part_effect& e) { return e.part == part; });
}
const precision_proposal* proposal(const precision_report& r, precision_change kind) {
    const auto found = std::find_if(r.proposals.begin(), r.proposals.end(),
                                    [&](const precision_proposal& p) { return p.kind == kind; });
    return found == r.proposals.end() ? nullptr : &*found;
}
std::string refusal(const models::decoder_configuration& c, const weight_store& w, const std::vector<token_text>& texts,
                    const precision_options& how = {}) {
    try {
        measure_precision(c, w, texts, backend::cpu{}, how);
    } catch (const error& e) {
        return e.what();
    }
    return "measured";
}

} // namespace

TEST_CASE("what a decoder's arithmetic costs is what its programs give beside double precision") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, from_environment::seed());
    const token_text t = text_of(c.vocabulary, 24, from_environment::seed());
    const std::vector<small_decoder::row> exact = small_decoder::reference(c, w, t);
    const auto agrees = [&](const precision_report& r, const std::vector<small_decoder::row>& got) {
        const logit_error wanted = told(exact, got);
        CHECK(r.whole.positions == 24);
        CHECK(r.whole.flips == wanted.flips);
        CHECK(r.whole.not_finite == 0);
        CHECK(r.whole.mean_kl == doctest::Approx(wanted.mean_kl).epsilon(0.02)); // tables in fp32
        CHECK(r.whole.worst_kl == doctest::Approx(wanted.worst_kl).epsilon(0.02));
        CHECK(r.whole.least_cosine > 0.999);
    };
    const backend::cpu cpu = backend::cpu{}.threads(1).rounding(rounding::each_operation);
    const precision_report on_cpu = measure_precision(c, w, std::vector<token_text>{t}, cpu);
    CHECK(on_cpu.judged == "cpu, fp16");
    agrees(on_cpu, logits_by(cpu, c, w, t));
    for (const target chip : {h13, h17s}) {
        const backend::oracle oracle(chip);
        agrees(measure_precision(c, w, std::vector<token_text>{t}, oracle, {.each_layer = false}),
               logits_by(oracle, c, w, t));
    }
    // All parts, in the order of the graph; each alone is less than all.
    CHECK(on_cpu.parts.size() == 15);
    CHECK(on_cpu.layers.size() == 2);
    CHECK(on_cpu.first == -1);
    CHECK(on_cpu.errors.front().part == decoder_part::positions);
    CHECK(on_cpu.errors.back().part == decoder_part::head);
    for (const part_effect& each : on_cpu.parts) {
        CAPTURE(name(each.part));
        CHECK(each.alone.positions == 24);
        CHECK((each.alone.mean_kl > 0) == (each.part != decoder_part::embedding)); // whose table is fp16
        CHECK(each.alone.mean_kl < 2 * on_cpu.whole.mean_kl);
    }
    // Of 24 positions in pieces of 7: three of 7 and one of 3, and none sees another.
    const precision_report cut =
        measure_precision(c, w, std::vector<token_text>{t}, cpu, {.context = 7, .each_layer = false});
    CHECK(cut.texts == 4);
    CHECK(cut.whole.positions == 24);
    std::vector<token_text> pieces;
    for (std::size_t i = 0; i < 24; i += 7) {
        pieces.emplace_back(t.begin() + static_cast<std::ptrdiff_t>(i),
                            t.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(24, i + 7)));
    }
    const precision_report apart = measure_precision(c, w, pieces, cpu, {.each_layer = false});
    CHECK(apart.whole.mean_kl == doctest::Approx(cut.whole.mean_kl));
    CHECK(measure_precision(c, w, pieces, cpu, {.positions = 9, .each_layer = false}).whole.positions == 9);
}

TEST_CASE("a projection whose sums leave fp16 is named, in each family, and a power of two restores every token") {
    using models::family;
    for (const family kind : {family::llama, family::gpt2, family::qwen3}) {
        CAPTURE(static_cast<int>(kind));
        models::decoder_configuration c = small_decoders::of(kind);
        c.layers = 2;
        const bool is_gpt2 = kind == family::gpt2;
        const std::string layer = is_gpt2 ? "h_1_" : "model_layers_1_";
        weight_store w =
            with_times(weights_of_family(c, 5), layer + (is_gpt2 ? "mlp_c_fc_weight" : "mlp_up_proj_weight"), 16);
        w = with_times(w, layer + (is_gpt2 ? "mlp_c_proj_weight" : "mlp_down_proj_weight"), 0x1p15);
        const std::vector<token_text> texts = {text_of(c.vocabulary, 12, 3)};
        const precision_report r = measure_precision(c, w, texts, backend::cpu{}.threads(1));
        REQUIRE(r.first >= 0);
        const part_error& first = r.errors[static_cast<std::size_t>(r.first)];
        CHECK(first.layer == 1);
        CHECK(first.part == decoder_part::down);
        CHECK(first.overflows);
        CHECK(first.largest > 65504);
        for (const part_error& each : r.errors) {
            const bool is_there = each.layer == 1 && each.part == decoder_part::down;
            CHECK(each.is_beyond_alone == (is_there || (each.layer == 1 && each.part == decoder_part::residual) ||
                                           (each.layer < 0 && each.part == decoder_part::head && each.overflows)));
        }
        CHECK(effect(r, decoder_part::down).alone.not_finite > 0);
        CHECK(effect(r, decoder_part::query).alone.flips == 0);
        CHECK(effect(r, decoder_part::gate).alone.not_finite == 0);
        CHECK(r.layers[0].alone.not_finite == 0);
        CHECK(r.layers[1].alone.not_finite > 0);
        CHECK(r.whole.flips > 0);
        const precision_proposal* const scaled = proposal(r, precision_change::scaled_sums);
        REQUIRE(scaled != nullptr);
        CHECK(scaled->after.flips == 0);
        CHECK(scaled->scaled > 0);
        CHECK(r.recommended == 0);
        CHECK(r.is_restored());
    }
}

TEST_CASE("small changes of a large residual stream: pairs of fp16 numbers keep them") {
    models::decoder_configuration c = small_decoders::llama;
    c.layers = 8;
    c.vocabulary = 128;
    weight_store w = weights_of_family(c, 11, 16); // what all tokens have in common makes the stream large
    w = with_times(w, "o_proj_weight", 0.1);
    w = with_times(w, "down_proj_weight", 0.1);
    w = with_times(w, "lm_head_weight", 16);
    std::vector<token_text> texts;
    for (unsigned seed = 0; seed < 2; ++seed) {
        texts.push_back(text_of(c.vocabulary, 32, seed));
    }
    const precision_report r =
        measure_precision(c, w, texts, backend::oracle(h13), {.always_proposes = true, .each_layer = false});
    const double residual = effect(r, decoder_part::residual).alone.mean_kl;
    CHECK(residual > r.whole.mean_kl / 2);
    for (const part_effect& each : r.parts) {
        if (each.part != decoder_part::residual && each.part != decoder_part::head) {
            CAPTURE(name(each.part));
            CHECK(each.alone.mean_kl < residual / 10);
        }
    }
    const precision_proposal* const paired = proposal(r, precision_change::paired_residual);
    REQUIRE(paired != nullptr);
    CHECK(paired->after.mean_kl < r.whole.mean_kl / 2);
    CHECK(paired->added_operations == 16 * 9 - 3); // nothing to add at the first sum, nothing to keep at the last one
    const auto host = std::find_if(r.proposals.begin(), r.proposals.end(), [](const precision_proposal& p) {
        return p.on_host == std::vector{decoder_part::residual};
    });
    REQUIRE(host != r.proposals.end());
    CHECK(host->host_operations == 16);
    CHECK(host->after.mean_kl < r.whole.mean_kl / 2);
    CHECK((r.whole.flips == 0) == (r.recommended < 0));
}

TEST_CASE("texts and options that precision is not measured on are refused by name") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, 1);
    CHECK(refusal(c, w, {}).find("there are none") != std::string::npos);
    CHECK(refusal(c, w, {{}}).find("there are none") != std::string::npos);
    CHECK(refusal(c, w, {{1, 2}, {3, 61}}).find("token 1 of text 1: is 61, must be from 0 to 60") != std::string::npos);
    CHECK(refusal(c, w, {{-1}}).find("is -1") != std::string::npos);
    CHECK(refusal(c, w, {{1}}, {.context = 0}).find("context: is 0") != std::string::npos);
    CHECK(refusal(c, w, {{1}}, {.positions = -1}).find("positions: is -1") != std::string::npos);
    CHECK(refusal(c, w, {{1}}, {.bound = {.relative = -1}}).find("bound: is -1") != std::string::npos);
    weight_store less;
    for (const stored_tensor& t : w) {
        if (t.name != "lm_head_weight") {
            less.add(t);
        }
    }
    CHECK(refusal(c, less, {{1}}).find("lm_head_weight") != std::string::npos);
    const models::decoder_configuration learned = small_decoders::of(models::family::gpt2);
    CHECK(refusal(learned, weights_of_family(learned, 1), {token_text(65, 1)}).find("has learned 64 positions") !=
          std::string::npos);
}
