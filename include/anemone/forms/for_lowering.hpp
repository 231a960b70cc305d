#pragma once

#include "../passes/lowering.hpp"

namespace ane::forms {

/// Whether lowering takes an operation apart: what becomes of it can be written as MIL text, whatever its
/// shapes and attributes.
constexpr bool is_for_lowering(const node& n) {
    return is_composed(n.kind) || (signature(n.kind).group == op_group::contraction && n.operands.count == 3);
}

} // namespace ane::forms
