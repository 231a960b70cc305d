#pragma once

#include "../base/way.hpp"
#include "store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// The safetensors file format: u64 header length (little endian), a JSON header, then the bytes of all tensors. The
/// header maps a name to {"dtype", "shape", "data_offsets": [begin, end)}, offsets counted from the end of the header;
/// `__metadata__` maps strings to strings. The reader is strict; each failure is an ane::error(errc::file, source,
/// ...).
namespace ane::inline ANEMONE_WAY {

/// Longest header that is read or written, in bytes (the limit of the reference implementation).
inline constexpr std::uint64_t safetensors_header_limit = 100'000'000;
/// Most texts of `__metadata__` that are read or written. The format has no such limit; files have a few.
inline constexpr std::size_t safetensors_metadata_limit = 1'000'000;

/// Reads a file that is held in memory. `source` names it in errors. Tensors come in the order of their offsets.
ANEMONE_API weight_store parse_safetensors(std::span<const std::byte> file, const std::string& source = "safetensors");

/// Reads a regular file: the header, and the tensors of less than 64 KiB. Larger ones stay in the file, which is kept open,
/// until somebody looks at them (`tensor_bytes`): who writes to the file meanwhile, instead of putting another in its place,
/// makes that an error. A file of more bytes than the system has memory for is refused.
ANEMONE_API weight_store load_safetensors(const std::string& path);

/// Writes a store. Tensors are ordered by falling element size, else as in the store, and the header is filled up to a
/// multiple of 8 bytes, so that every tensor is aligned to its element. Throws errc::file for a name or a text that is
/// not UTF-8, too. The file is replaced as `write_file` does (io/file.hpp): a failure leaves what was there.
ANEMONE_API void save_safetensors(const std::string& path, const weight_store& store);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "safetensors.ipp"
#endif
