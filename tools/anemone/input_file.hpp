#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace command {

/// The bytes of a regular file. Throws `ane::error` (errc::file) for a folder, a pipe or a device, and for a file of more
/// than `most` bytes.
std::string input_bytes(const std::string& path, std::uint64_t most);

/// The first bytes of a regular file, `most` of them or all that it has. Throws as above.
std::string first_bytes(const std::string& path, std::size_t most);

} // namespace command
