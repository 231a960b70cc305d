#pragma once

#include "../graph/graph.hpp"
#include "../half.hpp"
#include "../way.hpp"
#include "store.hpp"

#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The values of the constant nodes of a graph: `values[i]` belongs to node i, and is empty for a node that the device
/// computes.
struct materialized {
    std::vector<std::vector<half>> values;

    ANEMONE_API bool known(int index) const;
    ANEMONE_API const half* data(int index) const;
};

/// Holds constants to the graph that they are emitted with: an entry for each node, with its elements or with none.
/// Throws `error` (errc::argument).
ANEMONE_API void require_constants_of(const graph_view& g, const materialized& constants);

/// Loads the weights of a graph and computes everything that depends on weights and constants alone. A compressed
/// weight has the values that its stored form stands for: what it loses is in every backend's result. A folded value
/// that does not fit into fp16 is an error (errc::weights) that names the operation, the element and the value.
ANEMONE_API materialized materialize(const graph_view& g, const weight_store& store);

/// What a stored form makes of values: `stored_values` (weights/encode.hpp), or null where no weight is compressed.
using weight_expansion = std::vector<half> (*)(std::span<const half> values, const extents& shape,
                                               const compression& form);
/// The same for a graph that was validated, with the code of the stored forms given.
ANEMONE_API materialized materialize(const graph_view& g, const weight_store& store, weight_expansion expand);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "materialize.ipp"
#endif
