#pragma once

#include "../catalogue/catalogue.hpp"
#include "cost.hpp"

#include <cstddef>
#include <cstdint>

/// Which layer reads the value of which other, and what a run of layers costs as a program of its own on the engine
/// (cost/device_placement.hpp).
namespace ane {

/// A value that a layer reads from outside of itself: the result of a layer, or an input of the graph.
struct layer_read {
    int value = 0; ///< the number of the layer; inputs follow the layers
    std::int64_t bytes = 0;
};

/// The layers of a lowered graph with the values between them. Who reads a view reads what is behind it.
struct device_flow {
    program_demand program;
    sequence<int> first_read;   ///< of each layer, in `reads`; one more at the end
    sequence<layer_read> reads; ///< each value once a layer
    sequence<int> last_reader;  ///< by value: the last layer that reads it, -1: none
    sequence<int> outputs;      ///< by value: ports of the graph that it leaves by
    sequence<char> is_state;    ///< by value: an input that is a state, which is no port
    sequence<char> lacking;     ///< by layer: the target's engine lacks one of its operations
    sequence<char> treeless;    ///< by layer: the system's model has no engine tree for one of its operations

    constexpr int layers() const { return static_cast<int>(program.layers.size()); }
};

namespace detail {

/// Without an engine tree in the system's placement model: gather, the recurrent cell, the argument of a maximum (guide
/// chapter 18, decompiled). A recurrent cell is no operation here: it comes in parts.
constexpr bool has_no_engine_tree(op kind) {
    return kind == op::gather || kind == op::gather_along_axis || kind == op::gather_nd || is_arg_reduction(kind);
}

} // namespace detail

constexpr device_flow flow_of(const graph_view& g, const target_description& t) {
    device_flow flow;
    flow.program = demand_of(g, t);
    const sequence<layer_demand>& layers = flow.program.layers;
    const sequence<fusion> fused = fuse(g);
    const sequence<char> known = constant_nodes(g);
    const sequence<char> views = detail::views_of(g, fused, known);
    sequence<int> value(g.nodes.size(), -1); // by the node that holds it: of inputs, and of hosts
    int values = 0;
    for (const layer_demand& layer : layers) {
        value[static_cast<std::size_t>(layer.node)] = values++;
    }
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            value[static_cast<std::size_t>(i)] = values++;
        }
    }
    const auto value_behind = [&](int node) {
        const auto base = static_cast<std::size_t>(detail::behind_views(g, views, node));
        return known[base] != 0 ? -1 : value[static_cast<std::size_t>(fused[base].host)];
    };
    flow.last_reader = sequence<int>(static_cast<std::size_t>(values), -1);
    flow.outputs = sequence<int>(static_cast<std::size_t>(values), 0);
    flow.is_state = sequence<char>(static_cast<std::size_t>(values), 0);
    flow.lacking = sequence<char>(layers.size(), 0);
    flow.treeless = sequence<char>(layers.size(), 0);
    for (const output_port& o : g.outputs) {
        if (o.is_state()) {
            flow.is_state[static_cast<std::size_t>(value[static_cast<std::size_t>(o.state)])] = 1;
        } else if (const int v = value_behind(o.node); v >= 0) {
            // A view of an input leaves by the layer of its reshape, which moves nothing.
            const int own =
                v < flow.layers() ? v : value[static_cast<std::size_t>(fused[static_cast<std::size_t>(o.node)].host)];
            ++flow.outputs[static_cast<std::size_t>(own)];
        }
    }
    const sequence<int> next = next_stages(fused);
    sequence<int> seen(static_cast<std::size_t>(values), -1);
    for (int l = 0; l < flow.layers(); ++l) {
        const auto at = static_cast<std::size_t>(l);
        flow.first_read.push_back(static_cast<int>(flow.reads.size()));
        for (int i = layers[at].node; i >= 0; i = next[static_cast<std::size_t>(i)]) {
            const op kind = g[i].kind;
            const family floor = floor_of(kind);
            flow.lacking[at] |= static_cast<char>(floor == family::older || at_least(t.tier, floor) ? 0 : 1);
            flow.treeless[at] |= static_cast<char>(detail::has_no_engine_tree(kind) ? 1 : 0);
            if (views[static_cast<std::size_t>(i)] != 0) {
                continue;
            }
            for (const int o : g.operands(i)) {
                const int v = value_behind(o);
                if (v < 0 || v == l || seen[static_cast<std::size_t>(v)] == l) {
                    continue;
                }
                seen[static_cast<std::size_t>(v)] = l;
                flow.reads.push_back(
                    {v, bytes(g[o].type, kind == op::slice ? g[i].shape.count() : g[o].shape.count())});
                flow.last_reader[static_cast<std::size_t>(v)] = l;
            }
        }
    }
    flow.first_read.push_back(static_cast<int>(flow.reads.size()));
    return flow;
}

