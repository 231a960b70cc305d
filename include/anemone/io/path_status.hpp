#pragma once

#include "../base/way.hpp"
#include "open_file.hpp"

#include <filesystem>
#include <system_error>

/// Apart from open_file.hpp, which programs include that need no <filesystem>.
namespace ane::detail::inline ANEMONE_WAY {

/// What lies at a path, of type `not_found` where nothing does. Throws `error` (errc::file) where the system does not tell:
/// it is refused to the process, too many links or too long a name lead there.
ANEMONE_INLINE std::filesystem::file_status status_of(const std::filesystem::path& path) {
    std::error_code failed;
    const std::filesystem::file_status found = std::filesystem::status(path, failed);
    if (found.type() == std::filesystem::file_type::none) {
        refuse_file_call(path.string(), "cannot be opened", failed.value());
    }
    return found;
}

} // namespace ane::detail::inline ANEMONE_WAY
