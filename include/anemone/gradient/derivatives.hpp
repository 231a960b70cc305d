#pragma once

#include "binary.hpp"
#include "contraction.hpp"
#include "indexed.hpp"
#include "movement.hpp"
#include "normalization.hpp"
#include "others.hpp"
#include "pooling.hpp"
#include "reduction.hpp"
#include "unary.hpp"

// clang-format takes the directives that follow these macros for part of their bodies.
// clang-format off

/// What is known of the derivative of each operation: each function is one exhaustive choice.
namespace ane {

/// Why an operation has no derivative; empty for one that has.
constexpr no_derivative derivative_refusal(op kind) {
    switch (kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::gradients::derivative<op::name>::none;
#include "../graph/operations.def"
    }
    return {};
}

namespace detail::gradients {

/// Whether the result is an index, a boolean or an integer, which no cotangent reaches.
constexpr bool is_flat(op kind) {
    switch (kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return derivative<op::name>::flat;
#include "../graph/operations.def"
    }
    return false;
}

constexpr void pull(const step& s) {
    switch (s.n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: derivative<op::name>::pull(s); return;
#include "../graph/operations.def"
    }
}

} // namespace detail::gradients

// clang-format on

} // namespace ane
