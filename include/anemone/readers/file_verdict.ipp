#pragma once

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../rules/evaluate.hpp"
#include "../rules/violation_text.hpp"
#include "file_verdict.hpp"
#include "mapped_file.hpp"

#include <algorithm>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY file_verdict judge(const read_model& model, target t) {
    file_verdict verdict{model.doubts};
    const graph_view g = model.graph;
    const policy by_mil = on_route(compile_route::mil) | waive(rule::operation_is_not_written);
    // Gathers along the innermost axis are refused on an M5 (OC11), expected to run by CGA (mil-dialects) and placed on an
    // M4: where sources disagree, a file is not refused.
    const auto disputed = [&](const violation& v) {
        const node& n = g[v.node];
        return v.rule == rule::operation_has_no_mil_form && n.kind == op::gather &&
               n.get<axis>().index == g.operand(n, 0).shape.rank - 1;
    };
    // R124: the compiler fails where a reduction is multiplied by zero, and lowering writes a difference instead.
    const auto is_zero = [&](const node& n) {
        return n.kind == op::constant && n.shape.count() == 1 && half(g.value(n, 0)) == half(0.0F);
    };
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        if (n.kind == op::mul && ((is_reduction(g.operand(n, 0).kind) && is_zero(g.operand(n, 1))) ||
                                  (is_reduction(g.operand(n, 1).kind) && is_zero(g.operand(n, 0))))) {
            verdict.reasons.push_back({n.where.file, n.where.line, 0, print(g, i),
                                       "the engine's compiler: a reduction times zero fails (R124)"});
        }
    }
    for (const violation& v : violations(g, t, by_mil)) {
        if (v.severity == severity::reject && !disputed(v)) {
            verdict.reasons.push_back({v.file, v.line, 0, print(g, v.node), format(v, g)});
        }
    }
    std::stable_sort(verdict.reasons.begin(), verdict.reasons.end(),
                     [](const read_fault& a, const read_fault& b) { return a.line < b.line; });
    return verdict;
}

ANEMONE_BODY file_verdict judge_mil_file(const std::string& path, target t, const mil_reader_options& options) {
    try {
        mil_reader_options lenient = options; // whether the graph can hold a number is not the compiler's question
        lenient.approximates = true;
        if (!lenient.function.empty()) {
            return judge(read_mil_file(path, lenient), t);
        }
        const readers::mapped_file text(path);
        const std::span<const std::byte> bytes = text.bytes();
        const std::vector<std::string> functions =
            mil_functions({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
        if (functions.empty()) {
            return judge(read_mil_file(path, lenient), t);
        }
        file_verdict all;
        for (const std::string& name : functions) {
            lenient.function = name;
            const file_verdict one = judge_mil_file(path, t, lenient);
            all.reasons.insert(all.reasons.end(), one.reasons.begin(), one.reasons.end());
        }
        return all;
    } catch (const unreadable& refused) {
        return {refused.faults()};
    }
}

} // namespace ane::inline ANEMONE_WAY
