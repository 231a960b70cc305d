#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/journal.hpp"
#include "../io/open_file.hpp"
#include "../io/opened_files.hpp"
#include "hub_cache.hpp"
#include "missing_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A file or a folder that was opened, or the words that say why it is not read: "cannot be found: ...".
struct opened_below {
    ane::detail::open_file file;
    std::string refused;
    bool is_missing = false; ///< nothing is there: other paths lead elsewhere, or to what must not be read

    /// The file. Throws `missing_file` where there is none, `error` (errc::file) where it is not read, with the path
    /// `shown`.
    ANEMONE_INLINE ane::detail::open_file taken(const std::string& shown) && {
        if (is_missing) {
            throw missing_file(shown, refused);
        }
        if (!refused.empty()) {
            throw error(errc::file, shown, refused);
        }
        return std::move(file);
    }
};

/// The folder of a model, which whatever its files name is opened in. Files come from strangers: nothing outside the folder
/// is opened for them, however its path is spelled and whatever changes meanwhile.
///
/// A path is walked one part at a time from the folder's own descriptor, never through a link: the target of a link is
/// walked in the same way, and may not lead above the folder. That is what openat2 does with RESOLVE_BENEATH, here on every
/// system, and where a container forbids that call. What is above the folder is the user's: links there are followed. A link
/// of a snapshot of Hugging Face's hub may name a blob of the same model (hub_cache.hpp), and nothing else may lead out.
class model_folder {
public:
    /// An empty path is the working folder. `told` is told each file that is opened. Throws `error` (errc::file).
    ANEMONE_INLINE explicit model_folder(const std::string& path, opened_files* told = nullptr)
        : told_(told), path_(path),
          home_(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (!home_) {
            ane::detail::refuse_file_call(path, "cannot be opened", errno);
        }
    }

    /// The regular file that a path of unknown origin names.
    ANEMONE_INLINE opened_below file(const std::string& written) const {
        opened_below found = walk(written);
        struct stat is {};
        if (found.refused.empty() && (::fstat(found.file.get(), &is) != 0 || !S_ISREG(is.st_mode))) {
            return {{}, "is not a regular file"};
        }
        if (told_ != nullptr && found.refused.empty()) {
            told_->add(found.file.get());
        }
        return found;
    }

    /// Tells of a file that a model names, whether or not it is read, if it is there.
    ANEMONE_INLINE void tell_of(const std::string& written) const {
        if (told_ != nullptr) {
            static_cast<void>(file(written));
        }
    }

    /// The folder that a path of unknown origin names. Throws `error` (errc::file), with the path `shown`.
    ANEMONE_INLINE model_folder folder(const std::string& written, const std::string& shown) const {
        opened_below found = walk(written);
        struct stat is {};
        if (found.refused.empty() && (::fstat(found.file.get(), &is) != 0 || !S_ISDIR(is.st_mode))) {
            found.refused = "is no folder";
        }
        if (!found.refused.empty()) {
            throw error(errc::file, shown, found.refused);
        }
        return {std::move(found.file), told_};
    }

private:
    static constexpr int most_links = 40; ///< one after the other, as the system has it
    static constexpr int reads =
        O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW; ///< a pipe is not waited for

    model_folder(ane::detail::open_file home, opened_files* told) : told_(told), home_(std::move(home)) {}

    /// The parts of a path in front of those that are left, the first one last.
    ANEMONE_INLINE static void put_before(std::vector<std::string>& left, const std::filesystem::path& path) {
        std::vector<std::string> parts;
        for (const std::filesystem::path& part : path) {
            parts.push_back(part.string());
        }
        left.insert(left.end(), parts.rbegin(), parts.rend());
    }

    /// Where a link leads; empty where it is none.
    ANEMONE_INLINE static std::string target_of(int in, const std::string& name) {
        std::array<char, 4096> text{};
        const ssize_t size = ::readlinkat(in, name.c_str(), text.data(), text.size());
        return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
    }

