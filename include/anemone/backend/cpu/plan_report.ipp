#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_cpu_plan_report_hpp);

#include "../../base/formatted.hpp"
#include "../../passes/print.hpp"
#include "plan_report.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// "linear + gelu + add"
ANEMONE_INLINE std::string operations_of_step(const graph_view& model, const backend::cpu_step& step) {
    std::string text;
    for (const int i : step.nodes) {
        text.append(text.empty() ? "" : " + ").append(name(model[i].kind));
    }
    return text;
}

/// Whether a step computes nothing: it gives elements another order, or only another place.
ANEMONE_INLINE bool only_moves(const graph_view& model, const backend::cpu_step& step) {
    return step.nodes.size() == 1 && signature(model[step.nodes[0]].kind).group == op_group::movement;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string plan_report(const graph_view& model, const weight_store& weights,
                                        const backend::cpu& place) {
    const backend::cpu_program program = place.compile(model, weights);
    const std::vector<backend::cpu_step> steps = program.steps();
    std::size_t operations = 0;
    std::size_t widest = 0;
    std::int64_t moves = 0;
    std::int64_t in_place = 0;
    std::int64_t channels_last = 0;
    std::int64_t reorders = 0;
    std::int64_t values = 0;
    std::vector<std::int64_t> offsets(model.nodes.size(), -1);
    for (const backend::cpu_step& s : steps) {
        operations += s.nodes.size();
        widest = std::max(widest, cpu::detail::operations_of_step(model, s).size());
        values = std::max(values, s.offset + s.bytes);
        offsets[static_cast<std::size_t>(s.nodes.back())] = s.offset;
    }
    std::string text;
    for (const backend::cpu_step& s : steps) {
        const int end = s.nodes.back();
        const bool moved = cpu::detail::only_moves(model, s);
        const bool stays = moved && model[end].kind == op::reshape &&
                           offsets[static_cast<std::size_t>(model.operands(end)[0])] == s.offset;
        in_place += stays ? 1 : 0;
        channels_last += s.order == layout::nhwc ? 1 : 0;
        reorders += s.reorders ? 1 : 0;
        moves += moved && !stays ? 1 : 0;
        text += formatted("  #{:<5} {:<{}}  {}, {} bytes at {}", end, cpu::detail::operations_of_step(model, s), widest,
                          print(model[end].type, model[end].shape), s.bytes, s.offset);
        if (s.shared_scratch + s.own_scratch > 0) {
            text += formatted("; for itself {} bytes, {} a thread", s.shared_scratch, s.own_scratch);
        }
        text += s.order == layout::nhwc ? "; NHWC" : "";
        text += s.reorders ? "; reorders" : "";
        text += stays ? "; in place\n" : "\n";
    }
    return formatted("{}, up to {}: {} in {}\n", place.name(), detail::counted(program.threads(), "thread"),
                     detail::counted(operations, "operation"), detail::counted(steps.size(), "layer")) +
           text + formatted("arena: {} bytes, of which values take {}\n", program.arena_bytes(), values) +
           formatted("weights: {} bytes\n", program.weight_bytes()) +
           formatted("values are dense, {} with channels last (NHWC), the others row-major; {} from one order into the "
                     "other on the way, {} only to reorder or copy, {} in place\n",
                     channels_last, detail::counted(reorders, "layer"), detail::counted(moves, "layer"), in_place);
}

} // namespace ane::inline ANEMONE_WAY
