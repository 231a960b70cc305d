#pragma once

#include "../base/way.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ane::detail::inline ANEMONE_WAY {

class steady_file; // steady_file.hpp, which reads

/// Some of the bytes of a file that stays open. Made by default, of no file.
struct file_part {
    std::shared_ptr<const steady_file> file = nullptr;
    std::uint64_t begin = 0;
    std::size_t count = 0;

    explicit operator bool() const { return file != nullptr; }
    /// Those from number `offset` on.
    file_part part(std::size_t offset, std::size_t bytes) const { return {file, begin + offset, bytes}; }
};

} // namespace ane::detail::inline ANEMONE_WAY
