#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_readers_file_verdict_hpp);

#include "../base/formatted.hpp"
#include "../passes/lowering.hpp"
#include "../passes/print.hpp"
#include "../rules/evaluate.hpp"
#include "../rules/violation_text.hpp"
#include "file_verdict.hpp"
#include "mil.hpp"
#include "mil_file.hpp"
#include "type_uses.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF file_verdict judge(const read_model& model, target t, const rule_set& waived) {
    file_verdict verdict{model.doubts};
    for (const typed_value& v : model.types) {
        if (const readers::type_rule* const r = readers::refusing(v, t)) {
            verdict.reasons.push_back(v.at);
            verdict.reasons.back().reason = readers::told_of(*r, v.type);
        }
    }
    const graph_view g = model.graph;
    policy by_mil = on_route(compile_route::mil) | waive(rule::operation_is_not_written);
    by_mil.waived.insert(waived);
    // Gathers along the innermost axis are refused on an M5 (OC11), expected to run by CGA (mil-dialects) and placed on an
    // M4, where those along channels are too (L015): where sources disagree, a file is not refused.
    // A top-k of 3 and 4 gets no code on M1 and M5 (R135), and is reported to run on an M4.
    const auto disputed = [&](const violation& v) {
        const node& n = g[v.node];
        if (v.rule == rule::top_k_is_three_or_four) {
            return describe(t).tier == family::a16;
        }
        if (v.rule != rule::operation_has_no_mil_form || n.kind != op::gather) {
            return false;
        }
        const int rank = g.operand(n, 0).shape.rank;
        const int along = n.get<axis>().index;
        return along == rank - 1 || (along == 1 && rank == 4 && describe(t).tier == family::a16);
    };
    for (int i = 0; i < g.size(); ++i) { // the rule is silent of what lowering writes in other words; a file has these
        if (detail::reduction_times_zero(g, g[i]) >= 0 && !waived.contains(rule::reduction_is_multiplied_by_zero)) {
            verdict.reasons.push_back({g[i].where.file, g[i].where.line, 0, print(g, i),
                                       "the engine's compiler: a reduction times zero fails (R124)"});
        }
    }
    for (int i = 0; i < g.size();
         ++i) { // accepted on M3 Pro and M4 (conflicts.md), refused on an M5 (mil-ops section 8)
        if (g[i].kind == op::resample && describe(t).tier == family::a17) {
            verdict.reasons.push_back(
                {g[i].where.file, g[i].where.line, 0, print(g, i), "the engine's compiler: Not implemented (M5)"});
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

} // namespace ane::inline ANEMONE_WAY

namespace ane::readers::inline ANEMONE_WAY {

ANEMONE_INLINE file_verdict judge_function(mil_file& file, const mil_function& function,
                                           const mil_reader_options& options, target t) {
    try {
        return judge(file.read(function, options), t);
    } catch (const unreadable& refused) {
        return {refused.faults()};
    }
}

} // namespace ane::readers::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF file_verdict judge_mil_file(const std::string& path, target t, const mil_reader_options& options) {
    mil_reader_options lenient = options; // whether the graph can hold a number is not the compiler's question
    lenient.approximates = true;
    file_verdict all;
    try {
        readers::mil_file file(path, options.opened);
        const std::span<const readers::mil_function> functions = file.functions();
        const bool one = !options.function.empty() || functions.empty();
        for (const readers::mil_function& f : one ? std::span(&file.function(options), 1) : functions) {
            const file_verdict verdict = readers::judge_function(file, f, lenient, t);
            all.reasons.insert(all.reasons.end(), verdict.reasons.begin(), verdict.reasons.end());
        }
    } catch (const unreadable& refused) { // no function was found
        return {refused.faults()};
    }
    return all;
}

} // namespace ane::inline ANEMONE_WAY
