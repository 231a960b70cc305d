#pragma once

#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace curves {

struct tensor_values {
    ane::extents shape;
    std::span<const ane::half> values;
};

/// One operation as a model of its own, on the oracle.
inline std::vector<ane::half> on_engine(const ane::numerics::datapath& path, ane::op kind, const ane::attributes& with,
                                        const std::vector<tensor_values>& operands) {
    ane::dynamic_builder graph;
    std::vector<ane::dynamic_tensor> read;
    std::vector<std::span<const std::byte>> inputs;
    for (const tensor_values& v : operands) {
        read.push_back(graph.input("x" + std::to_string(read.size()), v.shape));
        inputs.push_back(std::as_bytes(v.values));
    }
    const ane::dynamic_tensor result = graph.add(kind, read, with);
    graph.output("y", result);
    std::vector<ane::half> y(static_cast<std::size_t>(result.shape().count()));
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(y))};
    ane::compile(graph.finish(), ane::backend::oracle{path}, {}).run(inputs, outputs);
    return y;
}

/// An elementwise operation of two vectors of equal length.
inline std::vector<ane::half> on_engine(const ane::numerics::datapath& path, ane::op kind,
                                        const std::vector<ane::half>& a, const std::vector<ane::half>& b) {
    const ane::extents shape{static_cast<std::int64_t>(a.size())};
    return on_engine(path, kind, {}, {{shape, a}, {shape, b}});
}

} // namespace curves
