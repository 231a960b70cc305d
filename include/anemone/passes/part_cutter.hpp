#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/graph.hpp"
#include "../graph/sequence.hpp"

#include <string>
#include <string_view>

namespace ane {

/// Takes nodes out of a graph into one of their own, which are to be taken in their order. What they read of the others
/// becomes inputs, in `reads`; what `known` marks (`constant_nodes`) comes along. Truth values, which are no ports,
/// become inputs of bytes.
class part_cutter {
public:
    part_cutter(const graph_view& from, const sequence<char>& known)
        : from_(from), known_(known), places_(from.nodes.size(), -1) {}

    dynamic_graph graph{};
    sequence<int> reads{};       ///< nodes of the whole, one for each input
    bool reads_booleans = false; ///< among them

    void take(int index) { copy(index); }
    /// Makes the value of a node that was taken an output.
    void add_output(int index, std::string_view name) { graph.add_output(place(index), name); }

    /// The index of a value of the whole in the part.
    int place(int index) {
        int& found = places_[static_cast<std::size_t>(index)];
        if (found < 0 && known_[static_cast<std::size_t>(index)] != 0) {
            return copy(index);
        }
        if (found < 0) {
            found = port(index);
        }
        return found;
    }

private:
    int copy(int index) {
        sequence<int> read;
        for (const int operand : from_.operands(index)) {
            read.push_back(place(operand));
        }
        node n = from_[index];
        n.name = graph.intern(from_.name(index));
        n.ends_segment = n.on_host = false;
        if (n.kind == op::constant) {
            n.attributes = graph.keep(from_.values(from_[index]));
        }
        return places_[static_cast<std::size_t>(index)] = graph.append(n, {read.data(), read.size()});
    }

    int port(int index) {
        const bool is_boolean = from_[index].type == dtype::boolean;
        node n;
        n.kind = op::input;
        n.type = is_boolean ? dtype::uint8 : from_[index].type;
        n.shape = from_[index].shape;
        n.attributes = contract{};
        n.name = graph.intern("x" + std::to_string(reads.size()));
        reads.push_back(index);
        int made = graph.append(n, {});
        if (is_boolean) {
            reads_booleans = true;
            node zero;
            zero.kind = op::constant;
            const float values[] = {0};
            zero.attributes = graph.keep(values);
            made = operation(op::not_equal, from_[index].shape,
                             {operation(op::cast, from_[index].shape, {made}), graph.append(zero, {})});
        }
        return made;
    }
    int operation(op kind, const extents& shape, std::initializer_list<int> operands) {
        node n;
        n.kind = kind;
        n.shape = shape;
        const int index = graph.append(n, {operands.begin(), operands.size()});
        graph.nodes[static_cast<std::size_t>(index)].type =
            inferred_type(graph, graph.nodes[static_cast<std::size_t>(index)]);
        return index;
    }

    graph_view from_;
    const sequence<char>& known_;
    sequence<int> places_;
};

} // namespace ane
