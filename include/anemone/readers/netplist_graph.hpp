#pragma once

#include "../base/way.hpp"
#include "../dynamic_builder.hpp"
#include "../weights/convert.hpp"
#include "netplist_blobs.hpp"
#include "netplist_document.hpp"
#include "read_model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// The graph of a netplist while it grows. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A value of the network. Where a Broadcast unit made it, the tensor may have an extent of 1 where `shape` has more:
/// elementwise operations of the graph broadcast by themselves.
struct netplist_tensor {
    dynamic_tensor tensor;
    netplist_shape shape;
};

/// What the graph says for a shape: rank 4, [N, C, H, W], or with a depth rank 5.
ANEMONE_INLINE extents graph_shape(const netplist_shape& s) {
    const auto& e = s.extent;
    return e[1] == 1 ? extents{e[0], e[2], e[3], e[4]} : extents{e[0], e[1], e[2], e[3], e[4]};
}

/// The axis of a tensor of rank 4 or 5; for Depth in rank 4, which has none, -1.
constexpr int graph_axis(netplist_axis axis, int rank) {
    const auto index = static_cast<int>(axis);
    return rank == 5 ? index : (axis == netplist_axis::depth ? -1 : (index == 0 ? 0 : index - 1));
}

/// For each axis of the result (N, D, C, H, W) the one that its elements come from.
using netplist_sources = std::array<netplist_axis, 5>;
inline constexpr netplist_sources channels_and_height_exchanged{
    netplist_axis::batch, netplist_axis::depth, netplist_axis::height, netplist_axis::channel, netplist_axis::width};

class netplist_graph {
public:
    explicit netplist_graph(netplist_blobs blobs) : blobs_(std::move(blobs)) {}

    dynamic_builder builder;
    weight_store weights;
    std::set<std::string> missing; ///< the weights whose values are not there
    std::vector<std::string> notes;
    source_location where;

    ANEMONE_INLINE void note(std::string text) {
        if (noted_.insert(text).second) {
            notes.push_back(std::move(text));
        }
    }

