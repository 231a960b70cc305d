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
/// The bytes go to a file beside it, to the disk, and only then under the name: at any moment, and after any failure, the
/// path has the old file or the new one, whole, and nothing else is left behind. The permissions of a file that is
/// replaced are kept, its owner where the system lets us; one that may not be written is refused. A link at the path is
/// replaced by the file, what it names is left alone. Pipes and devices, and everything in /dev and /proc
/// (/dev/stdout), are written straight.
ANEMONE_API void write_file(const std::string& path, std::span<const std::byte> bytes);
ANEMONE_API void write_file(const std::string& path, const std::string& text);

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// The same, piece behind piece, into a directory that is there.
ANEMONE_API void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces);

struct named_bytes {
    std::string path;
    std::span<const std::byte> bytes;
};

/// `write_file` of several that belong together: all are on the disk before the first one gets its name.
ANEMONE_API void write_files(std::span<const named_bytes> files);

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "file.ipp"
#endif
