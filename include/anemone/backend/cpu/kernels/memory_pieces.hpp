#pragma once

#include "../../../base/way.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Memory in equal pieces, which is fetched before it is read.
struct memory_pieces {
    const void* first = nullptr;
    std::int64_t step = 0;  ///< bytes from a piece to the next
    std::int64_t bytes = 0; ///< of a piece
    std::int64_t count = 0;

    /// Of the requested number of parts.
    memory_pieces part(std::int64_t index, std::int64_t parts) const {
        const std::int64_t begin = count * index / parts;
        const std::int64_t end = count * (index + 1) / parts;
        return {static_cast<const char*>(first) + begin * step, step, bytes, end - begin};
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY
