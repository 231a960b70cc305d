#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/attribute_structs.hpp"

#include <string>

namespace ane::compress::inline ANEMONE_WAY {

/// "int8", "int4, blocks of 32", "palette of 4 bits", "palette of 4 bits for 2", "sparse".
ANEMONE_INLINE std::string form_text(const compression& c) {
    const auto integers = [&c](const char* prefix) {
        return formatted("{}int{}{}{}", prefix, c.bits, c.block > 0 ? formatted(", blocks of {}", c.block) : "",
                         c.zero_point ? ", zero points" : "");
    };
    const auto palette = [&c](const char* prefix) {
        return formatted("{}palette of {} bits{}", prefix, c.bits, c.vector > 1 ? formatted(" for {}", c.vector) : "");
    };
    switch (c.form) {
    case weight_form::palette: return palette("");
    case weight_form::sparse: return "sparse";
    case weight_form::affine:
    case weight_form::blockwise: return integers("");
    case weight_form::sparse_palette: return palette("sparse ");
    case weight_form::sparse_blockwise: return integers("sparse ");
    }
    return "unknown form";
}

} // namespace ane::compress::inline ANEMONE_WAY
