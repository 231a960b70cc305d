#pragma once

#include "attention.hpp"

#include <array>

/// Advice: where another device or another form suits better. Notes of single nodes have a check; those of whole models
/// stand in the cost report; the rest is for the reader.
namespace ane::rules {

namespace detail {

/// The longer side of a square operand; 0 where it is not square.
constexpr std::int64_t square_extent(const node& n) {
    return n.shape.rank >= 2 && n.shape.width() == n.shape.height() ? n.shape.width() : 0;
}

} // namespace detail

inline constexpr std::array advice{
    rule_record{.id = rule::large_matmul_runs_faster_on_gpu,
                .fact = "R170",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::matmul, op::linear},
                .sentence = "multiplies with a square matrix of {got}, past the working set above {limit}",
                .reject = "",
                .consequence = "the GPU is 2.8 to 3.0 times as fast (30.9 against 10.2 TFLOP/s)",
                .advice = "the GPU where time counts",
                .source = "guide chapter 11",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    const std::int64_t left = detail::square_extent(s.operand(0));
                    const std::int64_t right = detail::square_extent(s.operand(1));
                    return at_most(left > right ? left : right, 2048);
                }},
    rule_record{.id = rule::long_attention_runs_faster_on_gpu,
                .fact = "R088",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::attention},
                .sentence = "both sequences reach {got}; up to {limit} the engine keeps up with the GPU",
                .reject = "",
                .consequence = "the GPU is about 2.1 times as fast at 512; the engine takes 1.8 times less energy",
                .advice = "the GPU where time counts",
                .source = "guide chapter 11",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding { return at_most(detail::shorter_sequence(s), 511); }},
    rule_record{.id = rule::encoder_batch_runs_faster_on_gpu,
                .fact = "R172",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::attention},
                .sentence = "attention over a batch of {got}; above {limit} the GPU has more throughput",
                .reject = "",
                .consequence = "the GPU has more throughput from a batch of 23 on; the engine takes less energy at any "
                               "batch on three workloads of four",
                .advice = "the GPU where throughput counts",
                .source = "guide chapter 11",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding { return at_most(s.operand(0).shape.batch(), 22); }},
    rule_record{.id = rule::decoding_runs_faster_on_gpu,
                .fact = "R173",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::attention},
                .sentence = "one query meets {got} keys: decoding, a token at a time",
                .reject = "",
                .consequence = "the GPU is 2.7 times as fast and 4.6 times as energy efficient at a batch of 16",
                .advice = "the GPU",
                .source = "guide chapter 14",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const std::int64_t keys = s.operand(1).shape.height();
                    return holds_if(s.operand(0).shape.height() != 1 || keys == 1, keys, 1);
                }},
    // A decoder of 4 billion weights as one program; of others nothing is known.
    rule_record{
        .id = rule::whole_decoder_runs_faster_on_gpu,
        .fact = "field-2026",
        .scope = rule_scope::advice,
        .level = severity::note,
        .ops = {op::attention},
        .sentence = "{got} queries meet more keys: a decoder with a cache",
        .reject = "",
        .consequence = "Qwen3-4B in fp16: the GPU was 2.0 to 3.6 times as fast in decoding, 2.9 to 8.9 times in "
                       "prompts, at contexts of 500 to 8192; the capacity of the cache is paid, not the context",
        .advice = "the GPU where time counts, and a cache no longer than it need be",
        .source = "llms-on-apple-neural-engine, 2026",
        .evidence = mark::measured,
        .silicon = "M5 Pro",
        .check = [](const subject& s) -> finding {
            const std::int64_t queries = s.operand(0).shape.height();
            const std::int64_t keys = s.operand(1).shape.height();
            return holds_if(s.t.tier != family::a17 || queries > 64 || keys < 500 || keys <= queries, queries, 64);
        }},
    rule_record{.id = rule::concat_operands_are_not_two,
                .fact = "R107",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::concat},
                .sentence = "joins {got} tensors; one published reader of netplists expects {limit}",
                .reject = "",
                .advice = "join pairwise where that reader is used",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    return holds_if(s.route != compile_route::netplist || s.operand_count() == 2, s.operand_count(), 2);
                }},
    rule_record{.id = rule::work_is_below_the_dispatch_floor,
                .fact = "R111",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .sentence = "the work takes {got} us, a dispatch {limit} us",
                .reject = "",
                .consequence = "the time is that of a dispatch, whatever is computed",
                .advice = "larger batches, or several steps in one graph",
                .source = "guide chapter 9",
                .evidence = mark::measured,
                .silicon = "M1",
                .held_by = "report/cost_report.hpp"},
    rule_record{.id = rule::tiny_work_runs_faster_on_cpu,
                .fact = "R171",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .sentence = "the work takes {got} us, a dispatch {limit} us",
                .reject = "",
                .consequence = "a product of 64x256x256 takes 26 us on the CPU, 230 us on the engine",
                .advice = "the CPU for work this small",
                .source = "guide chapter 11",
                .evidence = mark::measured,
                .silicon = "M1",
                .held_by = "report/cost_report.hpp"},
    rule_record{.id = rule::sums_are_reassociated,
                .fact = "R160",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .sentence = "a chain of additions is compiled in another order",
                .reject = "",
                .consequence = "31 % of the elements differ by about one ulp, by 7.8e-3 at most",
                .advice = "compare within an ulp; at optimization level 0 the order is kept to the bit",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1"},
    rule_record{.id = rule::order_of_operands_decides_bits,
                .fact = "R195",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .sentence = "the order of the operands of a sum decides its last bits",
                .reject = "",
                .consequence =
                    "partial sums are fixed for each lane: the same values in another order may round otherwise",
                .advice = "keep the order of the graph where bits are compared",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1"},
    rule_record{.id = rule::resize_rounds_by_strategy,
                .fact = "R179",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .sentence = "a resize is compiled in one of three ways, by the target",
                .reject = "",
                .consequence = "the three round differently",
                .advice = "compare runs of one target; diverges tells which nodes may differ",
                .source = "guide chapter 35",
                .evidence = mark::decompiled,
                .held_by = "rules/divergence.hpp"},
    rule_record{.id = rule::small_convolution_leaves_the_engine,
                .fact = "R194",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .sentence = "Core ML leaves a convolution of a feature map of [1, 256, 32, 32] or less off the engine",
                .reject = "",
                .consequence = "it runs elsewhere, by Core ML alone: the direct route is not affected",
                .advice = "the direct route",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .held_by = "backend/engine/engine.hpp"},
};

} // namespace ane::rules
