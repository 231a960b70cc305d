#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "evaluate.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Advice to take the other route, by what that route says of the same model: a finding that sends a model from MIL text to
/// a netplist beside one that sends it back helps nobody.
namespace ane::detail::inline ANEMONE_WAY {

constexpr std::string_view route_name(compile_route r) { return r == compile_route::mil ? "MIL" : "netplist"; }

/// What to do about a node that one route refuses and `other` is said to take: the route for the whole model, or where
/// that has errors elsewhere a program of its own, or nothing where the node itself is refused there too.
ANEMONE_INLINE std::string route_advice(std::string_view suggestion, const violation& v, const graph_view& g,
                                        const target_description& t, compile_route other) {
    int refused = 0;
    for (const violation& w : violations(g, t, on_route(other))) {
        if (w.is_error && w.node == v.node) {
            return {};
        }
        refused += w.is_error ? 1 : 0;
    }
    return refused == 0 ? std::string(suggestion)
                        : formatted("cut the model: this layer in a program of its own on the {} route, which refuses "
                                    "{} more",
                                    route_name(other), refused);
}

} // namespace ane::detail::inline ANEMONE_WAY
