#pragma once

#include <anemone/values/half.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kit {

/// All patterns of a short array, "7c00 0000"; of a long one the first sixteen, their number and a digest of all.
std::string patterns(std::span<const ane::half> values);
std::string patterns(std::span<const std::byte> bytes, std::size_t of_element);

/// FNV-1a over the bytes.
std::uint64_t digest(std::span<const std::byte> bytes);

/// How two arrays differ, "3 of 16, at most 2 ulp; [4] 3c01 for 3c00"; empty where every bit is equal.
std::string differences(std::span<const ane::half> engine, std::span<const ane::half> oracle);

} // namespace kit
