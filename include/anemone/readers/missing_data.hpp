#pragma once

#include "../folding/known_tensor.hpp"
#include "element_count.hpp"

#include <cstdlib>
#include <deque>
#include <memory>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Stands for constants whose file is not there: zeros in their place, which the system gives no memory for until they are
/// written. What is read of them is marked, and so is what is computed of it.
class missing_data {
public:
    /// Throws `refused` for a shape that no tensor has.
    ANEMONE_INLINE folding::known_tensor tensor(element_type type, const extents& shape) {
        const std::int64_t count = element_count(shape);
        const std::int64_t size = count < 0 ? -1 : ane::bytes(type, count);
        constexpr std::int64_t most = std::int64_t{1} << 40;
        if (size < 0 || size > most) {
            throw folding::refused{formatted("has the shape {}, which no tensor has", print(shape))};
        }
        folding::known_tensor c;
        c.type = type;
        c.shape = shape;
        c.bytes = zeros(static_cast<std::size_t>(size));
        c.is_missing = true;
        return c;
    }

private:
    struct freed {
        void operator()(std::byte* block) const { std::free(block); }
    };
    ANEMONE_INLINE std::span<const std::byte> zeros(std::size_t size) {
        if (size > size_) {
            blocks_.emplace_back(static_cast<std::byte*>(std::calloc(size, 1)));
            if (blocks_.back() == nullptr) {
                throw folding::refused{formatted("has {} bytes that are not there, more than memory has", size)};
            }
            size_ = size;
        }
        return {size == 0 ? nullptr : blocks_.back().get(), size};
    }

    std::deque<std::unique_ptr<std::byte, freed>> blocks_; ///< the last is the largest
    std::size_t size_ = 0;
};

} // namespace ane::readers::inline ANEMONE_WAY
