#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../weights/tensor_bytes.hpp"
#include "file_lookup.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Gives a constant the elements that lie in a file; many stay there until somebody asks for them. The file outlives the
/// constant. Throws `error` (errc::file).
ANEMONE_INLINE void give_elements(folding::known_tensor& c, const file_bytes& file, std::uint64_t begin,
                                  std::uint64_t count) {
    if (const ane::detail::file_part part = file.unread(begin, count)) {
        c.in_file = std::make_shared<const folding::elements_in_file>(
            part, [file, begin, count] { return file.part(begin, count); });
    } else {
        c.bytes = file.part(begin, count);
    }
}

/// The elements of a constant for the store, which leaves them where they are.
ANEMONE_INLINE tensor_bytes stored_bytes(const folding::known_tensor& c) {
    return c.in_file != nullptr ? tensor_bytes::in_file(c.in_file->part())
                                : tensor_bytes(std::vector<std::byte>(c.bytes.begin(), c.bytes.end()));
}

} // namespace ane::readers::inline ANEMONE_WAY
