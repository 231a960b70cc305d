#pragma once

#include <cstdint>
#include <string_view>

namespace ane::models {

/// The library that a checkpoint of a network is published by: each has its own names for the same tensors.
enum class publisher : std::uint8_t { torchvision, timm, transformers };

constexpr std::string_view name(publisher p) noexcept {
    constexpr std::string_view names[] = {"torchvision", "timm", "transformers"};
    return names[static_cast<int>(p)];
}

} // namespace ane::models
