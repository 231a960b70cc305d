#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "plist.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Counts what a parser makes against the limits. `charge` gives why no more may be made; nothing where it may.
class plist_budget {
public:
    /// A limit for the weights does not mean the list: it may take 16 MB whatever `memory` is.
    explicit plist_budget(std::uint64_t memory) : memory_(std::max(memory, always)) {}

    ANEMONE_INLINE std::string charge(int depth, std::size_t text = 0) {
        if (++values_ > most_plist_values) {
            return formatted("holds more than {} values", most_plist_values);
        }
        if (text > longest_plist_text - text_) {
            return formatted("holds more than {} bytes of text", longest_plist_text);
        }
        text_ += text;
        if (values_ * value_bytes + text_ > memory_) {
            return formatted("takes more than {} bytes of memory when it is read", memory_);
        }
        return depth > deepest_plist ? formatted("holds values more than {} containers deep", deepest_plist) : "";
    }

private:
    static constexpr std::uint64_t always = std::uint64_t{16} << 20U;
    static constexpr std::size_t value_bytes = 2 * sizeof(formats::plist_value); // arrays grow by doubling

    std::uint64_t memory_;
    std::size_t values_ = 0;
    std::size_t text_ = 0;
};

} // namespace ane::readers::inline ANEMONE_WAY
