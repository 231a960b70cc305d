#ifndef ANEMONE_DIFF_DIFF_HPP
#define ANEMONE_DIFF_DIFF_HPP

#include "../backend/program.hpp"
#include "../base/way.hpp"
#include "../values/compare.hpp"
#include "cause.hpp"
#include "forward.hpp"
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
/// difference arises and by which rule of the arithmetic. Values are compared, not bits: +0 equals -0. Throws `error`
/// as `compile` and `run` do.
ANEMONE_API_OF(anemone_diff_diff_hpp)
model_difference diff(const graph_view& model, const backend::cpu& reference, const backend::oracle& engine,
                      const weight_store& weights, input_buffers inputs);
ANEMONE_API_OF(anemone_diff_diff_hpp)
model_difference diff(const graph_view& model, const backend::oracle& reference, const backend::oracle& engine,
                      const weight_store& weights, input_buffers inputs);

/// The same for a model that is a constant, with typed inputs: `diff<model>(backend::cpu{}, backend::oracle(h13),
/// weights, {"image"_s = image})`.
template <const auto& Model, class Reference>
model_difference diff(const Reference& reference, const backend::oracle& engine, const weight_store& weights,
                      const arguments<Model>& inputs) {
    return diff(Model, reference, engine, weights, inputs.buffers());
}

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "diff.ipp"
#endif
