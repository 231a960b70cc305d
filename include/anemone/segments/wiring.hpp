#pragma once

#include "../analysis/ranges.hpp"
#include "layers.hpp"
#include "segment.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace ane {

/// One segment as a model of its own, and what its ports are in the whole.
struct segment_graph {
    dynamic_graph graph;
    /// For each input that callers bind, the node of the model whose value it takes: an input of the model, or a layer
    /// of an earlier segment.
    sequence<int> inputs;
    /// For each output that callers see, its position among the outputs of the model, or `handed(node)` where the model
    /// has none for the value of that node.
    sequence<int> outputs;

    static constexpr int handed(int node) { return -1 - node; }
};

/// How the segments of a model hang together: which values go from one to another, through which ports, and which
/// segment keeps which state. A value that is an output of the model goes through that output; one that is not gets an
/// output with the name of its operation and the number of its node (`conv2d_12`), and the range that the model proves
/// for it as the contract of the input.
class segment_wiring {
public:
    constexpr segment_wiring(const graph_view& g, const segmentation_view& cuts)
        : g_(g), cuts_(cuts), roles_(detail::cut_roles(g)), ready_(g.nodes.size(), -1), handed_(g.nodes.size(), 0),
          ports_(g.nodes.size(), -1), reader_(g.nodes.size(), no_segment), homes_(g.outputs.size(), 0),
          keepers_(g.outputs.size(), -1), of_outputs_(node_ports(g)) {
        for (int i = 0; i < g.size(); ++i) {
            if (is_layer(i)) {
                ready_[at(i)] = cuts.of(i);
            } else if (roles_[at(i)] == cut_role::repeated) {
                for (const int o : g.operands(i)) {
                    ready_[at(i)] = ready_[at(o)] > ready_[at(i)] ? ready_[at(o)] : ready_[at(i)];
                }
            }
        }
        for (std::size_t p = 0; p < homes_.size(); ++p) {
            const int value = detail::resolved(g, g.outputs[p].node);
            homes_[p] = ready_[at(value)] >= 0 ? ready_[at(value)] : first_on_engine();
            if (is_layer(value) && ports_[at(value)] < 0) {
                ports_[at(value)] = static_cast<int>(p);
            }
        }
        for (int k = 0; k < cuts.size(); ++k) {
            note_readers(k);
        }
        for (std::size_t p = 0; p < homes_.size(); ++p) {
            const output_port& port = g.outputs[p];
            if (port.is_state()) {
                const int value = detail::resolved(g, port.node);
                const bool is_read_elsewhere =
                    is_layer(value) && handed_[at(value)] != 0 && ports_[at(value)] == static_cast<int>(p);
                const int reader = reader_[at(port.state)];
                keepers_[p] = !is_read_elsewhere && (reader == no_segment || reader == homes_[p]) ? homes_[p] : -1;
            }
        }
    }

    /// The segment whose program keeps the state of an output of the model; -1 where one segment reads it that does not
    /// write it, or the other way round: then its values go from run to run as ports.
    constexpr int keeper(int output) const { return keepers_[at(output)]; }
    /// Whether a segment computes the value of a node for others.
    constexpr bool is_handed_over(int node) const { return handed_[at(node)] != 0; }
    /// The output of the model by which it does so, or -1.
    constexpr int port_of(int node) const { return ports_[at(node)]; }

    /// The nodes of the model whose values a segment takes: inputs that callers of the model bind or that carry states
    /// over, then layers of earlier segments.
    constexpr sequence<int> values_read(int index) const {
        const sequence<char> needed = needed_in(index);
        sequence<int> read;
        for (int i = 0; i < g_.size(); ++i) {
            if (needed[at(i)] != 0 && g_[i].kind == op::input && !is_kept_in(index, i)) {
                read.push_back(i);
            }
        }
        for (int i = 0; i < g_.size(); ++i) {
            if (needed[at(i)] != 0 && is_layer(i) && cuts_.of(i) != index) {
                read.push_back(i);
            }
        }
        return read;
    }

    /// One segment as a graph. `values` has the range of each node (`ranges`).
    constexpr segment_graph extract(int index, const std::vector<interval>& values) const {
        segment_graph result;
        dynamic_graph& made = result.graph;
        made.call_as(g_);
        const sequence<char> needed = needed_in(index);
        sequence<int> renamed(g_.nodes.size(), -1);
        for (int i = 0; i < g_.size(); ++i) {
            if (needed[at(i)] != 0 && g_[i].kind == op::input) {
                renamed[at(i)] = copy(made, i, renamed);
            }
        }
        result.inputs = values_read(index);
        for (const int i : result.inputs) {
            if (is_layer(i)) {
                node n;
                n.kind = op::input;
                n.shape = g_[i].shape;
                n.attributes = promise_of(values[at(i)]);
                n.where = g_[i].where;
                const sequence<char> name = name_of(i);
                n.name = made.intern({name.data(), name.size()});
                renamed[at(i)] = made.append(n, {});
            }
        }
        for (int i = 0; i < g_.size(); ++i) {
            if (needed[at(i)] != 0 && renamed[at(i)] < 0) {
                renamed[at(i)] = copy(made, i, renamed);
            }
        }
        for (std::size_t p = 0; p < homes_.size(); ++p) {
            if (homes_[p] == index) {
                const output_port& port = g_.outputs[p];
                const bool keeps = keepers_[p] == index;
                made.add_output(renamed[at(port.node)], g_.name(port), keeps ? renamed[at(port.state)] : -1);
                if (!keeps) {
                    result.outputs.push_back(static_cast<int>(p));
                }
            }
        }
        for (int i = 0; i < g_.size(); ++i) {
            if (is_layer(i) && cuts_.of(i) == index && is_handed_over(i) && port_of(i) < 0) {
                const sequence<char> name = name_of(i);
                made.add_output(renamed[at(i)], {name.data(), name.size()});
                result.outputs.push_back(segment_graph::handed(i));
            }
        }
        return result;
    }

