#pragma once

#include <cstdint>
#include <string>

namespace command {

/// The bytes of a regular file. Throws `ane::error` (errc::file) for a folder, a pipe or a device, and for a file of more
/// than `most` bytes.
std::string input_bytes(const std::string& path, std::uint64_t most);

} // namespace command
