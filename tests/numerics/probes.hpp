#pragma once

#include <anemone/numerics/datapath.hpp>
#include <anemone/numerics/elementwise.hpp>
#include <anemone/numerics/matmul.hpp>
#include <anemone/numerics/reduction.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

/// The published records of the engine's arithmetic (tests/facts/numerics.csv) as checks, by theme. probes.cpp holds
/// the register: which record is where, and on which generations it runs.
namespace probing {

using namespace ane;
using namespace ane::numerics;

using halves = std::vector<half>;

/// What a record is checked on: the generation of a chip that it names.
struct generation {
    family tier;
    datapath path;
};

struct probe {
    std::string_view id;
    void (*check)(const generation& g);
};

std::span<const probe> sum_probes();      // probe_sums.cpp: reductions, the ceiling, slices
std::span<const probe> value_probes();    // probe_values.cpp: special values, tables, stored weights
std::span<const probe> system_probes();   // probe_systems.cpp: determinism, association, state, solvers, functions
std::span<const probe> conflict_probes(); // probe_conflicts.cpp: both sides of the contradictions that have a check

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr half plus_infinity = half::from_bits(0x7C00);
inline constexpr half not_a_number = half::from_bits(0x7E00);
inline constexpr half minus_zero = half::from_bits(0x8000);

inline double value(half h) { return static_cast<double>(h); }

inline halves repeated(std::initializer_list<double> pattern, int times) {
    halves out;
    for (int i = 0; i < times; ++i) {
        for (const double v : pattern) {
            out.emplace_back(v);
        }
    }
    return out;
}

/// reduce_sum of all values.
inline double sum(const generation& g, const halves& x) {
    return value(reduce(g.path, op::reduce_sum, x.data(), static_cast<std::int64_t>(x.size()), 1));
}

/// One matrix product of a row and a column.
inline double dot(const generation& g, const halves& a, const halves& b) {
    matmul_shape s;
    s.m = s.n = 1;
    s.k = static_cast<std::int64_t>(a.size());
    half out{};
    matmul(g.path, s, a.data(), b.data(), nullptr, &out);
    return value(out);
}
inline double dot_with_ones(const generation& g, const halves& a) { return dot(g, a, halves(a.size(), half(1.0))); }

/// Random bits that are the same everywhere (splitmix64), and fp16 values of them that are about normal: a sum of
/// twelve uniform numbers.
struct random_values {
    std::uint64_t state;

    std::uint64_t bits() {
        std::uint64_t z = state += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
    double normal() {
        double total = -6;
        for (int i = 0; i < 12; ++i) {
            total += uniform();
        }
        return total;
    }
    halves normals(std::int64_t count, double deviation = 1) {
        halves out;
        for (std::int64_t i = 0; i < count; ++i) {
            out.emplace_back(deviation * normal());
        }
        return out;
    }
};

} // namespace probing
