#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Where a file is that another one names, or the words that say why it is not read.
struct path_below {
    std::string path;
    std::string refused;
};

/// The file of a path that stands in a file of unknown origin: only what lies in the folder and below it, links included.
ANEMONE_INLINE path_below find_below(const std::string& folder, const std::string& written) {
    namespace fs = std::filesystem;
    const fs::path given(written);
    bool leaves = written.empty() || written.find('\0') != std::string::npos || given.is_absolute();
    for (const fs::path& part : given) {
        leaves = leaves || part == "..";
    }
    if (leaves) {
        return {{}, "is no path below the model's folder"};
    }
    std::error_code wrong;
    const fs::path home = fs::canonical(folder.empty() ? "." : folder, wrong);
    const fs::path real = wrong ? fs::path() : fs::canonical(home / given, wrong);
    if (wrong) {
        return {{}, formatted("cannot be found: {}", wrong.message())};
    }
    const auto [own, ignored] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
    if (own != home.end()) {
        return {{}, "is a link that leads out of the model's folder"};
    }
    return {real.string(), {}};
}

} // namespace ane::readers::inline ANEMONE_WAY