    ANEMONE_INLINE dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands,
                                      const attributes& values = {}) {
        return builder.add(kind, operands, values, where);
    }
    ANEMONE_INLINE dynamic_tensor number(half value) { return builder.constant(float(value), where); }

    /// A tensor as a value; one of bytes or truths as fp16.
    ANEMONE_INLINE netplist_tensor value(dynamic_tensor x) {
        if (x.type() == dtype::boolean) {
            x = add(op::cast, {x});
        }
        if (const extents& s = x.shape(); s.rank == 5 && s[1] == 1) { // rank 5 is for a depth
            x = reshape(x, {s[0], s[2], s[3], s[4]});
        }
        netplist_tensor result{x, {}};
        for (const netplist_axis axis : netplist_axes) {
            if (const int index = graph_axis(axis, x.shape().rank); index >= 0) {
                result.shape[axis] = x.shape()[index];
            }
        }
        return result;
    }

    /// The whole tensor, with its copies.
    ANEMONE_INLINE dynamic_tensor whole(const netplist_tensor& x) {
        const extents wanted = graph_shape(x.shape);
        extents held = x.tensor.shape();
        if (held == wanted) {
            return x.tensor;
        }
        dynamic_tensor once = x.tensor;
        if (wanted.rank > held.rank) { // copies along a depth that it had not
            held = {held[0], 1, held[1], held[2], held[3]};
            once = reshape(once, held);
        }
        repeats counts;
        for (int i = 0; i < wanted.rank; ++i) {
            counts.count.append(held[i] == wanted[i] ? 1 : wanted[i]);
        }
        return add(op::tile, {once}, counts);
    }

    /// A weight that shares its elements with earlier units that read the same ones in the same shape.
    ANEMONE_INLINE dynamic_tensor weight(const std::string& name, std::int64_t index, std::int64_t offset,
                                         std::string_view type, const extents& shape) {
        std::vector<std::int64_t> key{index, offset, type.front(), type.back()};
        for (int i = 0; i < shape.rank; ++i) {
            key.push_back(shape[i]);
        }
        const auto found = shared_.find(key);
        if (found != shared_.end()) {
            return found->second;
        }
        const dynamic_tensor made = weight(name, blobs_.tensor(index, offset, type, shape));
        shared_.emplace(std::move(key), made);
        return made;
    }
    /// The same from elements at hand.
    ANEMONE_INLINE dynamic_tensor weight(const std::string& stem, stored_tensor elements) {
        elements.name = stem;
        for (int i = 1; weights.contains(elements.name) || missing.contains(elements.name); ++i) {
            elements.name = formatted("{}_{}", stem, i);
        }
        const dynamic_tensor made = builder.weight(elements.name, elements.shape, {}, where);
        if (blobs_.take_missing()) {
            missing.insert(elements.name);
            return made;
        }
        weights.add(std::move(elements));
        return made;
    }

    ANEMONE_INLINE netplist_blobs& blobs() { return blobs_; }

    /// The same elements in the graph's order under another shape; N, C, D, H, W is the order of the unit.
    ANEMONE_INLINE netplist_tensor reshaped(const netplist_tensor& x, const netplist_shape& wanted) {
        if (x.shape == wanted) {
            return x;
        }
        const auto in_order = [](const netplist_shape& s) {
            return s[netplist_axis::depth] == 1 || s[netplist_axis::channel] == 1;
        };
        constexpr std::int64_t inner[] = {0, 2, 1, 3, 4};
        permutation exchange;
        for (const std::int64_t i : inner) {
            exchange.order.append(i);
        }
        dynamic_tensor y = whole(x);
        if (!in_order(x.shape)) {
            y = add(op::transpose, {y}, exchange);
        }
        if (!in_order(wanted)) {
            const auto& e = wanted.extent;
            y = builder.reshape(y, {e[0], e[2], e[1], e[3], e[4]}, where);
            return {add(op::transpose, {y}, exchange), wanted};
        }
        return {reshape(y, graph_shape(wanted)), wanted};
    }
    /// A reshaping of a reshaping is one, or none.
    ANEMONE_INLINE dynamic_tensor reshape(const dynamic_tensor& x, const extents& shape) {
        if (x.shape() == shape) {
            return x;
        }
        const auto earlier = reshaped_.find(x.node());
        const dynamic_tensor from = earlier == reshaped_.end() ? x : earlier->second;
        if (from.shape() == shape) {
            return from;
        }
        const dynamic_tensor made = builder.reshape(from, shape, where);
        reshaped_[made.node()] = from;
        return made;
    }

    /// Axes in another order. A transposition of a transposition is one, or none.
    ANEMONE_INLINE netplist_tensor transposed(const netplist_tensor& x, netplist_sources sources) {
        dynamic_tensor from = whole(x);
        netplist_shape shape = x.shape;
        if (const auto earlier = transposed_.find(from.node()); earlier != transposed_.end()) {
            netplist_sources composed = sources;
            for (netplist_axis& a : composed) {
                a = earlier->second.sources[static_cast<std::size_t>(a)];
            }
            sources = composed;
            from = earlier->second.from.tensor;
            shape = earlier->second.from.shape;
        }
        netplist_shape wanted;
        bool moves = false; // an axis of more than one element past another one
        std::vector<netplist_axis> kept;
        for (const netplist_axis a : netplist_axes) {
            const netplist_axis source = sources[static_cast<std::size_t>(a)];
            wanted[a] = shape[source];
            if (shape[source] != 1) {
                moves = moves || (!kept.empty() && source < kept.back());
                kept.push_back(source);
            }
        }
        const auto mixes = [](const netplist_shape& s) { // the unit that reshapes has another order of both
            return s[netplist_axis::depth] != 1 && s[netplist_axis::channel] != 1;
        };
        if (!moves && (shape == wanted || (!mixes(shape) && !mixes(wanted)))) {
            return {reshape(from, graph_shape(wanted)), wanted};
        }
        const auto& e = shape.extent;
        const bool deep = shape[netplist_axis::depth] != 1 || wanted[netplist_axis::depth] != 1 ||
                          sources[static_cast<std::size_t>(netplist_axis::depth)] != netplist_axis::depth;
        dynamic_tensor y = deep ? reshape(from, {e[0], e[1], e[2], e[3], e[4]}) : from;
        permutation order;
        for (const netplist_axis a : netplist_axes) {
            if (deep || a != netplist_axis::depth) {
                order.order.append(graph_axis(sources[static_cast<std::size_t>(a)], deep ? 5 : 4));
            }
        }
        y = reshape(add(op::transpose, {y}, order), graph_shape(wanted));
        transposed_[y.node()] = {{from, shape}, sources};
        return {y, wanted};
    }

    /// A function of images [N, C, H, W] over a value with depth, which becomes batch.
    template <class Function> netplist_tensor over_images(const netplist_tensor& x, const Function& function) {
        const dynamic_tensor whole_x = whole(x);
        const std::int64_t depth = x.shape[netplist_axis::depth];
        if (depth == 1) {
            return value(function(whole_x));
        }
        const auto& e = x.shape.extent;
        const dynamic_tensor y = function(reshape(whole_x, {e[0] * e[1], e[2], e[3], e[4]}));
        const extents& s = y.shape();
        return value(reshape(y, {s[0] / depth, depth, s[1], s[2], s[3]}));
    }

private:
    struct transposition {
        netplist_tensor from;
        netplist_sources sources;
    };

    netplist_blobs blobs_;
    std::set<std::string> noted_;
    std::map<std::vector<std::int64_t>, dynamic_tensor> shared_;
    std::map<int, transposition> transposed_; ///< by node
    std::map<int, dynamic_tensor> reshaped_;  ///< by node: what it was made of
};

} // namespace ane::readers::inline ANEMONE_WAY
