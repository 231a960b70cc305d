#pragma once

#include "formatted.hpp"
#include "way.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

/// Names that are given out once each. Only bodies include this header.
namespace ane::inline ANEMONE_WAY {

/// A set of names, and what a name becomes that is taken. n names take n log n steps, whatever they are: the search for a
/// number goes on where the last one of the same name ended, so that no taken name is met twice.
class unique_names {
public:
    /// Takes a name; false where it is taken.
    ANEMONE_INLINE bool take(std::string_view name) { return taken_.emplace(name).second; }
    ANEMONE_INLINE bool is_taken(std::string_view name) const { return taken_.contains(name); }

    /// The name, or where it is taken the first of name + between + first, first + 1, ... that is free.
    ANEMONE_INLINE std::string fresh(const std::string& wanted, std::string_view between = "_", int first = 2) {
        return fresh(wanted, between, first, [](const std::string& /*name*/) { return false; });
    }
    /// The same, passing over names of which `is_kept` says that they are for others.
    template <class Predicate>
    std::string fresh(const std::string& wanted, std::string_view between, int first, const Predicate& is_kept) {
        std::string name = wanted;
        if (is_kept(name) || !take(name)) {
            int& number = next_.try_emplace({wanted, std::string(between)}, first).first->second;
            do {
                name = formatted("{}{}{}", wanted, between, number++);
            } while (is_kept(name) || !take(name));
        }
        return name;
    }

private:
    std::set<std::string, std::less<>> taken_;
    std::map<std::pair<std::string, std::string>, int> next_; ///< where the search for a number goes on
};

} // namespace ane::inline ANEMONE_WAY
