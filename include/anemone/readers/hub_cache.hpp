#pragma once

#include "../base/way.hpp"
#include "../io/open_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The cache of Hugging Face's hub, in which the files of a snapshot are links to blobs that snapshots share:
///
///     models--ORGANISATION--NAME/snapshots/COMMIT/model.safetensors -> ../../blobs/HASH
///
/// The one way in which a link may lead out of a model's folder: by exactly this text, to a regular file in `blobs`, neither of
/// which may be a link. It stays within what belongs to the one model.
class hub_cache {
public:
    /// That of a folder, `home` opened at `path`: a snapshot or a folder in one. None elsewhere.
    ANEMONE_INLINE static std::optional<hub_cache> around(const std::string& path, const ane::detail::open_file& home) {
        namespace fs = std::filesystem;
        std::error_code failed;
        const fs::path real = fs::canonical(path.empty() ? "." : path, failed);
        std::vector<std::string> names;
        for (const fs::path& part : real) {
            names.push_back(part.string());
        }
        const auto snapshots = std::find(names.rbegin(), names.rend(), "snapshots");
        const auto up = static_cast<std::size_t>(snapshots - names.rbegin()) + 1; // from the folder to the model's
        const bool is_inside = !failed && snapshots != names.rbegin() && up < names.size() &&
                               names[names.size() - up - 1].starts_with("models--");
        if (!is_inside) {
            return {};
        }
        fs::path above = real;
        std::string way = "..";
        for (std::size_t i = 0; i < up; ++i) {
            above = above.parent_path();
            way += i == 0 ? "" : "/..";
        }
        // Above a folder that is open there is one only, whatever happens to its path.
        hub_cache found;
        found.up_ = up;
        const ane::detail::open_file model(::openat(home.get(), way.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        struct stat by_folder {};
        struct stat by_name {};
        if (!model || ::fstat(model.get(), &by_folder) != 0 || ::stat(above.c_str(), &by_name) != 0 ||
            by_folder.st_ino != by_name.st_ino || by_folder.st_dev != by_name.st_dev) {
            return {};
        }
        found.blobs_ =
            ane::detail::open_file(::openat(model.get(), "blobs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        if (!found.blobs_) {
            return {};
        }
        return found;
    }

    /// The blob of a link with the text `target`, in a folder so many levels below the one of `around`; not open where it cannot
    /// be (errno). None where the link is of another form.
    ANEMONE_INLINE std::optional<ane::detail::open_file> blob(std::string_view target, std::size_t levels,
                                                              int flags) const {
        constexpr std::string_view folder = "blobs/";
        std::string start;
        for (std::size_t i = 0; i < up_ + levels; ++i) {
            start += "../";
        }
        start += folder;
        if (!target.starts_with(start)) {
            return {};
        }
        const std::string name(target.substr(start.size()));
        const bool is_hash = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        });
        if (!is_hash) {
            return {};
        }
        return std::optional<ane::detail::open_file>(std::in_place,
                                                     ::openat(blobs_.get(), name.c_str(), flags | O_NOFOLLOW));
    }

private:
    std::size_t up_ = 0; ///< levels from the folder to that of the model
    ane::detail::open_file blobs_;
};

} // namespace ane::readers::inline ANEMONE_WAY
