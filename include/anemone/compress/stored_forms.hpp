#pragma once

#include "../analysis/held_weights.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/half.hpp"
#include "../weights/store.hpp"
#include "compress.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Models whose weights are stored in forms.
namespace ane::compress::inline ANEMONE_WAY {

/// The forms that a file holds; where there is none, each could be written.
constexpr held_forms held_in(weight_file file) noexcept {
    return file == weight_file::mil        ? held_forms::run
           : file == weight_file::netplist ? held_forms::none
                                           : held_forms::every;
}

using forms_by_node = std::vector<std::optional<compression>>; ///< of the weights of a graph

/// The graph with some weights wrapped in a stored form. `renamed`, if any, gets the new number of each node.
ANEMONE_INLINE dynamic_graph with_forms(const graph_view& g, const forms_by_node& forms,
                                        std::vector<int>* renamed = nullptr) {
    dynamic_graph result;
    result.call_as(g);
    std::vector<int> reads(g.nodes.size(), -1);  // the node that stands for an old one where it is read,
    std::vector<int> stands(g.nodes.size(), -1); // and the node itself
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        node n = g[i];
        n.name = n.name.count > 0 ? result.intern(g.name(i)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = result.keep(g.values(g[i]));
        }
        std::vector<int> operands;
        for (const int operand : g.operands(i)) {
            operands.push_back(reads[static_cast<std::size_t>(operand)]);
        }
        reads[at] = stands[at] = result.append(n, operands);
        if (forms[at]) {
            node wrapped;
            wrapped.kind = op::compressed;
            wrapped.type = n.type;
            wrapped.shape = n.shape;
            wrapped.attributes = *forms[at];
            wrapped.where = n.where;
            const int weight[] = {stands[at]};
            reads[at] = result.append(wrapped, weight);
        }
    }
    for (const output_port& port : g.outputs) {
        result.add_output(reads[static_cast<std::size_t>(port.node)], g.name(port),
                          port.is_state() ? stands[static_cast<std::size_t>(port.state)] : -1);
    }
    if (renamed != nullptr) {
        *renamed = stands;
    }
    return result;
}

/// The store with other values for some weights.
ANEMONE_INLINE weight_store with_values(const weight_store& store,
                                        const std::vector<std::pair<std::string, const std::vector<half>*>>& values) {
    weight_store result;
    const std::map<std::string_view, const std::vector<half>*> by_name(values.begin(), values.end());
    for (const stored_tensor& tensor : store) {
        const auto own = by_name.find(tensor.name);
        if (own == by_name.end()) {
            result.add(tensor);
        } else {
            result.add(tensor.name, tensor.shape, std::span<const half>(*own->second));
        }
    }
    result.set_metadata(store.metadata());
    return result;
}

/// |a - b| / |b|
ANEMONE_INLINE double relative_distance(std::span<const half> a, std::span<const half> b) {
    double moved = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto w = static_cast<double>(b[i]);
        const double d = static_cast<double>(a[i]) - w;
        moved += d * d;
        size += w * w;
    }
    return moved == 0 ? 0 : std::sqrt(moved / size);
}

/// The blocks of a form as a weight can have them: of the largest size that divides its rows, not above the wanted one.
ANEMONE_INLINE compression fitted(compression form, const extents& shape) {
    const std::int64_t row = shape.rank > 0 && shape[0] > 0 ? shape.count() / shape[0] : 0;
    while (form.block > 1 && row % form.block != 0) {
        --form.block;
    }
    return form;
}

} // namespace ane::compress::inline ANEMONE_WAY
