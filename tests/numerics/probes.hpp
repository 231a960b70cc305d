#pragma once

#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/numerics/datapath.hpp>
#include <anemone/numerics/rounding.hpp>
#include <anemone/values/compare.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The published records of the engine's arithmetic (tests/facts/numerics.csv) as checks, by theme: what was measured
/// through a graph runs as a graph that is compiled for the oracle. probes.cpp holds the register: which record is
/// where, and on which generations it runs.
namespace probing {

using namespace ane;
using namespace ane::numerics;

using halves = std::vector<half>;

/// Where the graphs of a check run; the kit (tests/probe) has the engine there.
class place {
public:
    virtual ~place() = default;
    /// The values of the only output, from inputs in the order of the ports. `path` is the arithmetic that is asked for.
    virtual halves run(const dynamic_graph& model, std::span<const std::span<const std::byte>> inputs,
                       const datapath& path) const = 0;
};

/// What a record is checked on: the generation of a chip that it names.
struct generation {
    family tier;
    datapath path;
    const place* where = nullptr; ///< null: the oracle
};

struct probe {
    std::string_view id;
    void (*check)(const generation& g);
};

/// A record that a test in another file checks; the file names its id.
struct elsewhere {
    std::string_view id, file; ///< below tests/
};

/// A record that the arithmetic of single operations does not decide.
struct beyond_arithmetic {
    std::string_view id, reason;
};

/// A record that the model does not meet, and why, as a computation: the records it contradicts, or (N020, N089) what
/// meeting it would cost.
struct unmet {
    std::string_view id, reason;
    void (*show)(const generation& m1);
};

// probe_register.cpp: where each record is
std::span<const elsewhere> records_elsewhere();
std::span<const beyond_arithmetic> records_beyond();
std::span<const unmet> records_unmet();
/// The probes of all themes.
std::vector<probe> all_probes();

/// The tiers that the text of a chip names: "M1 Max", "M5/H17s", "A13,A14". All measured ones where it names none
/// ("all").
std::set<family> tiers_of(std::string_view chip);

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

/// An operand of an operation: an input of the graph, or a constant.
struct operand_values {
    extents shape;
    halves values;
    bool constant = false;
};
inline operand_values vector_of(halves values) {
    return {{static_cast<std::int64_t>(values.size())}, std::move(values)};
}
inline operand_values matrix_of(std::int64_t rows, std::int64_t columns, halves values) {
    return {{rows, columns}, std::move(values)};
}
inline operand_values ones_of(const extents& shape) {
    return {shape, halves(static_cast<std::size_t>(shape.count()), half(1.0)), true};
}

/// A graph that is described over its inputs, and runs on the oracle or where its generation says.
class probe_graph {
public:
    dynamic_tensor value(const operand_values& v) {
        if (v.constant) {
            std::vector<float> values;
            for (const half h : v.values) {
                values.push_back(static_cast<float>(h));
            }
            return graph_.constant(v.shape, values);
        }
        const auto* const bytes = reinterpret_cast<const std::byte*>(v.values.data());
        inputs_.emplace_back(bytes, bytes + v.values.size() * sizeof(half));
        return graph_.input("x" + std::to_string(inputs_.size()), v.shape);
    }
    dynamic_tensor integers(const std::vector<std::int8_t>& values) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
        inputs_.emplace_back(bytes, bytes + values.size());
        return graph_.input("x" + std::to_string(inputs_.size()), {static_cast<std::int64_t>(values.size())}, {},
                            dtype::int8);
    }
    dynamic_tensor number(double value) { return graph_.constant(value); }
    dynamic_tensor add(op kind, const std::vector<dynamic_tensor>& operands, const attributes& with = {}) {
        return graph_.add(kind, operands, with);
    }
    dynamic_tensor reshape(dynamic_tensor x, const extents& shape) { return graph_.reshape(x, shape); }

    /// Of an operation that is written as others here, `layers` may ask for the layer that files have instead.
    halves run(const generation& g, dynamic_tensor result, layer_forms layers = layer_forms::safe) {
        graph_.output("y", result);
        const dynamic_graph model = graph_.finish();
        const std::vector<std::span<const std::byte>> in(inputs_.begin(), inputs_.end());
        if (g.where != nullptr) {
            return g.where->run(model, in, g.path);
        }
        halves y(static_cast<std::size_t>(result.shape().count()));
        const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
        compile(model, ane::backend::oracle{g.path}.layers(layers), {}).run(in, out);
        return y;
    }

private:
    dynamic_builder graph_;
    std::vector<std::vector<std::byte>> inputs_;
};

/// One operation as a model of its own.
inline halves run(const generation& g, op kind, const attributes& with, const std::vector<operand_values>& operands) {
    probe_graph graph;
    std::vector<dynamic_tensor> values;
    for (const operand_values& v : operands) {
        values.push_back(graph.value(v));
    }
    return graph.run(g, graph.add(kind, values, with));
}

/// An operation of one or two numbers.
inline half of(const generation& g, op kind, half x, const attributes& with = {}) {
    return run(g, kind, with, {vector_of({x})})[0];
}
inline half of(const generation& g, op kind, half a, half b) {
    return run(g, kind, {}, {vector_of({a}), vector_of({b})})[0];
}
/// Of many pairs.
inline halves each(const generation& g, op kind, const halves& a, const halves& b) {
    return run(g, kind, {}, {vector_of(a), vector_of(b)});
}

/// reduce_sum of all values.
inline double sum(const generation& g, const halves& x) {
    return value(run(g, op::reduce_sum, axes{0}, {vector_of(x)})[0]);
}
/// The sum as it was measured: a product with a vector of ones, which are a constant.
inline double sum_by_product(const generation& g, const halves& x) {
    const auto n = static_cast<std::int64_t>(x.size());
    return value(run(g, op::matmul, transposed{}, {matrix_of(1, n, x), ones_of({n, 1})})[0]);
}

/// A matrix product of two inputs.
inline halves product(const generation& g, std::int64_t m, std::int64_t n, std::int64_t k, const halves& a,
                      const halves& b, bool b_transposed = false) {
    return run(g, op::matmul, transposed{.b = b_transposed},
               {matrix_of(m, k, a), b_transposed ? matrix_of(n, k, b) : matrix_of(k, n, b)});
}
/// That of a row and a column.
inline double dot(const generation& g, const halves& a, const halves& b) {
    return value(product(g, 1, 1, static_cast<std::int64_t>(a.size()), a, b)[0]);
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
