#pragma once

#include "../base/way.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The files that a reader opened, whatever their names: by device and inode. What was read is not to be written over.
class opened_files {
public:
    /// An open file; one that the system says nothing of is left out.
    void add(int descriptor) {
        struct stat found {};
        if (::fstat(descriptor, &found) == 0) {
            add(found);
        }
    }
    /// A file by its path, if there is one.
    void add(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) == 0) {
            add(found);
        }
    }
    void add(const opened_files& more) { all_.insert(all_.end(), more.all_.begin(), more.all_.end()); }

    /// Whether a path names one of them, by a link too.
    bool has(const std::string& path) const {
        struct stat found {};
        return ::stat(path.c_str(), &found) == 0 && std::find(all_.begin(), all_.end(), file(found)) != all_.end();
    }

private:
    struct file {
        std::uint64_t device;
        std::uint64_t inode;

        explicit file(const struct stat& of)
            : device(static_cast<std::uint64_t>(of.st_dev)), inode(static_cast<std::uint64_t>(of.st_ino)) {}
        friend bool operator==(const file&, const file&) = default;
    };
    void add(const struct stat& found) { all_.emplace_back(found); }

    std::vector<file> all_;
};

} // namespace ane::inline ANEMONE_WAY
