#ifndef ANEMONE_REPORT_MODEL_PAIR_REPORT_HPP
#define ANEMONE_REPORT_MODEL_PAIR_REPORT_HPP

#include "../base/way.hpp"
#include "../diff/model_pair.hpp"
#include "../graph/graph.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// Two models beside each other as a table: a row a pair of nodes, with the largest distances, their histogram and the
/// cause; below it the operations without a partner, where the models part, and whether their outputs are the same.
ANEMONE_API_OF(anemone_report_model_pair_report_hpp)
std::string pair_text(const graph_view& first, const graph_view& second, const pair_difference& found,
                      bool coloured = false);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "model_pair_report.ipp"
#endif
