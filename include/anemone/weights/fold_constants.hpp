#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/half.hpp"
#include "store.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The values of the constant nodes of a graph, empty for a node that the device computes.
struct folded_constants {
    std::vector<std::vector<half>> values;     ///< `values[i]` belongs to node i, if it is fp16
    std::vector<std::vector<std::byte>> bytes; ///< the same of nodes of other types: bytes, or booleans as 0 and 1

    ANEMONE_API bool known(int index) const;
    ANEMONE_API const half* data(int index) const;
    /// A value of whatever type, as it lies in memory.
    ANEMONE_API const std::byte* memory(int index) const;
};

/// Checks constants against the graph that they are emitted with: an entry for each node, with all of its elements or
/// none. Throws `error` (errc::argument).
ANEMONE_API void require_constants_of(const graph_view& g, const folded_constants& constants);

/// What a stored form makes of values: `stored_values` (weights/encode.hpp).
using weight_expansion = std::vector<half> (*)(std::span<const half> values, const extents& shape,
                                               const compression& form);
/// Computes one operation of which all operands are known.
using constant_evaluator = void (*)(const graph_view& g, const folded_constants& known, int index, std::byte* result);

/// Values in double precision, of operations that `folds_unrounded` (graph/constants.hpp).
using unrounded_values = std::vector<double>;
using constant_folder = unrounded_values (*)(const graph_view& g, int index, std::span<const unrounded_values> known);
/// Computes one such operation from the values of each node: only the result that the device, or another operation, reads
/// is rounded to fp16, so a folded batch norm costs one rounding.
ANEMONE_API unrounded_values fold_unrounded(const graph_view& g, int index, std::span<const unrounded_values> known);

/// What computes the constants of a program. Null where the program needs none.
struct constant_arithmetic {
    weight_expansion expand = nullptr;
    constant_evaluator evaluate = nullptr;
    constant_folder fold = nullptr;
};

/// Loads the weights of a validated graph and computes everything that depends on weights and constants alone, with the given
/// arithmetic; `fold_constants(g, store)` of backend/cpu/constants.hpp has all of it. A compressed weight has the values that
/// its stored form stands for: what it loses is in every backend's result. A folded value that a computed node reads
/// and that does not fit into fp16 is an error (errc::weights) that names the operation, the element and the value.
ANEMONE_API folded_constants fold_constants(const graph_view& g, const weight_store& store,
                                            const constant_arithmetic& with);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "fold_constants.ipp"
#endif
