#pragma once

#include "../backend/program.hpp"
#include "../passes/validate.hpp"
#include "../way.hpp"
#include "../weights/verify.hpp"
#include "cause.hpp"
#include "histogram.hpp"

#include <vector>

/// What the engine's arithmetic costs a model, node by node.
namespace ane::inline ANEMONE_WAY {

/// One node of a model on the oracle beside the same node on another backend.
struct node_difference {
    int node = 0;
    difference whole;        ///< the two runs, each on its own values from the inputs on
    difference alone;        ///< the operation alone: the oracle on the other backend's operands
    ulp_histogram histogram; ///< of `whole`
    difference_cause cause = difference_cause::none; ///< of `alone`
};

struct model_difference {
    /// In the order of the model. Left out: sources, booleans, and nodes that the engine rounds only together with a
    /// later one.
    std::vector<node_difference> nodes;
    /// The first node whose own arithmetic makes a difference, -1 where there is none.
    int first_divergent = -1;

    bool identical() const { return first_divergent < 0; }
};

/// Runs a model on a reference (`backend::cpu`, or the oracle of another generation) and on an oracle, on the same
/// data, and compares every fp16 node: as a whole, and alone on the reference's operands, which tells where a
/// difference arises and by which rule of the arithmetic. Numbers see values: +0 and -0 are the same. Throws `error` as
/// `compile` and `run` do.
template <class Reference>
model_difference diff(const graph_view& model, const Reference& reference, const backend::oracle& engine,
                      const weight_store& weights, input_buffers inputs) {
    validate(model);
    verify_weights(model, weights);
    const trace expected = trace_of(model, reference, weights, inputs);
    const trace actual = trace_of(model, engine, weights, inputs);
    replay alone(model, weights, engine.arithmetic(), expected, inputs);
    model_difference result;
    for (int i = 0; i < model.size(); ++i) {
        if (is_source(model[i].kind) || model[i].type != dtype::f16 || !expected.known(i) || !actual.known(i) ||
            !alone.has_value(i)) {
            continue;
        }
        const auto values = expected.halves(i);
        const auto replayed = detail::as_halves(alone.run(i, engine.arithmetic()));
        const std::vector<half> result_alone(replayed.begin(), replayed.end());
        node_difference n{i, compare(values, actual.halves(i)), compare(values, result_alone),
                          histogram_of(values, actual.halves(i)), difference_cause::none};
        if (n.alone.max_ulp > 0) {
            n.cause = detail::cause_of(alone, i, values, result_alone, detail::rules_of(reference));
            result.first_divergent = result.first_divergent < 0 ? i : result.first_divergent;
        }
        result.nodes.push_back(n);
    }
    return result;
}

/// The same for a model that is a constant, with typed inputs: `diff<model>(backend::cpu{}, backend::oracle(h13),
/// weights, {"image"_s = image})`.
template <const auto& Model, class Reference>
model_difference diff(const Reference& reference, const backend::oracle& engine, const weight_store& weights,
                      const arguments<Model>& inputs) {
    return diff(Model, reference, engine, weights, inputs.buffers());
}

} // namespace ane::inline ANEMONE_WAY
