#pragma once

#include "../base/way.hpp"
#include "../diff/model_pair.hpp"
#include "../graph/graph.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// Two models beside each other as a table: a row a pair of nodes, with the largest distances, their histogram and the
/// cause; below it the operations without a partner, where the models part, and whether their outputs are the same.
ANEMONE_API std::string pair_text(const graph_view& first, const graph_view& second, const pair_difference& found,
                                  bool coloured = false);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "model_pair_report.ipp"
#endif
