#pragma once

#include "composer.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

/// One operation at a time on the CPU and on the oracle, and tensors to say what is expected of it.
namespace both {

using namespace composing;

using place = std::vector<std::int64_t>;

inline const ane::backend::cpu plain{};
inline const ane::backend::oracle m1{h13};
inline const ane::backend::oracle m6{h18};
inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline double wide(half h) { return static_cast<double>(h); }

/// A dense tensor that is read and written at places.
struct dense {
    extents shape;
    std::vector<half> values;

    explicit dense(const extents& s) : shape(s), values(static_cast<std::size_t>(s.count())) {}
    dense(const extents& s, std::vector<half> v) : shape(s), values(std::move(v)) {}

    std::size_t flat(const place& at) const {
        std::int64_t r = 0;
        for (int i = 0; i < shape.rank; ++i) {
            r = r * shape[i] + at[static_cast<std::size_t>(i)];
        }
        return static_cast<std::size_t>(r);
    }
    half& operator()(const place& at) { return values[flat(at)]; }
    half operator()(const place& at) const { return values[flat(at)]; }

    /// visit(place) for every element, row-major.
    template <class Visit> void each(const Visit& visit) const {
        place at(static_cast<std::size_t>(shape.rank), 0);
        for (std::int64_t i = 0; i < shape.count(); ++i) {
            std::int64_t rest = i;
            for (int axis = shape.rank - 1; axis >= 0; --axis) {
                at[static_cast<std::size_t>(axis)] = rest % shape[axis];
                rest /= shape[axis];
            }
            visit(at);
        }
    }
};

inline dense tensor_of(const extents& shape, std::initializer_list<double> values) {
    dense d(shape);
    std::transform(values.begin(), values.end(), d.values.begin(), [](double v) { return half(v); });
    return d;
}

inline dense random_tensor(random_engine& random, const extents& shape, double low = -3, double high = 3) {
    dense d(shape);
    for (half& h : d.values) {
        h = half(uniform(random, low, high));
    }
    return d;
}

/// A tensor whose elements all differ, finite and of both signs.
inline dense distinct(const extents& shape, std::uint16_t first = 1) {
    dense d(shape);
    for (std::size_t i = 0; i < d.values.size(); ++i) {
        const unsigned sign = i % 3 == 1 ? 0x8000U : 0U;
        d.values[i] = half::from_bits(static_cast<std::uint16_t>((first + i) | sign));
    }
    return d;
}

/// Runs a graph whose inputs are the given tensors, and returns its outputs.
template <class Backend>
std::vector<dense> run(const graph_view& g, const Backend& where, const std::vector<dense>& inputs,
                       const weight_store& weights = {}) {
    auto program = compile(g, where, weights);
    std::vector<std::span<const std::byte>> in;
    for (const dense& d : inputs) {
        in.push_back(std::as_bytes(std::span(d.values)));
    }
    std::vector<dense> results;
    std::vector<std::span<std::byte>> out;
    for (const output_port& port : g.outputs) {
        results.emplace_back(g[port.node].shape);
    }
    for (dense& d : results) {
        out.push_back(std::as_writable_bytes(std::span(d.values)));
    }
    program.run(in, out);
    return results;
}

/// A graph of one operation over inputs of the tensors' shapes.
inline dynamic_graph single(op kind, const attributes& values, const std::vector<dense>& operands) {
    composer c;
    std::vector<int> nodes;
    for (const dense& d : operands) {
        nodes.push_back(c.input(d.shape));
    }
    c.output(c.add(kind, values, nodes));
    return c.finish();
}

/// The result of one operation on one backend.
template <class Backend>
dense one(const Backend& where, op kind, const attributes& values, const std::vector<dense>& operands) {
    return run(single(kind, values, operands), where, operands)[0];
}

/// Empty when both have the same bits; else where they differ first.
inline std::string unequal_bits(const dense& got, const dense& wanted) {
    if (got.shape != wanted.shape) {
        return "shapes " + print(got.shape) + " and " + print(wanted.shape);
    }
    for (std::size_t i = 0; i < got.values.size(); ++i) {
        if (got.values[i].bits != wanted.values[i].bits) {
            return fmt::format("element {}: {:#06x} ({}), wanted {:#06x} ({})", i, got.values[i].bits,
                               static_cast<double>(got.values[i]), wanted.values[i].bits,
                               static_cast<double>(wanted.values[i]));
        }
    }
    return {};
}

/// A random shape of one to `rank` axes of 1 to `extent` elements.
inline extents random_shape(random_engine& random, int rank = 5, int extent = 5) {
    extents shape;
    for (int i = below(random, rank); i >= 0; --i) {
        shape.append(1 + below(random, extent));
    }
    return shape;
}

} // namespace both
