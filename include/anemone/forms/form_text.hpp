#pragma once

#include "../base/way.hpp"
#include "form_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

/// What people are told of a fault.
namespace ane::forms::inline ANEMONE_WAY {

ANEMONE_INLINE std::string phrase(const form_fault& fault) {
    return fmt::format(fmt::runtime(sentence(fault.why)), fmt::arg("got", fault.got), fmt::arg("limit", fault.limit));
}

/// "keep an axis of one element"
ANEMONE_INLINE std::string phrase(rewrite what) {
    std::string text(name(what));
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

} // namespace ane::forms::inline ANEMONE_WAY
