#ifndef ANEMONE_DRAWING_DRAWING_HPP
#define ANEMONE_DRAWING_DRAWING_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "options.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// A drawing of a graph as an SVG document: layers from top to bottom, a box for each operation with its name, number,
/// attributes and shape, coloured by what it does; inputs and outputs as pills; edges that skip layers in their own
/// colour. Everything has an id (`node12`, `output0`, `block12` for several operations from number 12 on), and edges name
/// their ends in `data-from` and `data-to`.
ANEMONE_API_OF(anemone_drawing_drawing_hpp)
std::string draw_svg(const graph_view& g, const drawing_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "drawing.ipp"
#endif
