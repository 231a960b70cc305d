#pragma once

#include <anemone/catalogue/catalogue.hpp>
#include <anemone/graph/graph.hpp>

#include <cstdint>
#include <random>
#include <vector>

/// Random graphs for property tests: operations over earlier values, with reshapes, weights, and several outputs.
namespace passes_test {

inline ane::dynamic_graph random_graph(std::uint32_t seed, int operations) {
    using namespace ane;
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
    dynamic_graph g;
    const auto source = [&](op kind, const extents& shape, std::string_view name) {
        node n;
        n.kind = kind;
        n.shape = shape;
        n.attributes = contract{};
        n.name = g.intern(name);
        return g.append(n, {});
    };
    source(op::input, {1, 4, 6, 6}, "x");
    source(op::weight, {1, 4, 1, 1}, "w");
    for (int k = 0; k < operations; ++k) {
        // Mostly recent values, so that lives end; sometimes an old one.
        const std::size_t window = g.nodes.size() < 6 || random() % 5 == 0 ? g.nodes.size() : 6;
        const int a = static_cast<int>(g.nodes.size()) - 1 - below(window);
        const extents shape = g.nodes[static_cast<std::size_t>(a)].shape;
        node n;
        std::vector<int> operands{a};
        switch (below(6)) {
        case 0:
            n.kind = op::reshape;
            n.shape = shape.rank == 4 ? extents{1, 1, 1, shape.count()} : extents{1, shape.count()};
            break;
        case 1:
            n.kind = op::add;
            n.shape = shape;
            for (int i = static_cast<int>(g.nodes.size()) - 1; i >= 0; --i) {
                if (g.nodes[static_cast<std::size_t>(i)].shape == shape && random() % 3 != 0) {
                    operands.push_back(i);
                    break;
                }
            }
            if (operands.size() == 1) {
                operands.push_back(a);
            }
            break;
        case 2:
            n.kind = op::concat;
            n.attributes = axis{shape.rank - 1};
            operands.push_back(a);
            n.shape = shape;
            n.shape[shape.rank - 1] *= 2;
            break;
        case 3:
            n.kind = op::reduce_max;
            n.attributes = axes{shape.rank - 1};
            n.shape = shape;
            n.shape[shape.rank - 1] = 1;
            break;
        default: n.kind = below(2) == 0 ? op::relu : op::sqrt; n.shape = shape;
        }
        if (n.shape.count() > 100000) {
            n.kind = op::relu;
            n.attributes = {};
            n.shape = shape;
            operands.resize(1);
        }
        g.append(n, operands);
    }
    const int last = static_cast<int>(g.nodes.size()) - 1;
    g.add_output(last, "last");
    g.add_output(2 + below(static_cast<std::size_t>(operations)), "some");
    return g;
}

} // namespace passes_test
