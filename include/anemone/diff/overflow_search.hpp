#ifndef ANEMONE_DIFF_OVERFLOW_SEARCH_HPP
#define ANEMONE_DIFF_OVERFLOW_SEARCH_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../weights/store.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Bounds say what may leave fp16, points that it does.
namespace ane::inline ANEMONE_WAY {

/// A node that leaves fp16 at a point of the promises of a model's inputs: its result or what it stores on the way to it
/// is infinite, a sum of its products reaches 2^15 (R056), or it divides by or takes the logarithm of zero.
struct overflow_found {
    int node = 0;
    std::string at; ///< "every input at its largest", "inputs at random ends of their ranges"
};

/// Runs a model, as it is lowered, on the CPU at ends of the ranges that its inputs promise: all at their largest, all at
/// their smallest, all as near to zero as they may come, then `random` points of random ends. The first node of each way
/// on which values leave fp16, in the order of the model. Weights are those of the store. What is not found may happen
/// none the less. Throws `error` (errc::graph) for an invalid graph, and as the
/// backend's `compile` does; nothing is found in a model that cannot be lowered.
ANEMONE_API_OF(anemone_diff_overflow_search_hpp)
std::vector<overflow_found> find_overflows(const graph_view& model, const weight_store& weights,
                                           std::size_t random = 3);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "overflow_search.ipp"
#endif
