#pragma once

#include "../passes/prune.hpp"
#include "builder.hpp"
#include "graph.hpp"

namespace ane {

namespace detail {

/// Runs the author's function over a builder and removes what no output needs.
template <class Function> constexpr dynamic_graph build(const Function& describe) {
    dynamic_graph raw;
    builder g(raw);
    describe(g);
    if (raw.outputs.empty()) {
        throw std::logic_error("a graph needs at least one output: call g.output(name, value)");
    }
    return prune(raw);
}

template <class Function> constexpr graph_size measure() { return size_of(build(Function{})); }

} // namespace detail

/// Builds a model at compile time from a function over a builder: `constexpr auto m = graph([](auto& g) { ... });`
/// The function must not capture anything. The result is exactly as large as the graph is.
template <class Function> consteval auto graph(Function) {
    constexpr graph_size size = detail::measure<Function>();
    return static_graph<size>(detail::build(Function{}));
}

/// Builds a model at run time; the function may capture.
template <class Function> dynamic_graph build_graph(const Function& describe) { return detail::build(describe); }

} // namespace ane
