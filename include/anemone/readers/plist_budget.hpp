#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "plist.hpp"

#include <cstddef>
#include <string>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Counts what a parser makes against the limits. `charge` gives why no more may be made; nothing where it may.
class plist_budget {
public:
    ANEMONE_INLINE std::string charge(int depth, std::size_t text = 0) {
        if (++values_ > most_plist_values) {
            return formatted("holds more than {} values", most_plist_values);
        }
        if (text > longest_plist_text - text_) {
            return formatted("holds more than {} bytes of text", longest_plist_text);
        }
        text_ += text;
        return depth > deepest_plist ? formatted("holds values more than {} containers deep", deepest_plist) : "";
    }

private:
    std::size_t values_ = 0;
    std::size_t text_ = 0;
};

} // namespace ane::readers::inline ANEMONE_WAY
