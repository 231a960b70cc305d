#pragma once

#include "graph/builder.hpp"
#include "graph/graph.hpp"
#include "graph/refusal.hpp"
#include "passes/prune.hpp"
#include "passes/validate.hpp"

#include <cstddef>
#include <utility>

namespace ane {

namespace detail {

/// Runs the author's function over a builder.
template <class Function> constexpr dynamic_graph describe_with(const Function& describe) {
    dynamic_graph raw;
    builder g(raw);
    describe(g);
    if (raw.outputs.empty()) {
        refuse_graph("graph", "needs at least one output: call g.output(name, value)");
    }
    return raw;
}

/// One constant for each stage, since compilers bound the steps of each: sizes, then values, before and after pruning.
template <class Function> constexpr graph_size described_size() { return size_of(describe_with(Function{})); }
template <class Function> struct described {
    static constexpr graph_size size = described_size<Function>();
    static constexpr static_graph<size> value{describe_with(Function{})};
};
/// The second opinion: all shapes again, from the values instead of the types; 512 nodes in one constant.
template <class Function, std::size_t Chunk> constexpr bool chunk_is_valid() {
    constexpr int size = described<Function>::value.view().size();
    constexpr int first = static_cast<int>(Chunk) * 512;
    validate_nodes(described<Function>::value, first, first + 512 < size ? first + 512 : size);
    return true;
}
template <class Function, std::size_t Chunk> inline constexpr bool valid_chunk = chunk_is_valid<Function, Chunk>();
template <class Function, std::size_t... Chunk> constexpr bool described_well(std::index_sequence<Chunk...>) {
    validate_outputs(described<Function>::value);
    static_assert((valid_chunk<Function, Chunk> && ...));
    return true;
}
template <class Function> constexpr graph_size pruned_size() { return size_of(prune(described<Function>::value)); }

} // namespace detail

/// Builds a model at compile time from a function over a builder: `constexpr auto m = graph([](auto& g) { ... });`
/// The function must not capture anything. The result is exactly as large as the graph is.
template <class Function> consteval auto graph(Function) {
    constexpr std::size_t chunks = (detail::described<Function>::size.nodes + 511) / 512;
    static_assert(detail::described_well<Function>(std::make_index_sequence<chunks>{}));
    constexpr graph_size size = detail::pruned_size<Function>();
    return static_graph<size>(prune(detail::described<Function>::value));
}

/// Builds a model at run time; the function may capture.
template <class Function> dynamic_graph build_graph(const Function& describe) {
    const dynamic_graph described = detail::describe_with(describe);
    validate(described);
    return prune(described);
}

} // namespace ane