/// What a run of layers costs on the engine as one program, grown layer by layer. What it reads of others comes in by a
/// port, once; what others read leaves by one. A run of all layers costs what `estimate` says.
class engine_run {
public:
    constexpr engine_run(const device_flow& flow, const cost_rates& rates)
        : flow_(flow), rates_(rates), layers_(flow.program.layers), brought_(flow.outputs.size(), -1) {}

    /// An empty run that the next layer to be added starts.
    constexpr void start(int layer) {
        first_ = next_ = layer;
        ++number_;
        seconds_ = moved_ = arithmetic_ = 0;
        inputs_ = outputs_ = 0;
    }

    constexpr void add() {
        const auto at = static_cast<std::size_t>(next_);
        layer_demand& mine = layers_[at];
        mine.port_bytes = 0;
        mine.spilled_bytes = mine.large_bytes;
        for (int r = flow_.first_read[at]; r < flow_.first_read[at + 1]; ++r) {
            const layer_read& read = flow_.reads[static_cast<std::size_t>(r)];
            const auto v = static_cast<std::size_t>(read.value);
            const bool inside = read.value >= first_ && read.value < next_;
            if (inside && flow_.last_reader[v] == next_ && flow_.outputs[v] == 0) { // it does not leave after all
                --outputs_;
                charge(v, -1);
                become_port(layers_[v], layers_[v].output_bytes, -1);
                charge(v, 1);
            } else if (!inside && brought_[v] != number_) {
                brought_[v] = number_;
                inputs_ += flow_.is_state[v] == 0 ? 1 : 0;
                become_port(mine, flow_.is_state[v] == 0 ? read.bytes : 0, 1);
            }
        }
        const int leaves = flow_.outputs[at] > 0 ? flow_.outputs[at] : (flow_.last_reader[at] > next_ ? 1 : 0);
        outputs_ += leaves;
        become_port(mine, leaves > 0 ? mine.output_bytes : 0, 1);
        charge(at, 1);
        arithmetic_ += detail::flop_joules(mine, rates_);
        moved_ += static_cast<double>(mine.weight_bytes) * detail::weight_reads(mine, rates_);
        ++next_;
    }

    constexpr double seconds() const {
        const int more = (inputs_ > 1 ? inputs_ - 1 : 0) + (outputs_ > 1 ? outputs_ - 1 : 0);
        return rates_.floor + more * rates_.port + seconds_;
    }
    constexpr double joules() const {
        return rates_.static_power * seconds() + arithmetic_ + (rates_.byte_energy + rates_.memory_energy) * moved_ +
               rates_.host_energy;
    }

private:
    /// Some bytes of a layer's values are those of a port, or are no longer.
    constexpr void become_port(layer_demand& layer, std::int64_t bytes, int sign) const {
        layer.port_bytes += sign * bytes;
        layer.spilled_bytes -= flow_.program.is_large(bytes) ? sign * bytes : 0;
    }
    constexpr void charge(std::size_t layer, int sign) {
        if (rates_.ports > 0) { // else not needed
            seconds_ += sign * detail::priced(layers_[layer], rates_).seconds();
        }
        moved_ += static_cast<double>(sign * layers_[layer].port_bytes);
    }

    const device_flow& flow_;
    const cost_rates& rates_;
    sequence<layer_demand> layers_; // with the ports of this run
    sequence<int> brought_;         // by value: the last run that it came into
    double seconds_ = 0;
    double moved_ = 0;
    double arithmetic_ = 0; // J
    int number_ = 0;        // of the run
    int first_ = 0;
    int next_ = 0;
    int inputs_ = 0;
    int outputs_ = 0;
};

/// s, the layers of a lowered graph one after the other, each as a program of its own: what one program for all of them
/// is better than (cost facts, fus_001). Views are none.
constexpr double seconds_apart(const graph_view& lowered, const target_description& t) {
    const device_flow flow = flow_of(lowered, t);
    const cost_rates rates = rates_of(t);
    engine_run run(flow, rates);
    double seconds = 0;
    for (int i = 0; i < flow.layers(); ++i) {
        const layer_demand& layer = flow.program.layers[static_cast<std::size_t>(i)];
        if (layer.bytes() > 0 || layer.work.flops() > 0) {
            run.start(i);
            run.add();
            seconds += run.seconds();
        }
    }
    return seconds;
}

} // namespace ane
