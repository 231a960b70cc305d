#pragma once

#include "../base/way.hpp"

// The reader of RapidJSON. Its stack adds to a null pointer before it holds anything (RapidJSON 1.1), which clang's
// sanitizer would report. Only bodies include this header.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif

#include <cstddef>
#include <cstdlib>
#include <new>

namespace ane::detail::inline ANEMONE_WAY {

/// Memory for the reader's stack, which writes through a null pointer where an allocator gives it none.
struct json_memory {
    static constexpr bool kNeedFree = true;

    // NOLINTNEXTLINE(readability-identifier-naming): as RapidJSON calls it
    ANEMONE_INLINE void* Malloc(std::size_t size) { return Realloc(nullptr, 0, size); }
    // NOLINTNEXTLINE(readability-identifier-naming)
    ANEMONE_INLINE void* Realloc(void* old, std::size_t /*had*/, std::size_t size) {
        if (size == 0) {
            Free(old);
            return nullptr;
        }
        void* const made = std::realloc(old, size); // NOLINT: what RapidJSON's own allocator does
        if (made == nullptr) {
            throw std::bad_alloc();
        }
        return made;
    }
    ANEMONE_INLINE static void Free(void* of) { std::free(of); } // NOLINT
};

using json_reader = rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, json_memory>;

} // namespace ane::detail::inline ANEMONE_WAY
