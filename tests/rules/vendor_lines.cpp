// The tables of docs/checks.md on what the vendor asks and what others met in 2026: each row has a small model for which its
// rule is told, or says why there is no rule. The rows are the lines of sections 2 to 4 of the facts.

#include "anemone/dynamic_builder.hpp"
#include "anemone/rewrites/registry.hpp"
#include "anemone/rules/evaluate.hpp"
#include "anemone/rules/vendor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// A row of the tables by the beginning of its first cell.
struct guidance_line {
    std::string begins;
    std::string rule;              ///< that a model breaks; empty: the row has a reason or a rewrite instead
    dynamic_graph (*model)() = {}; ///< nullptr: the rule is held elsewhere, by the driver or the loader
    target on = h17s;
};

dynamic_graph rank_of_six() {
    dynamic_builder b;
    b.output("y", b.add(op::relu, {b.input("x", {1, 2, 3, 4, 5, 32})}));
    return b.finish();
}
dynamic_graph narrow_port() {
    dynamic_builder b;
    b.output("y", b.add(op::relu, {b.input("x", {4, 1})}));
    return b.finish();
}
dynamic_graph product_of_matrices() {
    dynamic_builder b;
    b.output("y", b.add(op::linear, {b.input("x", {64, 64}), b.weight("w", {64, 64})}));
    return b.finish();
}
dynamic_graph norm_in_parts() {
    dynamic_builder b;
    const auto x = b.input("x", {1, 64, 32});
    const auto mean = b.add(op::reduce_mean, {b.add(op::square, {x})}, axes{2});
    b.output("y", b.add(op::mul, {x, b.add(op::rsqrt, {mean}, stabilizer{})}));
    return b.finish();
}
dynamic_graph softmax_of_the_width() {
    dynamic_builder b;
    b.output("y", b.add(op::softmax, {b.input("x", {1, 4, 64, 64})}, axis{-1}));
    return b.finish();
}
dynamic_graph pool_by_three() {
    dynamic_builder b;
    b.output("y", b.add(op::max_pool, {b.input("x", {1, 8, 96, 96})}, pool{.kernel = 3, .stride = 3}));
    return b.finish();
}
dynamic_graph attention_over(std::int64_t heads, std::int64_t queries, std::int64_t keys) {
    dynamic_builder b;
    const auto k = b.input("k", {1, heads, keys, 64});
    b.output("y", b.add(op::attention, {b.input("q", {1, heads, queries, 64}), k, b.input("v", {1, heads, keys, 64})},
                        score_scaling{0.125F}));
    return b.finish();
}
dynamic_graph four_heads() { return attention_over(4, 64, 64); }
dynamic_graph one_query() { return attention_over(4, 1, 64); }
dynamic_graph long_prompt() { return attention_over(4, 128, 128); }
dynamic_graph decoder_step() { return attention_over(8, 8, 2048); }
dynamic_graph written_cache() {
    dynamic_builder b;
    const auto cache = b.input("cache", {1, 4, 32, 64});
    b.keep(cache, b.add(op::relu, {cache}));
    b.output("y", b.add(op::exp, {cache}));
    return b.finish();
}
dynamic_graph narrow_state() {
    dynamic_builder b;
    const auto cache = b.input("cache", {1, 4, 32, 24});
    b.keep(cache, b.add(op::relu, {cache}));
    b.output("y", b.add(op::exp, {cache}));
    return b.finish();
}
dynamic_graph gathered_table() {
    dynamic_builder b;
    b.output("y", b.add(op::gather, {b.weight("table", {64, 32}), b.input("place", {64})}, axis{0}));
    return b.finish();
}
dynamic_graph with_tile() {
    dynamic_builder b;
    b.output("y", b.add(op::tile, {b.input("x", {1, 4, 4, 32})}, repeats{1, 2, 1, 1}));
    return b.finish();
}
dynamic_graph computed_kernel() {
    dynamic_builder b;
    b.output("y", b.add(op::conv2d, {b.input("x", {1, 8, 32, 32}), b.input("w", {8, 8, 3, 3})}, conv{}));
    return b.finish();
}
dynamic_graph repeated_batch() {
    dynamic_builder b;
    const auto once = b.add(op::relu, {b.input("x", {1, 4, 4, 32})});
    b.output("y", b.add(op::relu, {b.add(op::mul, {once, b.input("many", {2, 4, 4, 32})})}));
    return b.finish();
}
dynamic_graph scales_of_blocks() {
    dynamic_builder b;
    const compression blocks{.form = weight_form::blockwise, .bits = 8, .block = 32};
    const auto w = b.add(op::compressed, {b.weight("w", {64, 64})}, blocks);
    b.output("y", b.add(op::linear, {b.input("x", {1, 64}), w}));
    return b.finish();
}

/// In the order of the page.
const std::vector<guidance_line>& guidance_lines() {
    static const std::vector<guidance_line> all{
        {"rank at most 5", "rank_exceeds_five", rank_of_six},
        {"the last axis of ports", "port_width_is_padded", narrow_port},
        {"(batch, channels, 1, sequence)", "product_is_no_convolution", product_of_matrices},
        {"whole norms", "norm_is_written_in_parts", norm_in_parts},
        {"softmax along channels", "softmax_is_not_over_channels", softmax_of_the_width},
        {"strides of 2 and 3", "pool_stride_is_not_two_or_four", pool_by_three},
        {"a kernel of k as two", "", nullptr},
        {"attention head by head", "heads_are_attended_together", four_heads},
        {"masks of -40000", "", nullptr},
        {"caches that the program", "cache_is_written_by_the_program", written_cache},
        {"rotary tables", "table_is_gathered_inside", gathered_table},
        {"prompts in chunks of 64", "prompt_exceeds_a_chunk", long_prompt},
        {"`silu` of fp16", "", nullptr},
        {"surfaces of run-time inputs", "surface_is_narrow", nullptr},
        {"after one run of a program with `tile`", "tile_ends_the_process", with_tile, h15},
        {"a convolution whose weight", "convolution_weight_is_computed", computed_kernel, h15},
        {"a product of a broadcast along N", "product_repeats_the_batch", repeated_batch, h15},
        {"226 programs", "loaded_programs_exceed", nullptr},
        {"60 to 150 ms", "", nullptr},
        {"a token in 216 dispatches", "", nullptr},
        {"1.65 ms for the same", "", nullptr},
        {"a SwiGLU", "", nullptr},
        {"states whose last axis", "state_width_is_not_a_multiple", narrow_state, h16},
        {"an update of a state", "", nullptr},
        {"a two-stage `topk`", "", nullptr},
        {"4-bit palettes", "", nullptr},
        {"blocks of int8", "scales_of_blocks_are_not_applied", scales_of_blocks},
        {"queries of 1 or 2", "attention_has_few_queries", one_query},
        {"169 programs", "whole_decoder_runs_faster_on_gpu", decoder_step},
        {"which unit ran it", "", nullptr},
        {"the compiler's service", "", nullptr},
    };
    return all;
}

/// The rows of the tables below "What the vendor asks".
std::vector<std::string> rows_of_the_page() {
    std::ifstream file(std::string(ANEMONE_TEST_DATA) + "/../docs/checks.md");
    std::vector<std::string> rows;
    bool is_below = false, is_in_table = false;
    for (std::string line; std::getline(file, line);) {
        is_below = is_below || line == "## What the vendor asks";
        const bool is_row = is_below && line.starts_with("| ");
        if (is_row && is_in_table) {
            rows.push_back(line);
        }
        is_in_table = is_below && (line.starts_with("|---") || (is_in_table && is_row));
    }
    return rows;
}

bool is_told(const guidance_line& line) {
    for (const policy& p : {policy{}, of_vendor(), of_own_layers()}) {
        for (const violation& v : violations(line.model(), line.on, p)) {
            if (name(v.rule) == line.rule) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

TEST_CASE("each line of the vendor and of the field has a row, and each row its rule, its rewrite or its reason") {
    const std::vector<std::string> rows = rows_of_the_page();
    REQUIRE(rows.size() == guidance_lines().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const guidance_line& line = guidance_lines()[i];
        CAPTURE(rows[i]);
        CHECK(rows[i].starts_with("| " + line.begins));
        if (line.rule.empty()) {
            const bool has_reason =
                rows[i].find("refused:") != std::string::npos || rows[i].find("recorded") != std::string::npos ||
                rows[i].find("not here:") != std::string::npos || rows[i].find("readers write") != std::string::npos ||
                rows[i].find(".md)") != std::string::npos;
            CHECK(has_reason);
            continue;
        }
        CHECK(rows[i].find("](rules/" + line.rule + ".md)") != std::string::npos);
        CHECK((line.model == nullptr || is_told(line)));
    }
}

TEST_CASE("a rule of these tables that no model breaks is held elsewhere") {
    for (const guidance_line& line : guidance_lines()) {
        if (!line.rule.empty() && line.model == nullptr) {
            CAPTURE(line.rule);
            bool is_held = false;
            for (std::size_t r = 0; r < rule_count; ++r) {
                const rule_record& record = record_of(static_cast<rule>(r));
                is_held = is_held || (name(record.id) == line.rule && record.scope == rule_scope::runtime);
            }
            CHECK(is_held);
        }
    }
}
