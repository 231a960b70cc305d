#pragma once

#include "catalogue.hpp"

namespace ane {

namespace detail {
template <op Kind> constexpr growth growth_of_function(const node& n) {
    if constexpr (is_unary(Kind)) {
        return catalogue::operation<Kind>::grows(n);
    } else {
        return growth::neither;
    }
}
} // namespace detail

// clang-format takes the directives that follow the macro for part of its body.
// clang-format off

/// Whether a function of one operand rises or falls; `neither` for other operations.
constexpr growth growth_of(const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::growth_of_function<op::name>(n);
#include "../graph/operations.def"
    }
    return growth::neither;
}

} // namespace ane
