#pragma once

#include "../analysis/sound_graphs.hpp"
#include "both_backends.hpp"
#include <anemone/passes/lowering.hpp>

#include <cstdint>
#include <utility>
#include <vector>

/// A small random graph around each operation of the list that reads something, with values for its inputs.
namespace every_operation {

using namespace both;

/// Every operation but sources, compressed (a form of a weight) and random_uniform, which reads nothing.
inline std::vector<op> all() {
    std::vector<op> kinds;
    for (std::size_t k = 0; k < op_count; ++k) {
        const auto kind = static_cast<op>(k);
        if (!is_source(kind) && kind != op::compressed && signature(kind).least_operands > 0) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

/// Whether lowering may make other operations of it; a bias becomes an addition.
inline bool is_lowered(op kind) {
    return is_composed(kind) || is_contraction(kind) || kind == op::softplus || kind == op::round ||
           kind == op::floor_div;
}

struct sample {
    dynamic_graph graph;
    weight_store weights;
    std::vector<dense> inputs;
};

/// Of what the random graphs do not hold: a batch that divides, and what gives booleans, made a number.
inline dynamic_graph described(op kind) {
    composer c;
    if (kind == op::batch_to_space) {
        c.output(c.add(kind, factors{2}, {c.input({8, 2, 2, 3})}));
    } else if (kind == op::radius_search) {
        const int points = c.input({1, 3, 1, 6});
        c.output(c.add(op::cast, {c.add(kind, search_radius{2}, {points, c.input({1, 3, 1, 2})})}));
    } else {
        const int a = c.input({2, 3});
        const int b = c.input({2, 3});
        const int compared = c.add(is_comparison(kind) ? kind : op::less, {a, b});
        c.output(c.add(op::cast, {kind == op::logical_not ? c.add(kind, {compared})
                                  : is_logic_of_two(kind) ? c.add(kind, {compared, c.add(op::greater, {b, a})})
                                                          : compared}));
    }
    return c.finish();
}

inline sample draw(op kind, unsigned seed) {
    sample s;
    sound::maker maker(seed, {kind});
    const bool rare =
        gives_booleans(kind) || kind == op::cast || kind == op::radius_search || kind == op::batch_to_space;
    for (int tries = 0; tries < 50 && s.graph.outputs.empty(); ++tries) {
        s.graph = rare ? described(kind) : maker.make(kind, 1);
    }
    s.weights = maker.weights(s.graph);
    for (const node& n : s.graph.nodes) {
        if (n.kind == op::input) {
            s.inputs.emplace_back(n.shape, maker.values(n));
        }
    }
    return s;
}

} // namespace every_operation
