#pragma once

#include <cstdint>
#include <string_view>

namespace ane::models {

/// The library that a checkpoint of a network is published by: each has its own names for the same tensors.
/// espcn_pytorch: the implementation that is widespread, ESPCN-pytorch; the authors published none for PyTorch.
enum class publisher : std::uint8_t { torchvision, timm, transformers, ultralytics, diffusers, espcn_pytorch };

constexpr std::string_view name(publisher p) noexcept {
    constexpr std::string_view names[] = {"torchvision", "timm",      "transformers",
                                          "ultralytics", "diffusers", "ESPCN-pytorch"};
    return names[static_cast<int>(p)];
}

} // namespace ane::models
