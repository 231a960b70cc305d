#pragma once

#include "op.hpp"

#include <cstddef>
#include <string_view>

namespace ane {

/// What an operation computes, in a few words or as a formula of its operands: "max(x, 0)".
constexpr std::string_view meaning(op kind) noexcept {
    constexpr std::string_view meanings[] = {
#define ANEMONE_OPERATION(name, group, least, most, attributes, onnx, meaning) meaning,
#include "operations.def"
    };
    return meanings[static_cast<std::size_t>(kind)];
}

} // namespace ane
