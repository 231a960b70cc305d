#pragma once

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../rules/evaluate.hpp"
#include "../rules/violation_text.hpp"
#include "file_verdict.hpp"

#include <algorithm>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY file_verdict judge(const read_model& model, target t) {
    file_verdict verdict{model.doubts};
    const graph_view g = model.graph;
    const policy by_mil = on_route(compile_route::mil) | waive(rule::operation_is_not_written);
    for (const violation& v : violations(g, t, by_mil)) {
        if (v.severity == severity::reject) {
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
        lenient.saturates_infinities = true;
        return judge(read_mil_file(path, lenient), t);
    } catch (const unreadable& refused) {
        return {refused.faults()};
    }
}

} // namespace ane::inline ANEMONE_WAY
