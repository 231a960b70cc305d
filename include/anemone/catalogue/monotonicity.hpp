#pragma once

#include "catalogue.hpp"

namespace ane {

namespace detail {
template <op Kind> constexpr monotonicity monotonicity_of_function(const node& n) {
    if constexpr (is_unary(Kind)) {
        return catalogue::operation<Kind>::grows(n);
    } else {
        return monotonicity::neither;
    }
}
} // namespace detail

// clang-format takes the directives that follow the macro for part of its body.
// clang-format off

/// Whether a function of one operand rises or falls; `neither` for other operations.
constexpr monotonicity monotonicity_of(const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::monotonicity_of_function<op::name>(n);
#include "../graph/operations.def"
    }
    return monotonicity::neither;
}

} // namespace ane
