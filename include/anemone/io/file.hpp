#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace ane::inline ANEMONE_WAY {

/// Writes a whole file; the directory is made where it is missing. Throws `error` (errc::file) with the path and the
/// system's reason.
///
/// The bytes go to a temporary file beside it, are flushed to disk, and only then is the file renamed: at any moment,
/// and after any failure, the path has either the old file or the new one, complete, and nothing else is left behind.
/// The permissions of a file that is replaced are kept, its owner where the system allows it; a file that is not
/// writable is refused. A symbolic link at the path is replaced by the file; its target is left alone. Pipes and
/// devices, and everything in /dev and /proc (/dev/stdout), are written directly.
ANEMONE_API void write_file(const std::string& path, std::span<const std::byte> bytes);
ANEMONE_API void write_file(const std::string& path, const std::string& text);

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// The same from several consecutive pieces, into an existing directory.
ANEMONE_API void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces);

struct named_bytes {
    std::string path;
    std::span<const std::byte> bytes;
};

struct named_pieces {
    std::string path;
    std::span<const std::span<const std::byte>> pieces;
};

/// `write_file` for several files that belong together: all are on disk before the first one is renamed, and where one
/// cannot be, those before it get their old content back. Where the process or the machine ends between two renames, a
/// journal beside the files says how they go on: whoever writes there next, or reads a model there, does it (journal.hpp).
ANEMONE_API void write_files(std::span<const named_pieces> files);
ANEMONE_API void write_files(std::span<const named_bytes> files);

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "file.ipp"
#endif
