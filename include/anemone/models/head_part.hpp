#pragma once

#include "../base/way.hpp"
#include "../weights/store.hpp"
#include "decoder_form.hpp"

#include <cstddef>
#include <string>
#include <utility>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// The rows that a part of the head has of the whole weight, [words, width].
ANEMONE_INLINE stored_tensor head_part(const stored_tensor& whole, std::string name, const decoder_configuration& c,
                                       const decoder_form& form, int part) {
    const std::int64_t begin = part_begin(c, form, part);
    const extents shape{part_begin(c, form, part + 1) - begin, c.width};
    return {std::move(name), whole.type, shape,
            whole.bytes.part(static_cast<std::size_t>(bytes(whole.type, begin * c.width)),
                             static_cast<std::size_t>(bytes(whole.type, shape.count())))};
}

} // namespace ane::models::inline ANEMONE_WAY
