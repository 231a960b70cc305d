#pragma once

#include "tensor.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace command {

/// The arrays of a .npz file by name, or the one of a .npy file, whose name is the file's stem. No more than `most`
/// bytes are taken for their numbers, which is checked before. Throws `ane::error` (errc::file) for what NumPy's format
/// does not allow, for element types other than numbers of 1, 2, 4 or 8 bytes, and for Fortran order.
std::vector<tensor> read_arrays(const std::string& path, std::uint64_t most);

/// Writes arrays as float16 where fp16 holds every number, else as float32: to a .npz file, or one array to a .npy file.
/// Whole or not at all.
void write_arrays(const std::string& path, std::span<const tensor> arrays);

} // namespace command
