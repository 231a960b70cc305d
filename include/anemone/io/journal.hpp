#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "open_file.hpp"
#include "temporary_name.hpp"
#include "unfinished.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <utility>
#include <vector>

/// Several files that get their names one after the other, in folders that have other files too: what a program that ended in
/// between, or a machine, has begun is brought to its end by whoever writes or reads there next. Only bodies include this
/// header.
namespace ane::detail::inline ANEMONE_WAY {

/// A file that is to get its name, both by their paths below the journal's folder. Files are known by their inodes, which
/// nobody who only writes a journal can choose.
struct journal_entry {
    std::string aside;      ///< the temporary name
    std::string name;       ///< the name
    std::uint64_t made = 0; ///< the new file
    std::uint64_t old = 0;  ///< what had the name; 0: nothing
};

inline constexpr std::string_view journal_name = ".anemone-journal";

/// The inode at a path, of a link its own; 0 where there is none or a folder.
ANEMONE_INLINE std::uint64_t inode_at(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode) ? static_cast<std::uint64_t>(found.st_ino) : 0;
}

/// What a journal says, in words that `entries_of` reads: whether the files go on to their names, or back.
ANEMONE_INLINE std::string journal_text(std::span<const journal_entry> entries, bool forward) {
    std::string text = forward ? "anemone journal 1 forward\n" : "anemone journal 1 back\n";
    for (const journal_entry& e : entries) {
        text += std::to_string(e.made) + " " + std::to_string(e.old) + " " + std::to_string(e.aside.size()) + " " +
                std::to_string(e.name.size()) + " " + e.aside + e.name + "\n";
    }
    return text + "end\n";
}

/// A path that leads nowhere but below the folder.
ANEMONE_INLINE bool stays_below(std::string_view path) {
    return !path.empty() && path.front() != '/' && path.find('\0') == path.npos &&
           ("/" + std::string(path) + "/").find("/../") == std::string::npos;
}

/// The entries of a whole journal; false for any other text.
ANEMONE_INLINE bool entries_of(std::string_view text, std::vector<journal_entry>& to, bool& forward) {
    const auto take = [&](std::string_view words) {
        const bool there = text.starts_with(words);
        text.remove_prefix(there ? words.size() : 0);
        return there;
    };
    const auto number = [&](std::uint64_t& value) {
        const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool good = end.ec == std::errc() && end.ptr != text.data() + text.size() && *end.ptr == ' ';
        text.remove_prefix(good ? static_cast<std::size_t>(end.ptr - text.data()) + 1 : 0);
        return good;
    };
    forward = take("anemone journal 1 forward\n");
    if (!forward && !take("anemone journal 1 back\n")) {
        return false;
    }
    while (text != "end\n") {
        journal_entry e;
        std::uint64_t aside = 0;
        std::uint64_t name = 0;
        if (!number(e.made) || !number(e.old) || !number(aside) || !number(name) || aside > text.size() ||
            name > text.size() - aside) {
            return false;
        }
        e.aside = text.substr(0, aside);
        e.name = text.substr(aside, name);
        text.remove_prefix(aside + name);
        if (!take("\n") || e.made == 0 || !stays_below(e.aside) || !stays_below(e.name) ||
            e.aside.find(temporary_mark) == std::string::npos) {
            return false;
        }
        to.push_back(std::move(e));
    }
    return true;
}

/// What is done for one file: it has its name afterwards, or what was there before. Gives errno, or 0.
ANEMONE_INLINE int finish_entry(const std::string& folder, const journal_entry& e, bool forward) {
    const std::string aside = folder + e.aside;
    const std::string link = aside + "-old"; // where the system cannot exchange two files
    const std::string name = folder + e.name;
    const auto is_old = [&](const std::string& path) { return e.old != 0 && inode_at(path) == e.old; };
    const auto move = [&](const std::string& from) { return std::rename(from.c_str(), name.c_str()) == 0 ? 0 : errno; };
    int failed = 0;
    if (forward) {
        failed = inode_at(aside) == e.made ? move(aside) : 0;
    } else if (is_old(aside) || is_old(link)) {
        failed = move(is_old(aside) ? aside : link);
    } else if (e.old == 0 && inode_at(name) == e.made) {
        failed = ::unlink(name.c_str()) == 0 ? 0 : errno;
    }
    for (const std::string& left : {aside, link}) {
        if (failed == 0 && (is_old(left) || inode_at(left) == e.made)) {
            ::unlink(left.c_str());
        }
    }
    return failed;
}

