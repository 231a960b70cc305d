#pragma once

#include "../error.hpp"
#include "../way.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace ane::inline ANEMONE_WAY {

/// Writes a whole file; the directory is made where it is missing. Throws `error` (errc::file) with the path.
ANEMONE_API void write_file(const std::string& path, std::span<const std::byte> bytes);
ANEMONE_API void write_file(const std::string& path, const std::string& text);

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// Writes a whole file, piece behind piece, into a directory that is there: all files of the library are written here.
ANEMONE_API void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces);

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "file.ipp"
#endif
