#pragma once

#include "catalogue.hpp"

#include <cstdint>

namespace ane {

namespace detail {
template <op Kind> constexpr std::uint32_t mixed_by(const node& n) {
    if constexpr (signature(Kind).group == op_group::normalization) {
        return catalogue::operation<Kind>::mixes(n);
    } else {
        return ~0U;
    }
}
} // namespace detail

// clang-format takes the directives that follow the macro for part of its body.
// clang-format off

/// The axes, as bits, along which an element of a norm's result depends on more than one of its first operand; all of
/// other operations.
constexpr std::uint32_t mixed_axes(const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::mixed_by<op::name>(n);
#include "../graph/operations.def"
    }
    return ~0U;
}

} // namespace ane
