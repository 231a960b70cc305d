#pragma once

#include "../../analysis/arena.hpp"
#include "../../base/way.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// Memory that begins at a multiple of `arena_alignment`, zeros at first. Moving it keeps its place.
class aligned_memory {
public:
    aligned_memory() = default;
    ANEMONE_INLINE static aligned_memory of(std::int64_t bytes) {
        aligned_memory made;
        made.size_ = static_cast<std::size_t>(bytes);
        made.storage_.resize(made.size_ + static_cast<std::size_t>(arena_alignment));
        void* first = made.storage_.data();
        std::size_t space = made.storage_.size();
        made.data_ = static_cast<std::byte*>(std::align(arena_alignment, made.size_, first, space));
        return made;
    }

    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    std::vector<std::byte> storage_;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace ane::cpu::inline ANEMONE_WAY
