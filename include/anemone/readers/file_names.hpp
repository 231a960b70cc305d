#pragma once

#include "../base/way.hpp"

#include <mutex>
#include <set>
#include <string>
#include <string_view>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The name as a text that lives as long as the program, one copy of each: a `source_location` keeps its file as a pointer, and a
/// graph may outlive all that its reader made. Safe from any thread.
ANEMONE_INLINE const char* kept_file_name(std::string_view name) {
    static std::mutex guard;
    static std::set<std::string, std::less<>>& names = *new std::set<std::string, std::less<>>; // never destroyed
    const std::scoped_lock lock(guard);
    return names.emplace(name).first->c_str();
}

} // namespace ane::readers::inline ANEMONE_WAY
