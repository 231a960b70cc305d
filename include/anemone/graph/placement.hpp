#pragma once

#include "tensor.hpp"

#include <string_view>

namespace ane {

namespace detail {

/// The node of a value that an operation computed, or null after a refusal.
template <class Shape, dtype Type>
constexpr node* operation_of(const tensor<Shape, Type>& x, std::string_view caller, source_location where) {
    node& n = x.graph->nodes[static_cast<std::size_t>(x.node)];
    if (is_source(n.kind)) {
        x.graph->refuse(model_rule::only_an_operation_has_a_place, caller, where);
        return nullptr;
    }
    return &n;
}

} // namespace detail

/// Cuts the model behind a value: what reads it belongs to a later program (segments/segments.hpp). A cut inside a layer
/// that the engine's compiler fuses falls behind that layer. Backends that take models whole ignore it. Returns the
/// value.
///
///     auto hidden = cut(encoder(x));
template <class Shape, dtype Type>
constexpr tensor<Shape, Type> cut(tensor<Shape, Type> x, source_location where = here()) {
    if (node* const n = detail::operation_of(x, "cut", where)) {
        n->ends_segment = true;
    }
    return x;
}

/// Gives the operation that computes a value to the host, which computes in fp32 and rounds its result to fp16 once.
/// Backends that take models whole ignore it. Returns the value.
template <class Shape, dtype Type>
constexpr tensor<Shape, Type> on_host(tensor<Shape, Type> x, source_location where = here()) {
    if (node* const n = detail::operation_of(x, "on_host", where)) {
        n->on_host = true;
    }
    return x;
}

} // namespace ane
