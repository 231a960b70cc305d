// The vendor's guidance is told on request alone, apart from what is refused or wrong; what single programs met in 2026 is
// told on the generation that it was measured on.

#include "anemone/rules/vendor.hpp"

#include "anemone/dynamic_builder.hpp"
#include "anemone/rewrites/registry.hpp"
#include "anemone/rules/evaluate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace ane;

namespace {

std::set<std::string> told(const graph_view& g, target t, const policy& p = {}) {
    std::set<std::string> names;
    for (const violation& v : violations(g, t, p)) {
        names.insert(std::string(name(v.rule)));
    }
    return names;
}

/// A decoder's layer as the vendor would not have it.
dynamic_graph against_the_vendor() {
    dynamic_builder b;
    const auto x = b.input("x", {1, 128, 24});
    const auto place = b.input("place", {128});
    const auto cache = b.input("cache", {1, 4, 32, 24});
    b.keep(cache, b.add(op::relu, {cache}));
    const auto squares = b.add(op::reduce_mean, {b.add(op::square, {x})}, axes{2});
    const auto y =
        b.add(op::linear, {b.add(op::mul, {x, b.add(op::rsqrt, {squares}, stabilizer{})}), b.weight("w", {24, 24})});
    const auto turned = b.add(op::transpose, {y}, permutation{0, 2, 1});
    b.output("weights", b.add(op::softmax, {turned}, axis{2}));
    b.output("rotary", b.add(op::gather, {b.weight("table", {64, 8}), place}, axis{0}));
    b.output("pooled", b.add(op::avg_pool, {b.input("image", {1, 8, 9, 64})}, pool{.kernel = 3, .stride = 3}));
    const auto q = b.input("q", {1, 4, 128, 32});
    b.output("attended", b.add(op::attention, {q, q, q}, score_scaling{0.25F}));
    return b.finish();
}

} // namespace

TEST_CASE("each line of the vendor's guidance is told on request") {
    const dynamic_graph g = against_the_vendor();
    const std::set<std::string> asked = told(g, h17s, of_vendor());
    for (const rule_record& r : rules::vendor) {
        CHECK_MESSAGE(asked.count(name(r.id).data()) == 1, std::string(name(r.id)));
        CHECK(r.level == severity::note);
        CHECK(r.evidence == mark::predicted); // said, not measured
    }
    for (const violation& v : violations(g, h17s, of_vendor())) {
        CHECK((record_of(v.rule).of_vendor || v.is_error));
    }
    for (const violation& v : violations(g, h17s)) {
        CHECK_FALSE(record_of(v.rule).of_vendor);
    }
}

TEST_CASE("a model that follows the guidance hears nothing, and what is refused is told as ever") {
    dynamic_builder b;
    const auto x = b.input("x", {1, 64, 1, 64});
    const auto y = b.add(op::conv2d, {x, b.weight("w", {64, 64, 1, 1})}, conv{});
    b.output("y", b.add(op::softmax, {y}, axis{1}));
    CHECK(told(b.finish(), h17s, of_vendor()).empty());
    dynamic_builder wide;
    wide.output("y",
                wide.add(op::conv2d, {wide.input("x", {1, 64, 64, 64}), wide.weight("w", {64, 64, 1, 17})}, conv{}));
    CHECK(told(wide.finish(), h17s, of_vendor()).count("kernel_width_exceeds") == 1);
}

TEST_CASE("ports: powers of two from 64 bytes on") {
    const auto port = [](std::int64_t width) {
        dynamic_builder b;
        b.output("y", b.add(op::relu, {b.input("x", {4, width})}));
        return told(b.finish(), h17s, of_vendor()).count("port_width_is_padded");
    };
    CHECK(port(32) == 0);
    CHECK(port(31) == 1);
    CHECK(port(1) == 1);
    CHECK(port(48) == 1);
    CHECK(port(128) == 0);
}

TEST_CASE("field: told on the generation that was measured") {
    dynamic_builder b;
    const auto x = b.input("x", {1, 4, 4, 8});
    const auto many = b.input("many", {2, 4, 4, 8});
    b.output("tiled", b.add(op::tile, {x}, repeats{1, 2, 1, 1}));
    b.output("product", b.add(op::relu, {b.add(op::mul, {b.add(op::relu, {x}), many})}));
    const dynamic_graph g = b.finish();
    for (const char* const name : {"tile_ends_the_process", "product_repeats_the_batch"}) {
        CAPTURE(name);
        CHECK(told(g, h15).count(name) == 1);
        CHECK(told(g, h13).count(name) == 0);
        CHECK(told(g, h17s).count(name) == 0);
    }
}

TEST_CASE("field: whole decoders on the M5, from contexts that were measured on") {
    const auto cached = [](std::int64_t queries, std::int64_t keys) {
        dynamic_builder b;
        const auto k = b.input("k", {1, 8, keys, 64});
        b.output("y", b.add(op::attention, {b.input("q", {1, 8, queries, 64}), k, b.input("v", {1, 8, keys, 64})},
                            score_scaling{0.125F}));
        return b.finish();
    };
    CHECK(told(cached(8, 2048), h17s).count("whole_decoder_runs_faster_on_gpu") == 1);
    CHECK(told(cached(64, 500), h17s).count("whole_decoder_runs_faster_on_gpu") == 1);
    CHECK(told(cached(65, 500), h17s).count("whole_decoder_runs_faster_on_gpu") == 0);
    CHECK(told(cached(8, 499), h17s).count("whole_decoder_runs_faster_on_gpu") == 0);
    CHECK(told(cached(8, 2048), h13).count("whole_decoder_runs_faster_on_gpu") == 0);
}

TEST_CASE("the page of what the vendor asks names rules and rewrites that there are, and each rule of the vendor") {
    std::ifstream file(std::string(ANEMONE_TEST_DATA) + "/../docs/checks.md");
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const std::size_t from = all.find("## What the vendor asks");
    REQUIRE(from != std::string::npos);
    const std::string page = all.substr(from);
    for (const rule_record& r : rules::vendor) {
        CHECK_MESSAGE(page.find("rules/" + std::string(name(r.id)) + ".md") != std::string::npos,
                      std::string(name(r.id)));
    }
    for (const rule_record& r : rules::field) {
        CHECK_MESSAGE(page.find("rules/" + std::string(name(r.id)) + ".md") != std::string::npos,
                      std::string(name(r.id)));
    }
    std::size_t links = 0;
    for (std::size_t at = page.find("](rules/"); at != std::string::npos; at = page.find("](rules/", at + 1), ++links) {
        const std::string linked = page.substr(at + 8, page.find(".md)", at) - at - 8);
        bool is_rule = false;
        for (std::size_t r = 0; r < rule_count; ++r) {
            is_rule = is_rule || linked == name(static_cast<rule>(r));
        }
        CHECK_MESSAGE(is_rule, linked);
    }
    CHECK(links > 15);
    for (const char* const rewrite : {"transformer_for_engine", "whole_norms", "channels_first", "cancel_transposes"}) {
        CHECK_MESSAGE(page.find('`' + std::string(rewrite) + '`') != std::string::npos, rewrite);
        CHECK(
            std::ranges::any_of(rewrite_table, [&](const rewrite_record& r) { return std::string(r.id) == rewrite; }));
    }
}
