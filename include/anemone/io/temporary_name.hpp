#pragma once

#include "../base/way.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

/// What is being written has the name ".anemone-PID-..." beside its path, so that whoever finds one knows whose it was. Only
/// bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

inline constexpr std::string_view temporary_mark = ".anemone-";

/// The beginning of this process's temporary names in a folder, which is empty or ends with '/'.
ANEMONE_INLINE std::string temporary_stem(std::string folder) {
    return folder.append(temporary_mark).append(std::to_string(::getpid())) + "-";
}

/// Whether a file has the temporary name of a process that has ended, as far as the system tells.
ANEMONE_INLINE bool is_leftover(std::string_view name) {
    if (!name.starts_with(temporary_mark)) {
        return false;
    }
    name.remove_prefix(temporary_mark.size());
    long process = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
    return wrong == std::errc() && end != name.data() + name.size() && *end == '-' && process > 0 &&
           ::access(("/proc/" + std::to_string(process)).c_str(), F_OK) != 0 && ::access("/proc/self", F_OK) == 0;
}

} // namespace ane::detail::inline ANEMONE_WAY
