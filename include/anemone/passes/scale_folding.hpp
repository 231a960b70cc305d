#pragma once

#include "../graph/constants.hpp"
#include "../graph/uses.hpp"
#include "../values/half.hpp"
#include "../values/power_of_two.hpp"
#include "rewriter.hpp"

namespace ane {

namespace detail {

/// A multiplication of something computed by a constant: the place of the constant among the operands, or -1.
constexpr int factor_position(const graph_view& g, int index, const sequence<char>& known) {
    if (g[index].kind != op::mul) {
        return -1;
    }
    const auto operands = g.operands(index);
    const bool first = known[static_cast<std::size_t>(operands[0])] != 0;
    const bool second = known[static_cast<std::size_t>(operands[1])] != 0;
    return first == second ? -1 : (first ? 0 : 1);
}

/// Whether all values of a constant times `factor` are fp16 values, and none is zero: a reduction times zero is R124.
/// Of what depends on weights nothing is known here: too large a value is refused when the weights are loaded, too
/// small a one keeps the digits that subnormals have. What is not a number is multiplied by `factor` as an fp16
/// constant, so that must be one, and a normal one: several factors in a row may make less.
constexpr bool stays_exact(const graph_view& g, const node& constant, double factor) {
    const bool number = constant.kind == op::constant && constant.shape.rank == 0;
    if (!number && (static_cast<double>(half(factor)) != factor || (factor < 0 ? -factor : factor) < 0x1p-14)) {
        return false;
    }
    if (constant.kind != op::constant) {
        return true;
    }
    for (const float value : g.values(constant)) {
        const double product = static_cast<double>(half(value)) * factor;
        if (static_cast<double>(half(product)) != product || product == 0) {
            return false;
        }
    }
    return true;
}

/// What becomes of the multiplications of a graph: for each node the one whose value it multiplies, and by which number
/// its constant is multiplied too. A node that nothing was folded into has `source` -1.
struct folded_scale {
    int source = -1;
    int constant = -1;
    double factor = 1;
};

/// Finds products x c1 c2 where c1 is a scalar, c1 or a scalar c2 is a power of two, and nothing else reads x c1.
constexpr sequence<folded_scale> find_scales(const graph_view& g, bool& any) {
    const sequence<char> known = constant_nodes(g);
    const sequence<int> readers = uses(g);
    const auto is_number = [&g](int index) { return g[index].kind == op::constant && g[index].shape.rank == 0; };
    const auto number = [&g](int index) { return static_cast<double>(half(g.value(g[index], 0))); };
    sequence<folded_scale> result(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        const int position = factor_position(g, i, known);
        if (position < 0) {
            continue;
        }
        const int constant = g.operands(i)[static_cast<std::size_t>(position)];
        const int inner = g.operands(i)[static_cast<std::size_t>(1 - position)];
        const int inner_position = factor_position(g, inner, known);
        if (inner_position < 0 || readers[static_cast<std::size_t>(inner)] != 1) {
            continue;
        }
        const int first = g.operands(inner)[static_cast<std::size_t>(inner_position)];
        if (!is_number(first)) {
            continue;
        }
        const folded_scale& before = result[static_cast<std::size_t>(inner)];
        const double factor = number(first) * before.factor;
        const bool exact = is_power_of_two(factor) || (is_number(constant) && is_power_of_two(number(constant)));
        if (exact && stays_exact(g, g[constant], factor)) {
            const int source = g.operands(inner)[static_cast<std::size_t>(1 - inner_position)];
            result[static_cast<std::size_t>(i)] = {before.source >= 0 ? before.source : source, constant, factor};
            any = true;
        }
    }
    return result;
}

} // namespace detail

/// Merges successive multiplications by constants where that is exact: a power of two and another factor become one
/// multiplication, and two that cancel disappear; an intermediate overflow between them then no longer occurs. So the
/// inverse of a scale (ops/scaled.hpp) costs nothing before a batch norm or another gain. `origins` has a number for
/// each node, which goes with it.
constexpr void fold_scales(dynamic_graph& graph, sequence<int>& origins) {
    const graph_view g = graph;
    bool any = false;
    const sequence<detail::folded_scale> scales = detail::find_scales(g, any);
    if (!any) {
        return;
    }
    struct fate {
        bool needed = false;
        bool is_output = false;
    };
    sequence<fate> fates(g.nodes.size());
    for (const output_port& port : g.outputs) {
        fates[static_cast<std::size_t>(port.node)].needed = true;
        fates[static_cast<std::size_t>(port.node)].is_output = true;
    }
    for (std::size_t i = g.nodes.size(); i-- > 0;) {
        const bool droppable = g.nodes[i].kind == op::mul || g.nodes[i].kind == op::constant;
        fates[i].needed = fates[i].needed || !droppable;
        if (!fates[i].needed) {
            continue;
        }
        const detail::folded_scale& s = scales[i];
        if (s.source >= 0) {
            fates[static_cast<std::size_t>(s.source)].needed = true;
            fates[static_cast<std::size_t>(s.constant)].needed = true;
            continue;
        }
        for (const int o : g.operands(static_cast<int>(i))) {
            fates[static_cast<std::size_t>(o)].needed = true;
        }
    }
    rewriter w(g);
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!fates[at].needed) {
            continue;
        }
        w.visit(i);
        const detail::folded_scale& s = scales[at];
        if (s.source < 0) {
            w.rename(i, w.copy(i));
            continue;
        }
        const int x = w.renamed(s.source);
        const node& constant = g[s.constant];
        if (constant.kind != op::constant || constant.shape.rank > 0) {
            const int factor = w.scalar(static_cast<float>(s.factor));
            const int both = w.emit(op::mul, no_attributes{}, {w.renamed(s.constant), factor});
            w.rename(i, w.emit(op::mul, no_attributes{}, {x, both}));
            continue;
        }
        const double both = s.factor * static_cast<double>(half(g.value(constant, 0)));
        w.rename(i, both == 1 && !fates[at].is_output
                        ? x
                        : w.emit(op::mul, no_attributes{}, {x, w.scalar(static_cast<float>(both))}));
    }
    for (const output_port& port : g.outputs) {
        w.add_output(w.renamed(port.node), port);
    }
    sequence<int> kept;
    kept.reserve(w.origins().size());
    for (const int origin : w.origins()) {
        kept.push_back(origins[static_cast<std::size_t>(origin)]);
    }
    origins = kept;
    graph = w.result();
}

} // namespace ane
