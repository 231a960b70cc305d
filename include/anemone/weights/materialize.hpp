#pragma once

#include "../graph/graph.hpp"
#include "../half.hpp"
#include "../way.hpp"
#include "store.hpp"

#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The values of the constant nodes of a graph: `values[i]` belongs to node i, and is empty for a node that the device
/// computes.
struct materialized {
    std::vector<std::vector<half>> values;

    ANEMONE_API bool known(int index) const;
    ANEMONE_API const half* data(int index) const;
};

/// Loads the weights of a graph and computes everything that depends on weights and constants alone. A compressed
/// weight has the values that its stored form stands for: what it loses is in every backend's result. A folded value
/// that does not fit into fp16 is an error (errc::weights) that names the operation, the element and the value.
ANEMONE_API materialized materialize(const graph_view& g, const weight_store& store);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "materialize.ipp"
#endif
