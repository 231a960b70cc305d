#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/values/half.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// The result of a graph of two inputs, a value and the cotangent of what was made of it.
inline std::vector<ane::half> derivative_run(const ane::backend::cpu& place, const ane::graph_view& g,
                                             const std::vector<ane::half>& x, const std::vector<ane::half>& dy) {
    ane::backend::cpu_program program = place.compile(g, {});
    std::vector<ane::half> result(static_cast<std::size_t>(g[g.outputs[0].node].shape.count()));
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(x)), std::as_bytes(std::span(dy))};
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(result))};
    program.run(inputs, outputs);
    return result;
}
