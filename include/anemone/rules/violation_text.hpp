#pragma once

#include "../base/way.hpp"
#include "evaluate.hpp"

#include <string>
#include <string_view>

namespace ane::inline ANEMONE_WAY {

/// `conv2d "stem" (model.cpp:41): kernel width 14 exceeds 13 on h13 (M1 base); the first target that takes it is h16
/// (M4 base); try: swap the axes ... [R030, measured]`. `remedy` is the clause in the middle; none where it is empty.
ANEMONE_API std::string format(const violation& v, const graph_view& g, const target_description& t,
                               std::string_view remedy = {});
ANEMONE_API std::string format(const violation& v, const graph_view& g);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "violation_text.ipp"
#endif
