#pragma once

#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/weights/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

/// Two models with the same ports and weights, run by the oracle.
namespace rewriting {

struct comparison {
    bool same_bits = true;
    double worst = 0; ///< of the differences, over the largest value of the output
};

/// Buffers of fp16 numbers for the ports that a caller sees.
struct memory {
    std::vector<std::vector<ane::half>> values;
    std::vector<std::span<std::byte>> writable;
    std::vector<std::span<const std::byte>> readable;

    void add(std::int64_t count) {
        values.emplace_back(static_cast<std::size_t>(count));
        writable.push_back(std::as_writable_bytes(std::span(values.back())));
        readable.emplace_back(writable.back());
    }
};

inline memory inputs_of(const ane::graph_view& g, std::mt19937& random) {
    memory m;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input && g.next_of(i) < 0) {
            m.add(g[i].shape.count());
            const ane::contract& promise = g[i].get<ane::contract>();
            std::uniform_real_distribution<double> uniform(std::max(-2.0, promise.low), std::min(2.0, promise.high));
            for (ane::half& v : m.values.back()) {
                v = ane::half(uniform(random));
            }
        }
    }
    return m;
}
inline memory outputs_of(const ane::graph_view& g) {
    memory m;
    for (const ane::output_port& port : g.outputs) {
        if (!port.is_state()) {
            m.add(g[port.node].shape.count());
        }
    }
    return m;
}

/// The largest difference of an output from another, by the largest magnitude of the latter.
inline double distance(const std::vector<ane::half>& from, const std::vector<ane::half>& to) {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double value = static_cast<double>(from[i]);
        largest = std::max(largest, std::abs(value));
        difference = std::max(difference, std::abs(value - static_cast<double>(to[i])));
    }
    return largest > 0 ? difference / largest : difference;
}

/// Runs both on `runs` random inputs, with states kept from run to run.
inline comparison compare(const ane::graph_view& first, const ane::graph_view& second, ane::target chip, unsigned seed,
                          int runs = 3) {
    const ane::weight_store weights = ane::random_weights(first, seed);
    auto a = ane::compile(first, ane::backend::oracle{chip}, weights);
    auto b = ane::compile(second, ane::backend::oracle{chip}, weights);
    std::mt19937 random(seed);
    comparison c;
    for (int run = 0; run < runs; ++run) {
        const memory inputs = inputs_of(first, random);
        memory from_a = outputs_of(first);
        memory from_b = outputs_of(second);
        a.run(inputs.readable, from_a.writable);
        b.run(inputs.readable, from_b.writable);
        for (std::size_t port = 0; port < from_a.values.size(); ++port) {
            const auto& left = from_a.values[port];
            const auto& right = from_b.values[port];
            c.same_bits = c.same_bits && std::equal(left.begin(), left.end(), right.begin(), right.end(),
                                                    [](ane::half x, ane::half y) { return x.bits == y.bits; });
            c.worst = std::max(c.worst, distance(left, right));
        }
    }
    return c;
}

/// How far a model is from itself in double precision, as `comparison::worst` says it, on the inputs of `compare`: what
/// roundings come to at its outputs, where terms cancel more than one unit.
inline double own_error(const ane::graph_view& model, ane::target chip, unsigned seed, int runs = 3) {
    const ane::weight_store weights = ane::random_weights(model, seed);
    auto rounded = ane::compile(model, ane::backend::oracle{chip}, weights);
    auto exact = ane::compile(model, ane::backend::wide{}, weights);
    std::mt19937 random(seed);
    double worst = 0;
    for (int run = 0; run < runs; ++run) {
        const memory inputs = inputs_of(model, random);
        memory got = outputs_of(model);
        memory want = outputs_of(model);
        rounded.run(inputs.readable, got.writable);
        exact.run(inputs.readable, want.writable);
        for (std::size_t port = 0; port < want.values.size(); ++port) {
            worst = std::max(worst, distance(want.values[port], got.values[port]));
        }
    }
    return worst;
}

} // namespace rewriting
