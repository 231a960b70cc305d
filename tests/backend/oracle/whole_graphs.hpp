#pragma once

#include <anemone/backend/program.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/store.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

/// Graphs of one input and one output, run on a backend, with random values.
namespace whole_graphs {

using namespace ane;

using halves = std::vector<half>;

inline halves gaussian(std::int64_t count, double deviation, std::mt19937_64& random) {
    std::normal_distribution<double> normal(0.0, deviation);
    halves values(static_cast<std::size_t>(count));
    for (half& v : values) {
        v = half(normal(random));
    }
    return values;
}

inline weight_store random_weights(const graph_view& g, double deviation, std::mt19937_64& random) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            std::vector<float> values;
            for (const half v : gaussian(g[i].shape.count(), deviation, random)) {
                values.push_back(static_cast<float>(v));
            }
            store.add(std::string(g.name(i)), g[i].shape, std::span<const float>(values));
        }
    }
    return store;
}

/// One output of a graph of one input.
template <class Backend>
halves run(const Backend& backend, const dynamic_graph& g, const weight_store& weights, const halves& x) {
    auto program = compile(g, backend, weights);
    const graph_view view = g;
    halves y(static_cast<std::size_t>(view[view.outputs[0].node].shape.count()));
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    program.run(in, out);
    return y;
}

inline bool equal_bits(const halves& a, const halves& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](half s, half t) { return s.bits == t.bits; });
}

inline std::vector<op> kinds(const lowered_graph& g) {
    std::vector<op> result;
    for (const node& n : g.graph.nodes) {
        if (!is_source(n.kind)) {
            result.push_back(n.kind);
        }
    }
    return result;
}

inline halves repeated(std::initializer_list<double> values, int times) {
    halves result;
    for (int i = 0; i < times; ++i) {
        for (const double v : values) {
            result.emplace_back(v);
        }
    }
    return result;
}

} // namespace whole_graphs