    ANEMONE_INLINE opened_below walk(const std::string& written) const {
        namespace fs = std::filesystem;
        const fs::path given(written);
        bool leaves = written.empty() || written.find('\0') != std::string::npos || given.is_absolute();
        for (const fs::path& part : given) {
            leaves = leaves || part == "..";
        }
        if (leaves) {
            return {{}, "is no path below the model's folder"};
        }
        const auto refused = [](int why) {
            const bool is_missing = why == ENOENT || why == ENOTDIR;
            return opened_below{
                {},
                formatted("cannot be {}: {}", is_missing ? "found" : "opened", std::generic_category().message(why)),
                is_missing};
        };
        std::vector<ane::detail::open_file> way; // the folders below this one that the path went through
        std::vector<std::string> left;
        put_before(left, given);
        for (int links = 0; !left.empty();) {
            const std::string part = left.back();
            left.pop_back();
            if (part.empty() || part == ".") {
                continue;
            }
            if (part == "..") { // of a link
                if (way.empty()) {
                    return {{}, "is a link that leads out of the model's folder"};
                }
                way.pop_back();
                continue;
            }
            const int in = way.empty() ? home_.get() : way.back().get();
            ane::detail::open_file next(::openat(in, part.c_str(), left.empty() ? reads : reads | O_DIRECTORY));
            if (next) {
                way.push_back(std::move(next));
                continue;
            }
            const int why = errno; // ELOOP for a link on some systems, ENOTDIR or EMLINK on others
            const std::string target = target_of(in, part);
            if (target.empty()) {
                return refused(why);
            }
            if (left.empty() && path_) { // nothing is walked behind it
                if (const std::optional<hub_cache> hub = hub_cache::around(*path_, home_)) {
                    if (auto blob = hub->blob(target, way.size(), reads)) {
                        return *blob ? opened_below{std::move(*blob), {}} : refused(errno);
                    }
                }
            }
            if (fs::path(target).is_absolute()) {
                return {{}, "is a link that leads out of the model's folder"};
            }
            if (++links > most_links) {
                return refused(ELOOP);
            }
            put_before(left, target);
        }
        if (way.empty()) { // "."
            way.emplace_back(::openat(home_.get(), ".", reads | O_DIRECTORY));
            if (!way.back()) {
                return refused(errno);
            }
        }
        return {std::move(way.back()), {}};
    }

    opened_files* told_;
    std::optional<std::string> path_; ///< of the folder that somebody named; none of those in it
    ane::detail::open_file home_;
};

/// The file of a model that a user names, open, and the folder that what it refers to lies in.
struct model_place {
    std::string path; ///< of the file
    model_folder home;
    ane::detail::open_file file;
};

/// The model at a path: the file itself, which may be a link, or of a folder the file in it of the name `inside`, which
/// is the folder's maker's choice. `told` is told what is opened, now and later. Throws `error` (errc::file).
ANEMONE_INLINE model_place model_at(const std::string& path, const std::string& inside, opened_files* told = nullptr) {
    namespace fs = std::filesystem;
    std::error_code ignored; // whoever opens it says what is wrong with the path
    if (path.find('\0') == std::string::npos && fs::is_directory(path, ignored)) {
        const std::string file = (fs::path(path) / inside).string();
        ane::detail::finish_journal(path + "/");
        model_folder home(path, told);
        ane::detail::open_file found = home.file(inside).taken(file);
        return {file, std::move(home), std::move(found)};
    }
    if (path.find('\0') == std::string::npos) {
        ane::detail::finish_journal(path.substr(0, path.rfind('/') + 1));
    }
    ane::detail::open_file file = ane::detail::opened_to_read(path);
    if (told != nullptr) {
        told->add(file.get());
    }
    return {path, model_folder(fs::path(path).parent_path().string(), told), std::move(file)};
}

} // namespace ane::readers::inline ANEMONE_WAY
