#pragma once

#include "../base/error.hpp"
#include "../graph/graph.hpp"
#include "layers.hpp"
#include "limits.hpp"
#include "segment.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ane::detail {

/// Not constexpr: reaching it in a constant expression is the error.
[[noreturn]] inline void refuse_segments(std::string_view subject, std::string_view what, std::int64_t got,
                                         std::int64_t limit) {
    throw error(errc::graph, std::string(subject),
                std::string(what) + " (" + std::to_string(got) + ", at most " + std::to_string(limit) + ")");
}

/// Whether a layer is the attention of a decoder layer: the operation itself, or the product with what a softmax gives.
constexpr bool is_attention(const graph_view& g, const node& n) {
    return n.kind == op::attention || (n.kind == op::matmul && g[resolved(g, g.operands(n)[0])].kind == op::softmax);
}

/// Bytes of what a program holds of a constant or a weight: halves, or the indices of a compressed one. 0 for others.
constexpr std::int64_t held_bytes(const node& n) {
    if (n.kind == op::compressed) {
        return (n.shape.count() * n.get<compression>().bits + 7) / 8;
    }
    return n.kind == op::weight ? 2 * n.shape.count() : n.kind == op::constant ? 2 * n.get<literal>().count : 0;
}

/// What programs take in: it counts every weight once in each.
class program_load {
public:
    constexpr program_load(const graph_view& g, const sequence<cut_role>& roles)
        : g_(g), roles_(roles), counted_in_(g.nodes.size(), 0), seen_in_(g.nodes.size(), 0) {}

    constexpr void begin() {
        ++program_;
        load = {};
    }
    /// Takes a layer, with all that it reads and no other segment hands over.
    constexpr void take(int layer) {
        ++visit_;
        ++load.operations;
        load.decoder_layers += is_attention(g_, g_[layer]) ? 1 : 0;
        sequence<int> path;
        for (const int o : g_.operands(layer)) {
            path.push_back(o);
        }
        while (!path.empty()) {
            const int index = path[path.size() - 1];
            path.pop_back();
            const auto at = static_cast<std::size_t>(index);
            if (seen_in_[at] == visit_ || roles_[at] == cut_role::layer) {
                continue;
            }
            seen_in_[at] = visit_;
            const node& n = g_[index];
            const std::int64_t bytes = held_bytes(n);
            if (bytes > 0) {
                load.weight_bytes += counted_in_[at] == program_ ? 0 : bytes;
                counted_in_[at] = program_;
                continue; // of a compressed weight not the weight too
            }
            for (const int o : g_.operands(n)) {
                path.push_back(o);
            }
        }
    }

    segment load; ///< of the program that has begun last

private:
    graph_view g_;
    const sequence<cut_role>& roles_;
    sequence<int> counted_in_; ///< by node, the last program that it was counted in
    sequence<int> seen_in_;    ///< and the last visit
    int program_ = 0;
    int visit_ = 0;
};

/// The limit that a load exceeds; `start` where it exceeds none.
constexpr cut_reason exceeded(const segment& load, const segment_limits& limits) {
    if (limits.weight_bytes > 0 && load.weight_bytes > limits.weight_bytes) {
        return cut_reason::weights;
    }
    if (limits.decoder_layers > 0 && load.decoder_layers > limits.decoder_layers) {
        return cut_reason::decoder_layers;
    }
    return limits.operations > 0 && load.operations > limits.operations ? cut_reason::operations : cut_reason::start;
}

/// What no program holds of a layer.
constexpr unsegmented unsegmented_layer(int layer, const segment& load, const segment_limits& limits) {
    switch (exceeded(load, limits)) {
    case cut_reason::weights:
        return {true, segment_rule::no_program_holds_the_weights_of_this_layer, layer, load.weight_bytes,
                limits.weight_bytes};
    case cut_reason::decoder_layers:
        return {true, segment_rule::no_program_holds_the_decoder_layers_fused_here, layer, load.decoder_layers,
                limits.decoder_layers};
    default:
        return {true, segment_rule::no_program_holds_the_operations_fused_here, layer, load.operations,
                limits.operations};
    }
}

