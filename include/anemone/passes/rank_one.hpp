#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/graph.hpp"

namespace ane {

/// Whether a value other than a constant has rank 0, of which the engine's formats know no form.
constexpr bool has_rank_zero(const graph_view& g) {
    for (const node& n : g.nodes) {
        if (n.shape.rank == 0 && n.kind != op::constant && n.kind != op::weight) {
            return true;
        }
    }
    return false;
}

/// The same model with values of rank 1 and one element in place of those of rank 0: both broadcast alike. Where a result
/// gets another shape by that, it is reshaped to the one that it had.
constexpr dynamic_graph with_rank_one(const graph_view& g) {
    dynamic_graph made;
    made.call_as(g);
    sequence<int> renamed(g.nodes.size(), -1);
    for (int i = 0; i < g.size(); ++i) {
        node n = g[i];
        sequence<int> operands;
        for (const int o : g.operands(i)) {
            operands.push_back(renamed[static_cast<std::size_t>(o)]);
        }
        n.name = n.name.count > 0 ? made.intern(g.name(i)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = made.keep(g.values(g[i]));
        }
        const extents wanted =
            n.shape.rank == 0 && n.kind != op::constant && n.kind != op::weight ? extents{1} : n.shape;
        n.shape = wanted;
        int index = made.append(n, operands);
        if (!is_source(n.kind) && n.kind != op::reshape) {
            const inferred r = infer(made, made.nodes.back());
            if (r.ok() && r.shape != wanted && r.shape.count() == wanted.count()) {
                made.nodes.back().shape = r.shape;
                n.kind = op::reshape;
                n.attributes = {};
                const int operand[] = {index};
                index = made.append(n, operand);
            }
        }
        renamed[static_cast<std::size_t>(i)] = index;
    }
    for (const output_port& port : g.outputs) {
        made.add_output(renamed[static_cast<std::size_t>(port.node)], g.name(port),
                        port.is_state() ? renamed[static_cast<std::size_t>(port.state)] : -1);
    }
    return made;
}

} // namespace ane
