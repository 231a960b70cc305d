#pragma once

#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/weights/store.hpp>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

/// Graphs made at run time for tests: operations appended one by one, shapes by the shape rules.
namespace composing {

using namespace ane;

/// Nodes as numbers, and names made up, over a dynamic_builder.
class composer {
public:
    int input(const extents& shape, dtype type = dtype::f16) { return keep(graph_.input(next("x"), shape, {}, type)); }
    int weight(const extents& shape) { return keep(graph_.weight(next("weight."), shape)); }
    /// A weight whose values are positive, such as a variance.
    int positive(const extents& shape) { return keep(graph_.weight(next("positive."), shape)); }
    int constant(float value) { return constant({}, {value}); }
    int constant(const extents& shape, const std::vector<float>& values) {
        return keep(graph_.constant(shape, values));
    }

    /// Appends an operation; throws `error` with the sentence of a broken shape rule.
    int add(op kind, const attributes& values, std::span<const int> operands) {
        return keep(graph_.add(kind, read(operands), values, here()));
    }
    int add(op kind, const attributes& values, std::initializer_list<int> operands) {
        return add(kind, values, std::span<const int>(operands.begin(), operands.size()));
    }
    int add(op kind, std::initializer_list<int> operands) { return add(kind, no_attributes{}, operands); }
    /// An operation that leaves the shape of its result open.
    int add(op kind, const attributes& values, std::initializer_list<int> operands, const extents& result) {
        return keep(graph_.add(kind, read({operands.begin(), operands.size()}), values, result, here()));
    }
    int reshape(int operand, const extents& shape) {
        return keep(graph_.reshape(read({&operand, 1}).front(), shape, here()));
    }
    void output(int value) {
        graph_.output("y" + std::to_string(graph_.graph().outputs.size()), values_[static_cast<std::size_t>(value)]);
    }

    extents shape(int value) const { return values_[static_cast<std::size_t>(value)].shape(); }
    dtype type(int value) const { return values_[static_cast<std::size_t>(value)].type(); }
    op kind(int value) const { return graph_.graph().nodes[static_cast<std::size_t>(value)].kind; }
    int size() const { return static_cast<int>(values_.size()); }
    /// Whether an operation was given it.
    bool is_read(int value) const { return read_[static_cast<std::size_t>(value)]; }

    /// The graph without what no output needs.
    dynamic_graph finish() const { return graph_.finish(); }

private:
    std::string next(const char* stem) { return stem + std::to_string(declared_++); }
    source_location here() const { return {"composed", size()}; }
    std::vector<dynamic_tensor> read(std::span<const int> operands) {
        std::vector<dynamic_tensor> found;
        for (const int operand : operands) {
            found.push_back(values_[static_cast<std::size_t>(operand)]);
            read_[static_cast<std::size_t>(operand)] = true;
        }
        return found;
    }
    int keep(const dynamic_tensor& made) {
        values_.push_back(made);
        read_.push_back(false);
        return made.node();
    }

    dynamic_builder graph_;
    std::vector<dynamic_tensor> values_; ///< by node
    std::vector<bool> read_;
    int declared_ = 0;
};

using random_engine = std::mt19937;

inline int below(random_engine& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }
/// Windows of up to three by three with any padding that they take.
inline pool random_pool(random_engine& random) {
    const auto flag = [&random] { return below(random, 100) < 50; };
    pool p{.kernel = {1 + below(random, 3), 1 + below(random, 3)},
           .stride = {1 + below(random, 3), 1 + below(random, 3)},
           .padding = {},
           .ceil_mode = flag(),
           .exclude_padding = flag()};
    p.padding = {below(random, p.kernel.height), below(random, p.kernel.height), below(random, p.kernel.width),
                 below(random, p.kernel.width)};
    return p;
}
inline double uniform(random_engine& random, double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
}

/// Random weights for every weight of a graph.
inline weight_store random_weights(const graph_view& g, random_engine& random) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind != op::weight) {
            continue;
        }
        const std::string name(g.name(i));
        const bool positive = name.substr(0, 9) == "positive.";
        std::vector<half> values(static_cast<std::size_t>(g[i].shape.count()));
        for (half& h : values) {
            h = half(positive ? uniform(random, 0.2, 2.0) : uniform(random, -1.0, 1.0));
        }
        store.add(name, g[i].shape, std::span<const half>(values));
    }
    return store;
}

/// Memory for all inputs, or all outputs, of a graph.
class port_memory {
public:
    explicit port_memory(const std::vector<std::size_t>& sizes) {
        for (const std::size_t size : sizes) {
            bytes.emplace_back(size);
        }
    }
    std::vector<std::span<const std::byte>> inputs() const { return {bytes.begin(), bytes.end()}; }
    std::vector<std::span<std::byte>> outputs() { return {bytes.begin(), bytes.end()}; }
    std::span<half> halves(std::size_t port) {
        return {reinterpret_cast<half*>(bytes[port].data()), bytes[port].size() / sizeof(half)};
    }

    std::vector<std::vector<std::byte>> bytes;
};

inline std::size_t port_bytes(const node& n) { return static_cast<std::size_t>(bytes(n.type, n.shape.count())); }

inline port_memory memory_of_outputs(const graph_view& g) {
    std::vector<std::size_t> sizes;
    for (const output_port& port : g.outputs) {
        sizes.push_back(port_bytes(g[port.node]));
    }
    return port_memory(sizes);
}

/// Inputs of mostly ordinary values; with `wild`, a few zeros, subnormals, huge values, infinities and NaN among them.
inline port_memory random_inputs(const graph_view& g, random_engine& random, bool wild) {
    std::vector<std::size_t> sizes;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            sizes.push_back(port_bytes(n));
        }
    }
    port_memory memory(sizes);
    std::size_t port = 0;
    for (const node& n : g.nodes) {
        if (n.kind != op::input) {
            continue;
        }
        if (n.type == dtype::uint8) {
            for (std::byte& b : memory.bytes[port]) {
                b = static_cast<std::byte>(random() & 0xFFU);
            }
        } else {
            constexpr std::uint16_t special[] = {0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0xFBFF,
                                                 0x7C00, 0xFC00, 0x7E00, 0x6C00, 0x7000, 0x3C01};
            for (half& h : memory.halves(port)) {
                h = wild && below(random, 12) == 0 ? half::from_bits(special[random() % 12])
                                                   : half(uniform(random, -3, 3));
            }
        }
        ++port;
    }
    return memory;
}

} // namespace composing
