#pragma once

#include "file.hpp"

namespace ane::detail::inline ANEMONE_WAY {

/// The files of a folder, by their paths in it. A folder that is missing, empty or has no other files becomes the new one
/// at once, whole: the two are exchanged. One that has others keeps them, and gets these by `write_files`.
ANEMONE_API void write_folder(const std::string& folder, std::span<const named_bytes> files);

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "folder.ipp"
#endif
