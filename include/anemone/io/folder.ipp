#pragma once

#include "folder.hpp"
#include "new_folder.hpp"

#include <filesystem>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY void write_folder(const std::string& folder, std::span<const named_bytes> files) {
    if (can_be_exchanged(folder, files)) {
        new_folder made(folder);
        if (made) {
            made.write(files);
            if (made.publish()) {
                return;
            }
        }
    }
    std::vector<named_bytes> each(files.begin(), files.end());
    for (named_bytes& file : each) {
        file.path = std::filesystem::path(folder) / file.path;
    }
    write_files(std::span<const named_bytes>(each));
}

} // namespace ane::detail::inline ANEMONE_WAY
