#pragma once

#include "composer.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

/// Graphs whose ports hold fp16 or bytes, run on either backend.
namespace composing {

inline std::vector<half> gaussian(random_engine& random, std::size_t count, double deviation) {
    std::normal_distribution<double> draw(0, deviation);
    std::vector<half> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.emplace_back(draw(random));
    }
    return values;
}

/// Runs a graph of inputs and outputs of fp16 (or bytes) on a backend; all outputs as halves.
template <class Backend>
std::vector<std::vector<half>> run(const Backend& on, const dynamic_graph& g, const weight_store& weights,
                                   const std::vector<std::vector<std::byte>>& inputs) {
    auto program = compile(g, on, weights);
    std::vector<std::span<const std::byte>> buffers(inputs.begin(), inputs.end());
    port_memory memory = memory_of_outputs(g);
    const auto outputs = memory.outputs();
    program.run(buffers, outputs);
    std::vector<std::vector<half>> results;
    for (std::size_t i = 0; i < memory.bytes.size(); ++i) {
        results.emplace_back(memory.halves(i).begin(), memory.halves(i).end());
    }
    return results;
}
inline std::vector<std::byte> bytes_of(const std::vector<half>& values) {
    const auto all = std::as_bytes(std::span(values));
    return {all.begin(), all.end()};
}
inline std::vector<std::uint16_t> patterns(const std::vector<half>& values) {
    std::vector<std::uint16_t> result;
    for (const half v : values) {
        result.push_back(v.bits);
    }
    return result;
}

} // namespace composing
