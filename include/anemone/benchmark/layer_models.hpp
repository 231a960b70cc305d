#pragma once

#include "../base/way.hpp"
#include "../cost/cost.hpp"
#include "../graph/constants.hpp"
#include "../graph/graph.hpp"
#include "../passes/part_cutter.hpp"
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
        part_cutter cutter(g, known);
        for (int i = layer.node; i <= layer.last; ++i) {
            if (fused[static_cast<std::size_t>(i)].host == layer.node && known[static_cast<std::size_t>(i)] == 0 &&
                !is_source(g[i].kind)) {
                cutter.take(i);
            }
        }
        made.graph = std::move(cutter.graph);
        made.reads.assign(cutter.reads.begin(), cutter.reads.end());
        made.graph.add_output(static_cast<int>(made.graph.nodes.size()) - 1, "y");
        if (cutter.reads_booleans) {
            made.not_a_model = "it reads a mask, which cannot be a port";
        }
        if (const dtype type = g[layer.last].type; type == dtype::boolean) {
            made.not_a_model = "it makes a mask, which cannot be a port";
        }
        models.push_back(std::move(made));
    }
    return models;
}

} // namespace ane::detail::inline ANEMONE_WAY