constexpr const char* sentence(segment_rule why) {
    switch (why) {
    case segment_rule::no_program_holds_the_weights_of_this_layer:
        return "no program holds the weights of this layer, in bytes";
    case segment_rule::no_program_holds_the_decoder_layers_fused_here:
        return "no program holds the decoder layers that are fused here";
    case segment_rule::no_program_holds_the_operations_fused_here:
        return "no program holds the operations that are fused here";
    case segment_rule::there_are_more_programs_than_a_process_loads: break;
    }
    return "more programs than a process loads";
}

/// Refuses a model that cannot be cut: in a constant expression the result keeps the reason, elsewhere it is an `error`.
[[noreturn]] inline void throw_unsegmented(const graph_view& g, const unsegmented& refused) {
    refuse_segments(refused.node < 0 ? std::string("segments")
                                     : std::string(name(g[refused.node].kind)) + " #" + std::to_string(refused.node),
                    sentence(refused.why), refused.got, refused.limit);
}
constexpr void keep_unsegmented(const graph_view& g, const unsegmented& refused, segmentation& result) {
    if (!std::is_constant_evaluated()) {
        throw_unsegmented(g, refused);
    }
    result.refused = refused;
}

/// The places where a list of layers may be cut, and what a cut there hands over.
struct crossings {
    sequence<int> spanned;        ///< by position: how many fused layers reach across a cut before it
    sequence<std::int64_t> bytes; ///< and how many bytes cross it that would stay in one program otherwise
};

constexpr crossings find_crossings(const graph_view& g, const sequence<cut_role>& roles, const sequence<int>& layers,
                                   const sequence<int>& heads, sequence<int>& positions) {
    const std::size_t count = layers.size();
    for (std::size_t i = 0; i < count; ++i) {
        positions[static_cast<std::size_t>(layers[i])] = static_cast<int>(i);
    }
    // The last reader here of each node; a repeated node is as late as what reads it.
    sequence<int> last(g.nodes.size(), -1);
    for (int i = g.size() - 1; i >= 0; --i) {
        const bool is_layer = roles[static_cast<std::size_t>(i)] == cut_role::layer;
        const int at = is_layer ? positions[static_cast<std::size_t>(i)] : last[static_cast<std::size_t>(i)];
        for (const int o : g.operands(i)) {
            int& latest = last[static_cast<std::size_t>(o)];
            latest = at > latest ? at : latest;
        }
    }
    crossings found{sequence<int>(count + 1, 0), sequence<std::int64_t>(count + 1, 0)};
    const auto span = [](auto& differences, int from, int to, auto amount) {
        if (from < to) {
            differences[static_cast<std::size_t>(from) + 1] += amount;
            if (static_cast<std::size_t>(to) + 1 < differences.size()) {
                differences[static_cast<std::size_t>(to) + 1] -= amount;
            }
        }
    };
    for (std::size_t i = 0; i < count; ++i) {
        const node& n = g[layers[i]];
        const auto own = static_cast<int>(i);
        span(found.bytes, own, last[static_cast<std::size_t>(layers[i])], bytes(n.type, n.shape.count()));
        span(found.spanned, positions[static_cast<std::size_t>(heads[static_cast<std::size_t>(layers[i])])], own, 1);
    }
    for (const output_port& port : g.outputs) { // a state that is read and written here stays here
        if (port.is_state() && positions[static_cast<std::size_t>(port.node)] >= 0) {
            const int read = last[static_cast<std::size_t>(port.state)];
            const int written = positions[static_cast<std::size_t>(port.node)];
            const node& n = g[port.state];
            span(found.bytes, read < written ? read : written, read < written ? written : read,
                 bytes(n.type, n.shape.count()));
        }
    }
    for (std::size_t i = 1; i < found.bytes.size(); ++i) {
        found.bytes[i] += found.bytes[i - 1];
        found.spanned[i] += found.spanned[i - 1];
    }
    return found;
}

} // namespace ane::detail