/// Brings to its end what another program has begun in a folder (a path with a slash at its end, or an empty one) and was
/// ended in; waits for one that lives. A journal that is not this user's is none. Throws `error` (errc::file) where the files
/// stay of two ages.
ANEMONE_INLINE void finish_journal(const std::string& folder) {
    const std::string path = folder + std::string(journal_name);
    const open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
    struct stat found {};
    constexpr off_t longest = off_t{1} << 16U;
    if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid() ||
        found.st_size > longest) {
        return;
    }
    while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {}
    if (inode_at(path) != static_cast<std::uint64_t>(found.st_ino)) {
        return; // its own writer, or another reader, has finished it
    }
    std::string text(static_cast<std::size_t>(found.st_size), '\0');
    std::vector<journal_entry> entries;
    bool forward = false;
    if (::pread(file.get(), text.data(), text.size(), 0) != found.st_size || !entries_of(text, entries, forward)) {
        return;
    }
    for (const journal_entry& e : entries) {
        if (const int failed = finish_entry(folder, e, forward); failed != 0) {
            refuse_file_call(
                folder + e.name,
                "is of another age than the files beside it, for writing them was interrupted, and cannot be "
                "mended",
                failed);
        }
    }
    ::unlink(path.c_str());
}

/// The journal of files that get their names now; `unfinished().changes` is held while it lives. Made by default, there is
/// none.
class file_journal {
public:
    file_journal() = default;
    file_journal(const file_journal&) = delete;
    file_journal& operator=(const file_journal&) = delete;
    ~file_journal() {
        if (file_ && !name_.empty()) {
            ::unlink(name_.c_str());
        }
    }

    /// From here on the files go to their names, whoever brings them there. Throws `error` (errc::file).
    ANEMONE_INLINE void begin(const std::string& folder, std::vector<journal_entry> entries) {
        folder_ = folder;
        name_ = folder + std::string(journal_name);
        entries_ = std::move(entries);
        file_ = written(true);
    }
    explicit operator bool() const { return static_cast<bool>(file_); }
    /// It stays, for it could not be done.
    void leave() noexcept { name_.clear(); }
    /// From here on they go back.
    ANEMONE_INLINE void turn() noexcept {
        try {
            if (file_) {
                open_file back = written(false);
                file_ = std::move(back);
            }
        } catch (...) { // NOLINT(bugprone-empty-catch): the files go back all the same
        }
    }

private:
    /// A journal on the disk under its name, locked.
    ANEMONE_INLINE open_file written(bool forward) const {
        const std::string aside = temporary_stem(folder_) + "journal";
        const std::string text = journal_text(entries_, forward);
        ::unlink(aside.c_str()); // of a process of the same number that is gone
        unfinished().add(aside);
        open_file file(::open(aside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        int failed = file ? 0 : errno;
        if (failed == 0 && ::flock(file.get(), LOCK_EX) != 0) {
            failed = errno == ENOLCK || errno == ENOTSUP ? 0 : errno; // a network's file system may have none
        }
        failed = failed != 0 ? failed : write_all(file, std::as_bytes(std::span(text)));
        if (failed == 0 && ::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
            failed = errno;
        }
        if (failed == 0 && std::rename(aside.c_str(), name_.c_str()) != 0) {
            failed = errno;
        }
        if (failed != 0) {
            ::unlink(aside.c_str());
        }
        unfinished().remove(aside);
        if (failed != 0) {
            refuse_file_call(name_, "cannot be written", failed);
        }
        const open_file around(::open(folder_.empty() ? "." : folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (around && ::fsync(around.get()) != 0) {
            // There is no disk to wait for.
        }
        return file;
    }

    std::string folder_;
    std::string name_; ///< kept, for at the end there may be no memory
    std::vector<journal_entry> entries_;
    open_file file_;
};

} // namespace ane::detail::inline ANEMONE_WAY