    /// The name of the ports by which a layer's value is handed over.
    constexpr sequence<char> name_of(int layer) const {
        sequence<char> text;
        if (port_of(layer) >= 0) {
            text.append(g_.name(g_.outputs[at(port_of(layer))]));
            return text;
        }
        text.append(name(g_[layer].kind));
        text.push_back('_');
        detail::append_number(text, layer);
        while (is_taken({text.data(), text.size()})) {
            text.push_back('_');
        }
        return text;
    }

private:
    static constexpr int no_segment = -1;
    static constexpr int several = -2;
    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }
    constexpr bool is_layer(int index) const { return roles_[at(index)] == cut_role::layer; }
    constexpr bool is_taken(std::string_view name) const {
        return g_.find(op::input, name) >= 0 || g_.find_output(name) >= 0;
    }
    constexpr bool is_kept_in(int index, int input) const {
        const int output = of_outputs_[at(input)].next;
        return output >= 0 && keepers_[at(output)] == index;
    }
    /// Where outputs are made that are an input or a constant.
    constexpr int first_on_engine() const {
        for (int k = 0; k < cuts_.size(); ++k) {
            if (cuts_[k].place != door::host) {
                return k;
            }
        }
        return 0;
    }

    /// What a segment computes, and all that it reads; of layers of other segments only themselves.
    constexpr sequence<char> needed_in(int index) const {
        sequence<char> needed(g_.nodes.size(), 0);
        for (int i = 0; i < g_.size(); ++i) {
            needed[at(i)] = is_layer(i) && cuts_.of(i) == index ? 1 : 0;
        }
        for (std::size_t p = 0; p < homes_.size(); ++p) {
            if (homes_[p] == index) {
                needed[at(g_.outputs[p].node)] = 1;
                if (keepers_[p] == index) {
                    needed[at(g_.outputs[p].state)] = 1;
                }
            }
        }
        for (int i = g_.size() - 1; i >= 0; --i) {
            const bool is_read_only = is_layer(i) && cuts_.of(i) != index;
            if (needed[at(i)] != 0 && !is_read_only) {
                for (const int o : g_.operands(i)) {
                    needed[at(o)] = 1;
                }
            }
        }
        return needed;
    }
    constexpr void note_readers(int index) {
        const sequence<char> needed = needed_in(index);
        for (int i = 0; i < g_.size(); ++i) {
            if (needed[at(i)] != 0 && is_layer(i) && cuts_.of(i) != index) {
                handed_[at(i)] = 1;
            }
            if (needed[at(i)] != 0 && g_[i].kind == op::input) {
                reader_[at(i)] = reader_[at(i)] == no_segment ? index : several;
            }
        }
    }

    static constexpr contract promise_of(const interval& value) {
        const bool promises = value.declared && value.low >= -half_max && value.high <= half_max;
        return promises ? within(value.low, value.high) : contract{};
    }
    constexpr int copy(dynamic_graph& made, int index, const sequence<int>& renamed) const {
        node n = g_[index];
        n.name = n.name.count > 0 ? made.intern(g_.name(index)) : range_of{};
        n.ends_segment = false;
        n.on_host = false;
        if (n.kind == op::constant) {
            n.attributes = made.keep(g_.values(g_[index]));
        }
        sequence<int> operands;
        for (const int o : g_.operands(index)) {
            operands.push_back(renamed[at(o)]);
        }
        return made.append(n, {operands.data(), operands.size()});
    }

    graph_view g_;
    segmentation_view cuts_;
    sequence<cut_role> roles_;
    sequence<int> ready_;   ///< by node the segment that computes it, or the last of those whose values it repeats; -1
    sequence<char> handed_; ///< by node, whether another segment reads it
    sequence<int> ports_;   ///< by layer the output of the model that has its value, or -1
    sequence<int> reader_;  ///< by input the segment that reads it, `no_segment` or `several`
    sequence<int> homes_;   ///< by output of the model the segment that makes it
    sequence<int> keepers_; ///< by output of the model the segment that keeps its state, or -1
    sequence<node_port> of_outputs_;
};

} // namespace ane
