#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_diff_hpp);

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../passes/validate.hpp"
#include "../weights/verify.hpp"
#include "cause_search.hpp"
#include "diff.hpp"
#include "replay.hpp"
#include "trace.hpp"

#include <algorithm>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// The values of a node as its backend would return them: the oracle's trace keeps a NaN that was only moved.
ANEMONE_INLINE std::vector<half> values_of(const backend::cpu&, const trace& t, int node) {
    const auto values = t.halves(node);
    return {values.begin(), values.end()};
}
ANEMONE_INLINE std::vector<half> values_of(const backend::oracle&, const trace& t, int node) {
    std::vector<half> values(t.halves(node).begin(), t.halves(node).end());
    std::transform(values.begin(), values.end(), values.begin(), numerics::detail::left);
    return values;
}

template <class Reference>
model_difference diff_with(const graph_view& model, const Reference& reference, const backend::oracle& engine,
                           const weight_store& weights, input_buffers inputs) {
    detail::verify_weight_names(validated(model), weights); // their values when they are read
    const trace expected = trace_of(model, reference, weights, inputs);
    const trace actual = trace_of(model, engine, weights, inputs);
    replay alone(model, weights, engine, expected, inputs);
    model_difference result;
    for (int i = 0; i < model.size(); ++i) {
        if (is_source(model[i].kind) || model[i].type != dtype::f16 || !expected.known(i) || !actual.known(i) ||
            !alone.has_value(i)) {
            continue;
        }
        const std::vector<half> values = values_of(reference, expected, i);
        const std::vector<half> result_here = values_of(engine, actual, i);
        const auto replayed = as_halves(alone.run(i, engine.arithmetic()));
        const std::vector<half> result_alone(replayed.begin(), replayed.end());
        node_difference n{i, compare(values, result_here), compare(values, result_alone),
                          histogram_of(values, result_here), difference_cause::none};
        if (n.alone.max_ulp > 0) {
            n.cause = cause_of(alone, i, values, result_alone, rules_of(reference));
            result.first_divergent = result.first_divergent < 0 ? i : result.first_divergent;
        }
        result.nodes.push_back(n);
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF model_difference diff(const graph_view& model, const backend::cpu& reference,
                                      const backend::oracle& engine, const weight_store& weights,
                                      input_buffers inputs) {
    return detail::diff_with(model, reference, engine, weights, inputs);
}
ANEMONE_BODY_OF model_difference diff(const graph_view& model, const backend::oracle& reference,
                                      const backend::oracle& engine, const weight_store& weights,
                                      input_buffers inputs) {
    return detail::diff_with(model, reference, engine, weights, inputs);
}

} // namespace ane::inline ANEMONE_WAY
