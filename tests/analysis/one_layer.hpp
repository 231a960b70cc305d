#pragma once

#include <anemone/analysis/residency.hpp>

#include <cstdint>
#include <vector>

/// Graphs of one operation, to ask what it takes of the chip.
namespace one_layer {

using namespace ane;

inline constexpr const target_description& m1 = describe(h13);

/// A graph of one operation over sources.
struct source {
    op kind;
    extents shape;
    attributes values{};
};
inline dynamic_graph one(op kind, const attributes& values, const std::vector<source>& sources, const extents& result) {
    dynamic_graph g;
    std::vector<int> operands;
    for (const source& s : sources) {
        node n;
        n.kind = s.kind;
        n.shape = s.shape;
        n.attributes = s.values;
        operands.push_back(g.append(n, {}));
    }
    node n;
    n.kind = kind;
    n.shape = result;
    n.attributes = values;
    g.add_output(g.append(n, operands), "y");
    return g;
}
/// A convolution [1, in, side, side] -> [1, out, height, width].
inline dynamic_graph convolution(extents kernel, conv values, std::int64_t in, extents result, op weight = op::weight,
                                 compression form = {}) {
    source w{weight, kernel, weight == op::compressed ? attributes(form) : attributes(contract{})};
    return one(op::conv2d, values, {{op::input, {1, in, 64, 64}, contract{}}, w}, result);
}
inline winograd_use winograd(const dynamic_graph& g, target t = h13) {
    const graph_view v = g;
    return winograd_of(v, v[2], geometry_of(v, v[2]), describe(t));
}
inline kernel_use kernel(const dynamic_graph& g, target t = h13) { return kernel_use_of(g, 2, describe(t)); }

} // namespace one_layer
