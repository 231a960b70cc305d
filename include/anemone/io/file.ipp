#pragma once

#include "file.hpp"
#include "journal.hpp"
#include "open_file.hpp"
#include "temporary_name.hpp"
#include "unfinished.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// The part of a path up to its last slash.
ANEMONE_INLINE std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// Whether a folder holds the system's special files: without this check, root could replace /dev/stdout by a plain
/// file.
ANEMONE_INLINE bool is_system_folder(const std::string& folder) {
    struct freed {
        void operator()(char* text) const { std::free(text); } // NOLINT: realpath allocates with malloc
    };
    const std::unique_ptr<char, freed> whole(::realpath(folder.empty() ? "." : folder.c_str(), nullptr));
    const std::string real = whole ? whole.get() : "";
    return real == "/dev" || real == "/dev/fd" || real.starts_with("/proc/");
}

ANEMONE_INLINE mode_t permissions(const struct stat& of) { return static_cast<mode_t>(of.st_mode & 0777U); }

/// A file that is written beside its path, under a temporary name, until `publish` renames it. Removed if never
/// published, as is what was at its path. A pipe or a device is written directly, and has nothing to publish. Throws
/// `error` (errc::file).
class new_file {
public:
    ANEMONE_INLINE explicit new_file(const std::string& path) : path_(path) {
        require_file_path(path);
        struct stat found {};
        const bool exists = ::stat(path.c_str(), &found) == 0;
        if (exists && S_ISDIR(found.st_mode)) {
            throw error(errc::file, path, "is a directory");
        }
        if ((exists && !S_ISREG(found.st_mode)) || is_system_folder(folder_of(path))) {
            file_ = open_file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
        } else if (::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode)) {
            if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) {
                open_aside(permissions(found));
                take_over(found);
            }
        } else {
            open_aside(0666);
        }
        if (!file_) {
            refuse_file_call(path, "cannot be written", errno);
        }
    }
    new_file(const new_file&) = delete;
    new_file& operator=(const new_file&) = delete;
    ~new_file() {
        const std::scoped_lock lock(unfinished().changes);
        for (const std::string* const each : {&aside_, &link_}) { // without copies: there may be no memory
            if (!each->empty()) {
                ::unlink(each->c_str());
                unfinished().remove(*each);
            }
        }
    }

    /// Writes everything and flushes it to disk.
    ANEMONE_INLINE void write(std::span<const std::span<const std::byte>> pieces) {
        int failed = 0;
        std::size_t size = 0;
        for (const std::span<const std::byte> piece : pieces) {
            failed = failed != 0 ? failed : write_all(file_, piece);
            size += piece.size();
        }
        if (failed == 0 && !aside_.empty() && ::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
            failed = errno; // EINVAL, ENOTSUP: there is no disk to wait for
        }
        const int closed = file_.close();
        if (failed != 0 || closed != 0) {
            refuse_file_call(path_, "cannot be written (" + std::to_string(size) + " bytes)",
                             failed != 0 ? failed : closed);
        }
    }

    const std::string& path() const { return path_; }
    /// For a journal of a folder that the path begins with. Empty where the file has no temporary name.
    ANEMONE_INLINE journal_entry entry(const std::string& folder) const {
        return aside_.empty() ? journal_entry{}
                              : journal_entry{aside_.substr(folder.size()), path_.substr(folder.size()),
                                              inode_at(aside_), inode_at(path_)};
    }

    /// Gives it its name; `unfinished().changes` is held. Where `keeps_old`, what was there stays for `take_back`.
    ANEMONE_INLINE void publish(bool keeps_old) {
        struct stat found {};
        if (aside_.empty()) {
            return;
        }
        was_there_ = keeps_old && ::lstat(path_.c_str(), &found) == 0;
        if (was_there_ && exchange_paths(aside_, path_) == 0) {
            is_published_ = true;
            return;
        }
        if (was_there_) { // a system without exchange: a second name for what was there
            link_ = aside_ + "-old";
            unfinished().add(link_);
            if (::link(path_.c_str(), link_.c_str()) != 0) {
                refuse_file_call(path_, "cannot be written, since what is there cannot be kept meanwhile", errno);
            }
        }
        if (std::rename(aside_.c_str(), path_.c_str()) != 0) {
            refuse_file_call(path_, "cannot be written", errno);
        }
        is_published_ = true;
        unfinished().remove(aside_);
        aside_.clear();
    }

    /// Undoes `publish`; `unfinished().changes` is held. False where the system does not allow that.
    ANEMONE_INLINE bool take_back() {
        bool done = true;
        if (is_published_ && !was_there_) {
            done = ::unlink(path_.c_str()) == 0;
        } else if (is_published_ && link_.empty()) {
            done = exchange_paths(aside_, path_) == 0;
        } else if (is_published_) {
            done = std::rename(link_.c_str(), path_.c_str()) == 0;
            if (done) {
                unfinished().remove(link_);
                link_.clear();
            }
        }
        is_published_ = is_published_ && !done;
        return done;
    }
    /// Leaves what has a temporary name to whoever finishes the journal.
    ANEMONE_INLINE void leave() noexcept {
        for (std::string* const each : {&aside_, &link_}) {
            unfinished().remove(*each);
            each->clear();
        }
    }

