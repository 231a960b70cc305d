#pragma once

#include "../../../base/error.hpp"
#include "slab.hpp"

#include <string>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_BODY void refuse(const char* subject, const std::string& sentence) {
    throw error(errc::argument, subject, sentence);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
