#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

namespace ane::objc::detail::inline ANEMONE_WAY {

/// The folders of models in this process. The runtime names them, after the content: sessions of one model share one.
struct model_directories {
    struct users {
        int count = 0;
        bool ours = false; ///< made here, so it is removed with the last
    };
    std::mutex mutex;
    std::map<std::string, users> known;

    static model_directories& instance() {
        static model_directories only;
        return only;
    }
};

/// One use of a folder, which is made where it is missing and removed with its last user of this process. Other
/// processes that use the same model at the same time are not known of.
class model_directory {
public:
    model_directory() noexcept = default;
    ANEMONE_INLINE explicit model_directory(const std::string& path) {
        model_directories& all = model_directories::instance();
        const std::lock_guard alone(all.mutex);
        model_directories::users& here = all.known[path];
        std::error_code failed;
        const bool made = std::filesystem::create_directories(path, failed);
        if (failed) {
            if (here.count == 0) {
                all.known.erase(path);
            }
            throw error(errc::file, path, "the directory of the program cannot be made: " + failed.message());
        }
        here.ours = here.ours || made;
        ++here.count;
        path_ = path;
    }
    model_directory(model_directory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    model_directory& operator=(model_directory&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~model_directory() { leave(); }

    /// Uses it no longer. What cannot be removed stays.
    void leave() noexcept {
        if (path_.empty()) {
            return;
        }
        try {
            model_directories& all = model_directories::instance();
            const std::lock_guard alone(all.mutex);
            const auto here = all.known.find(path_);
            if (here != all.known.end() && --here->second.count == 0) {
                if (here->second.ours) {
                    std::error_code ignored;
                    std::filesystem::remove_all(path_, ignored);
                }
                all.known.erase(here);
            }
        } catch (...) { // no memory for the removal
        }
        path_.clear();
    }
    /// Leaves the folder to the process that this one was forked from.
    void forget() noexcept { path_.clear(); }

private:
    std::string path_;
};

} // namespace ane::objc::detail::inline ANEMONE_WAY
