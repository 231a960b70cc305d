#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"

#include <string>

/// Text forms of the library's values, for reports, errors and debugging.
namespace ane::inline ANEMONE_WAY {

/// "[1, 64, 56, 56]"
ANEMONE_API std::string print(const extents& shape);

/// "fp16 [1, 64, 56, 56]"
ANEMONE_API std::string print(dtype type, const extents& shape);

/// `conv2d "stem"` for a named node, `conv2d #12` for another.
ANEMONE_API std::string print(const graph_view& g, int index);

/// Every node of a graph, a line each: number, operation, shape, operands, name and source line.
ANEMONE_API std::string print(const graph_view& g);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "print.ipp"
#endif
