#ifndef ANEMONE_WEIGHTS_RANDOM_HPP
#define ANEMONE_WEIGHTS_RANDOM_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "store.hpp"

#include <cstdint>

namespace ane::inline ANEMONE_WAY {

/// Weights for a graph that has none yet: to run it, measure it, or test it. They keep every contract of the graph, and
/// follow from the seed, the name and the shape alone: the same on every machine, and those of one layer stay when
/// another is added. Values are uniform, as fp16:
///
/// - weights of products on +-sqrt(3 / fan-in), which keeps the variance, or +-sqrt(6 / fan-in) before a rectifier;
/// - scales, variances and divisors on [0.5, 1.5], offsets on [-0.1, 0.1]; `deviating(s)` gives the deviation;
/// - indices are whole numbers that their operation takes; anything else lies on [-1, 1];
/// - a promise narrows these, and a bound on sums shrinks rows or columns to it.
///
/// Throws errc::weights for a weight whose promises no tensor of its shape keeps.
ANEMONE_API_OF(anemone_weights_random_hpp) weight_store random_weights(const graph_view& g, std::uint64_t seed);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "random.ipp"
#endif
