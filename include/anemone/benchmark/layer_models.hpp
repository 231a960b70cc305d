#pragma once

#include "../base/way.hpp"
#include "../cost/cost.hpp"
#include "../graph/constants.hpp"
#include "../graph/graph.hpp"
#include "../report/cost_text.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// A layer of a model as a model: what it reads are its inputs, in this order.
struct layer_model {
    layer_demand cost;
    std::string name;
    dynamic_graph graph;
    std::vector<int> reads;  ///< nodes of the whole model, one for each input
    std::string not_a_model; ///< why it cannot be one
};

/// Takes nodes out of a graph into one of their own.
class layer_cutter {
public:
    layer_cutter(const graph_view& from, const sequence<char>& known, layer_model& to)
        : from_(from), known_(known), to_(to), place_(static_cast<std::size_t>(from.size()), -1) {}

    ANEMONE_INLINE void take(int index) { copy(index); }

    /// The index of a value of the whole in the part: constants come along, other values become inputs.
    ANEMONE_INLINE int place(int index) {
        int& found = place_[static_cast<std::size_t>(index)];
        if (found >= 0) {
            return found;
        }
        if (known_[static_cast<std::size_t>(index)] != 0) {
            return copy(index);
        }
        const node& n = from_[index];
        if (n.type != dtype::f16 && n.type != dtype::uint8 && n.type != dtype::int8) {
            to_.not_a_model = "it reads a mask, which is no port";
        }
        node port;
        port.kind = op::input;
        port.type = n.type;
        port.shape = n.shape;
        port.attributes = contract{};
        port.name = to_.graph.intern("x" + std::to_string(to_.reads.size()));
        to_.reads.push_back(index);
        return found = to_.graph.append(port, {});
    }

private:
    ANEMONE_INLINE int copy(int index) {
        std::vector<int> read;
        for (const int operand : from_.operands(index)) {
            read.push_back(place(operand));
        }
        node n = from_[index];
        n.name = to_.graph.intern(from_.name(index));
        n.ends_segment = n.on_host = false;
        if (n.kind == op::constant) {
            n.attributes = to_.graph.keep(from_.values(from_[index]));
        }
        return place_[static_cast<std::size_t>(index)] = to_.graph.append(n, read);
    }

    graph_view from_;
    const sequence<char>& known_;
    layer_model& to_;
    std::vector<int> place_;
};

/// The layers of a model that compute or move anything. What a backend that composes an operation of others makes of one
/// is in its time; layers are those of the cost model.
ANEMONE_INLINE std::vector<layer_model> layer_models(const graph_view& g) {
    const sequence<fusion> fused = fuse(g);
    const sequence<char> known = constant_nodes(g);
    std::vector<layer_model> models;
    for (const layer_demand& layer : demand_of(g, h13).layers) { // the layers are the same on all targets
        if (layer.bytes() == 0) {
            continue;
        }
        layer_model made;
        made.cost = layer;
        made.name = layer_name(g, layer, fused);
        layer_cutter cutter(g, known, made);
        for (int i = layer.node; i <= layer.last; ++i) {
            if (fused[static_cast<std::size_t>(i)].host == layer.node && known[static_cast<std::size_t>(i)] == 0 &&
                !is_source(g[i].kind)) {
                cutter.take(i);
            }
        }
        made.graph.add_output(static_cast<int>(made.graph.nodes.size()) - 1, "y");
        if (const dtype type = g[layer.last].type; type == dtype::boolean) {
            made.not_a_model = "it makes a mask, which is no port";
        }
        models.push_back(std::move(made));
    }
    return models;
}

} // namespace ane::detail::inline ANEMONE_WAY
