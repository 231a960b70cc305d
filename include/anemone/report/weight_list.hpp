#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../weights/store.hpp"

#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The weights of a graph, a line each: name, shape, what is promised of them, how they are stored, and what reads
/// them; then how many and how large they are. `weights_of` (graph/weights_of.hpp) is the same as values.
///
///     h.up.weight    [256, 64]   within [-0.5, 0.5]   linear #4 (model.cpp:12)
ANEMONE_API std::string print_weights(const graph_view& g);

/// What a store holds, a line each: name, element type, shape; then how many and how large they are.
ANEMONE_API std::string print(const weight_store& store);

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// A remark that is not a finding of a rule, and the operation that it is about.
struct remark {
    std::string text;
    int node = 0;
};

/// A sentence for the weights that several operations read: one for those that one line of the source reads more than
/// once, as two blocks of one scope do, and one for the others, such as a table that is also the last layer's weight.
/// Each is about the second reader of the first of the weights.
ANEMONE_API std::vector<remark> remarks_on_shared_weights(const graph_view& g);

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "weight_list.ipp"
#endif