private:
    /// Its permissions are at most `mode`.
    ANEMONE_INLINE void open_aside(mode_t mode) {
        static std::atomic<unsigned> made{0};
        const std::string stem = temporary_stem(folder_of(path_));
        const std::scoped_lock lock(unfinished().changes);
        int failed = EEXIST;
        for (int attempt = 0; failed == EEXIST && attempt < 1000; ++attempt) { // skip leftovers of others
            std::string name = stem + std::to_string(made++);
            unfinished().add(name); // before it is there: without memory none is left
            file_ = open_file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
            failed = file_ ? 0 : errno;
            if (file_) {
                aside_.swap(name);
            } else {
                unfinished().remove(name);
            }
        }
        if (failed != 0) {
            refuse_file_call(path_, "cannot be written, since no file can be made beside it", failed);
        }
    }

    /// The owner and the permissions of the file that it will replace, as far as the system allows.
    ANEMONE_INLINE void take_over(const struct stat& old) const {
        if (::fchown(file_.get(), old.st_uid, old.st_gid) != 0) {
            // It stays ours.
        }
        if (::fchmod(file_.get(), permissions(old)) != 0) {
            // It stays as strict as it was made, or stricter.
        }
    }

    std::string path_;
    std::string aside_; ///< itself, or once it is published what was there
    std::string link_;  ///< what was there, where the two cannot be exchanged
    bool was_there_ = false;
    bool is_published_ = false;
    open_file file_;
};

/// The innermost folder that all files are below, with the slash at its end.
ANEMONE_INLINE std::string folder_of_all(std::span<const std::unique_ptr<new_file>> files) {
    std::string common = folder_of(files[0]->path());
    for (const std::unique_ptr<new_file>& each : files) {
        while (!each->path().starts_with(common)) {
            common = folder_of(common.substr(0, common.size() - 1));
        }
    }
    return common;
}

/// Gives files their names: all of them, or none.
ANEMONE_INLINE void publish(std::span<const std::unique_ptr<new_file>> files) {
    const std::scoped_lock lock(unfinished().changes);
    file_journal journal;
    if (files.size() > 1) {
        const std::string folder = folder_of_all(files);
        finish_journal(folder); // of a program that was ended here
        std::vector<journal_entry> entries;
        for (const std::unique_ptr<new_file>& each : files) {
            if (journal_entry one = each->entry(folder); one.made != 0) {
                entries.push_back(std::move(one));
            }
        }
        if (entries.size() > 1) {
            journal.begin(folder, std::move(entries));
        }
    }
    std::size_t next = 0;
    try {
        for (; next < files.size(); ++next) {
            files[next]->publish(next + 1 < files.size()); // after the last one nothing can fail
        }
    } catch (...) {
        journal.turn();
        bool is_old = true;
        while (next > 0) {
            is_old = files[--next]->take_back() && is_old;
        }
        for (std::size_t i = 0; !is_old && journal && i < files.size(); ++i) {
            files[i]->leave();
        }
        if (!is_old) {
            journal.leave();
        }
        throw;
    }
}

ANEMONE_BODY void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
    const auto file = std::make_unique<new_file>(path);
    file->write(pieces);
    publish(std::span(&file, 1));
}

/// Makes the folder of a path, and those above it that are missing. (<filesystem> costs compilers more than the rest of
/// this header.) Not while what is unfinished is removed: the folder may be in it.
ANEMONE_INLINE void make_folder_of(const std::string& path) {
    const std::scoped_lock lock(unfinished().changes);
    const std::string folder = folder_of(path);
    for (std::size_t end = folder.find('/', 1); end != std::string::npos; end = folder.find('/', end + 1)) {
        const std::string above = folder.substr(0, end);
        struct stat found {};
        if (::mkdir(above.c_str(), 0777) == 0) {
            continue;
        }
        const int failed = errno;
        if (::stat(above.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) {
            refuse_file_call(path, "its directory cannot be made", failed == EEXIST ? ENOTDIR : failed);
        }
    }
}

ANEMONE_BODY void write_files(std::span<const named_pieces> files) {
    std::vector<std::unique_ptr<new_file>> written;
    for (const named_pieces& each : files) {
        require_file_path(each.path); // before a directory is made for it
        make_folder_of(each.path);
        written.push_back(std::make_unique<new_file>(each.path));
        written.back()->write(each.pieces);
    }
    publish(written);
}

ANEMONE_BODY void write_files(std::span<const named_bytes> files) {
    std::vector<named_pieces> each;
    each.reserve(files.size());
    for (const named_bytes& file : files) {
        each.push_back({file.path, std::span(&file.bytes, 1)});
    }
    write_files(std::span<const named_pieces>(each));
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void write_file(const std::string& path, std::span<const std::byte> bytes) {
    const detail::named_bytes file{path, bytes};
    detail::write_files(std::span(&file, 1));
}

ANEMONE_BODY void write_file(const std::string& path, const std::string& text) {
    write_file(path, std::as_bytes(std::span(text)));
}

} // namespace ane::inline ANEMONE_WAY
