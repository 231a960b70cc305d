#pragma once

#include "../base/way.hpp"
#include "../graph/readers.hpp"
#include "../rules/evaluate.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A node with what it reads and what reads it, as text.
namespace ane::detail::inline ANEMONE_WAY {

/// A line of a drawing and the stretches of it to be marked, in bytes.
struct marked_line {
    struct stretch {
        std::size_t first, size;
    };
    std::string text;
    std::vector<stretch> marks{};
};

/// Whether the {got} of a sentence is an extent that a shape shows, and not the number of an axis or an operand.
ANEMONE_API bool tells_an_extent(std::string_view sentence);

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// The neighbourhood of a node: a line for each operand above it and for each reader below it, with their shapes.
///
///       |   input   "x"            fp16 [1, 16, 32, 32]
///       |   weight  "stem.weight"  fp16 [16, 16, 3, 14]
///       |                                          ^^
///       +=> conv2d  "stem"         fp16 [1, 16, 30, 19]  kernel 3x14
///       |                                                         ^^
///       +-> relu    "y"            fp16 [1, 16, 30, 19]
class neighbourhood {
public:
    /// `offending`: numbers to be marked in the shapes of the node and of its operands.
    ANEMONE_API neighbourhood(const graph_view& g, const reader_lists& readers, int index,
                              const std::vector<std::int64_t>& offending = {});

    /// The lines, indented by six columns. The marked numbers are red with `coloured` and underlined with carets
    /// without.
    ANEMONE_API std::string str(bool coloured = false) const;

private:
    std::vector<detail::marked_line> lines_;
};

/// The drawing of what a violation is about.
ANEMONE_API neighbourhood draw_neighbourhood(const graph_view& g, const violation& v);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "neighbourhood.ipp"
#endif
