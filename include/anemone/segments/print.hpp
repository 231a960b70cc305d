#ifndef ANEMONE_SEGMENTS_PRINT_HPP
#define ANEMONE_SEGMENTS_PRINT_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "cost.hpp"
#include "segment.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// The segments of a model: for each its door, its size, why it begins where it does, what it takes from segments before
/// it, and the states that are not resident because segments share them.
ANEMONE_API_OF(anemone_segments_print_hpp) std::string print(const graph_view& model, const segmentation_view& cuts);
/// The same with the time of each segment and of a run (segments/cost.hpp).
ANEMONE_API_OF(anemone_segments_print_hpp)
std::string print(const graph_view& model, const segmentation_view& cuts, const segmentation_costs& costs);
ANEMONE_API_OF(anemone_segments_print_hpp)
std::string print(const graph_view& model, const segmentation_view& cuts, const target_description& chip);
ANEMONE_API_OF(anemone_segments_print_hpp)
std::string print(const graph_view& model, const segmentation_view& cuts, target generation);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "print.ipp"
#endif
