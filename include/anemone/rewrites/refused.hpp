#pragma once

#include "borders.hpp"
#include "dynamic_codes.hpp"
#include "polyphase.hpp"
#include "slices.hpp"

/// What rewrites have to leave, or to mend: layers that a target refuses.
namespace ane::detail {

/// Activations longer along an axis than a tensor may be (R015, R017).
constexpr int oversized_values(const graph_view& g, const target_description& t) {
    int found = 0;
    for (const node& n : g.nodes) {
        const bool exceeds = n.shape.width() > t.limits.tensor_w || n.shape.height() > t.limits.tensor_h ||
                             n.shape.channels() > t.limits.tensor_c;
        found += !is_source(n.kind) && exceeds ? 1 : 0;
    }
    return found;
}

/// Layers that a target refuses for what the rewrites mend, or for an extent.
constexpr int refused_layers(const graph_view& g, const target_description& t) {
    int refused =
        refused_convolutions(g, t) + refused_slices(g, t) + products_of_dynamic_codes(g) + oversized_values(g, t);
    for (const node& n : g.nodes) {
        refused += is_refused_border(g, n, t) ? 1 : 0;
    }
    return refused;
}

} // namespace ane::detail
