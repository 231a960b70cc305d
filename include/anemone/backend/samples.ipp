#pragma once

#include "../base/cancellation.hpp"
#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_samples_hpp);

#include "../passes/validate.hpp"
#include "../values/half.hpp"
#include "../weights/drawn.hpp"
#include "samples.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE float element_as_float(dtype type, const std::byte* at) {
    const auto read = [at]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<float>(value);
    };
    switch (type) {
    case dtype::f16: {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, sizeof bits);
        return static_cast<float>(half::from_bits(bits));
    }
    case dtype::f32: return read(float{});
    case dtype::int8: return read(std::int8_t{});
    case dtype::int16: return read(std::int16_t{});
    case dtype::uint16: return read(std::uint16_t{});
    case dtype::int32: return read(std::int32_t{});
    case dtype::uint32: return read(std::uint32_t{});
    case dtype::int64: return read(std::int64_t{});
    case dtype::uint64: return read(std::uint64_t{});
    default: return read(std::uint8_t{});
    }
}

/// The memory of an input. Indices are such; of everything else [-1, 1] has enough.
ANEMONE_INLINE std::vector<std::byte> random_input(const graph_view& g, int index, drawn by, std::uint64_t seed) {
    const node& n = g[index];
    const auto count = static_cast<std::size_t>(n.shape.count());
    const bool is_number = n.type == dtype::f16;
    if (!by.whole) {
        by = is_number ? drawn{} : drawn{.low = 0, .high = 1, .whole = true};
    }
    const std::vector<half> values = draw(count, allowed(by, n.get<contract>()), 0, number_of(g.name(index)), seed);
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
    for (std::size_t i = 0; i < count; ++i) {
        if (is_number) {
            std::memcpy(memory.data() + i * sizeof(half), &values[i], sizeof(half));
        } else {
            const int whole = static_cast<int>(static_cast<double>(values[i])); // of either sign
            memory[i * (memory.size() / count)] = static_cast<std::byte>(whole);
        }
    }
    return memory;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF model_samples random_samples(const graph_view& g, std::size_t runs, std::uint64_t seed) {
    validate(g);
    const std::vector<detail::first_reader> readers = detail::first_readers(g);
    model_samples samples;
    const sequence<char> bound = detail::bound_nodes(g);
    for (std::size_t run = 0; run < runs; ++run) {
        detail::stop_if_cancelled();
        std::vector<std::vector<std::byte>> memory;
        for (int i = 0; i < g.size(); ++i) {
            if (bound[static_cast<std::size_t>(i)] != 0) {
                memory.push_back(detail::random_input(g, i, detail::drawn_for(g, readers, i), seed + run));
            }
        }
        const std::vector<std::span<const std::byte>> inputs(memory.begin(), memory.end());
        samples.add(inputs);
    }
    return samples;
}

ANEMONE_BODY_OF model_results run_samples(const graph_view& g, const weight_store& weights,
                                          const model_samples& samples, const backend::any& place) {
    any_program program = place.compile(g, weights);
    std::vector<std::vector<std::byte>> memory;
    std::vector<int> nodes;
    for (const output_port& port : g.outputs) {
        if (!port.is_state()) {
            const node& n = g[port.node];
            memory.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
            nodes.push_back(port.node);
        }
    }
    const std::vector<std::span<std::byte>> outputs(memory.begin(), memory.end());
    model_results results;
    for (std::size_t run = 0; run < samples.size(); ++run) {
        program.run(samples.inputs(run), outputs);
        std::vector<std::vector<float>>& ports = results.emplace_back();
        for (std::size_t port = 0; port < memory.size(); ++port) {
            const node& n = g[nodes[port]];
            const auto size = static_cast<std::size_t>(bytes(n.type, 1));
            std::vector<float>& values = ports.emplace_back();
            for (std::size_t at = 0; at + size <= memory[port].size(); at += size) {
                values.push_back(detail::element_as_float(n.type, memory[port].data() + at));
            }
        }
    }
    return results;
}

ANEMONE_BODY_OF double relative_error(const model_results& want, const model_results& got) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (want.size() != got.size()) {
        return infinity;
    }
    double moved = 0;
    double size = 0;
    for (std::size_t run = 0; run < want.size(); ++run) {
        if (want[run].size() != got[run].size()) {
            return infinity;
        }
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            if (want[run][port].size() != got[run][port].size()) {
                return infinity;
            }
            for (std::size_t i = 0; i < want[run][port].size(); ++i) {
                const auto w = static_cast<double>(want[run][port][i]);
                const auto g = static_cast<double>(got[run][port][i]);
                if (!std::isfinite(w) || !std::isfinite(g)) {
                    if (w != g && !(std::isnan(w) && std::isnan(g))) {
                        return infinity;
                    }
                    continue;
                }
                moved += (g - w) * (g - w);
                size += w * w;
            }
        }
    }
    return moved == 0 ? 0 : size > 0 ? std::sqrt(moved / size) : infinity;
}

} // namespace ane::inline ANEMONE_WAY
