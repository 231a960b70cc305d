#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/uses.hpp"
#include "../passes/print.hpp"
#include "../weights/fold_constants.hpp"
#include "mil_names.hpp"
#include "netplist_goc.hpp"
#include "netplist_network.hpp"
#include "netplist_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::formats::inline ANEMONE_WAY {

/// For each axis of the result (Batch, Depth, Channel, Height, Width) the axis that its elements come from.
using netplist_order = std::array<netplist_axis, 5>;

/// Writes a graph into a network, node by node, and offers the units that several operations need.
class netplist_writer {
public:
    ANEMONE_INLINE netplist_writer(const graph_view& g, const folded_constants& constants, std::string_view label,
                                   const netplist_options& options)
        : graph_(g), constants_(constants), options_(options), network_(label), readers_(uses(g)),
          values_(g.nodes.size()) {
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                network_.reserve(g.name(i));
            }
        }
        for (const output_port& port : g.outputs) {
            network_.reserve(g.name(port));
        }
        for (int i = 0; i < g.size(); ++i) {
            if (!is_source(g[i].kind) && !g.name(i).empty()) {
                network_.keep(stem(i));
            }
        }
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                set(i, network_.input(g.name(i), netplist_shape_of(g[i].shape), g[i].type));
            }
        }
    }

    ANEMONE_INLINE const graph_view& graph() const { return graph_; }
    ANEMONE_INLINE const netplist_options& options() const { return options_; }
    ANEMONE_INLINE const node& at(int index) const { return graph_[index]; }
    ANEMONE_INLINE bool known(int index) const { return constants_.known(index); }
    ANEMONE_INLINE const std::vector<half>& values(int index) const {
        return constants_.values[static_cast<std::size_t>(index)];
    }
    ANEMONE_INLINE int operand(int index, int position) const {
        return graph_.operands(index)[static_cast<std::size_t>(position)];
    }

    /// Units are named after the node that is visited.
    ANEMONE_INLINE void visit(int index) { current_ = index; }
    ANEMONE_INLINE void set(int index, netplist_value value) {
        if (readers_[static_cast<std::size_t>(index)] != 1) {
            open_.erase(value.symbol);
        }
        values_[static_cast<std::size_t>(index)] = std::move(value);
    }

    /// The value of a node as an operand; a constant becomes an entry of `Constants`.
    ANEMONE_INLINE const netplist_value& value(int index) {
        netplist_value& v = values_[static_cast<std::size_t>(index)];
        if (v.symbol.empty()) {
            v = constant(netplist_shape_of(graph_[index].shape), numbers(index), stem(index));
        }
        return v;
    }

    /// A constant tensor. Batches are stored as channels, because only N = D = 1 is known of `Constants`.
    ANEMONE_INLINE netplist_value constant(const netplist_shape& shape, std::span<const half> data,
                                           const std::string& stem) {
        netplist_shape stored = shape;
        stored[netplist_axis::channel] *= shape[netplist_axis::batch];
        stored[netplist_axis::batch] = 1;
        return reshape(network_.constant(stem, stored, data), shape);
    }
    ANEMONE_INLINE netplist_value constant(const netplist_shape& shape, std::span<const half> data) {
        return constant(shape, data, stem(current_) + "_constant");
    }

    /// Positions along Width, as an entry of `Constants`.
    ANEMONE_INLINE netplist_value indices(std::span<const std::uint16_t> positions) {
        return network_.constant(stem(current_) + "_indices", {1, 1, 1, 1, static_cast<std::int64_t>(positions.size())},
                                 std::as_bytes(positions), dtype::uint16);
    }

    ANEMONE_INLINE std::int64_t blob(std::span<const half> data) { return network_.blob(data); }

    ANEMONE_INLINE netplist_value unit(const netplist_unit& what, std::vector<netplist_value> bottoms,
                                       const netplist_shape& shape) {
        for (const netplist_value& b : bottoms) {
            open_.erase(b.symbol);
        }
        return network_.unit(stem(current_), what, std::move(bottoms), shape);
    }
    /// A unit whose result has the shape of its first operand, and whose only parameter may be its variant.
    ANEMONE_INLINE netplist_value simple(std::string_view type, std::string_view variant,
                                         std::vector<netplist_value> bottoms) {
        const netplist_shape shape = bottoms.front().shape;
        return unit({type, plist_dict{{"Type", variant}}}, std::move(bottoms), shape);
    }

    /// x times one number, or times one for each channel.
    ANEMONE_INLINE netplist_value scale(const netplist_value& x, std::span<const half> factors) {
        return gain(x, {{factors.begin(), factors.end()}, {}});
    }
    ANEMONE_INLINE netplist_value scale(const netplist_value& x, half factor) {
        return scale(x, std::span(&factor, 1));
    }
    /// x plus one number, or plus one for each channel.
    ANEMONE_INLINE netplist_value offset(const netplist_value& x, std::span<const half> amounts) {
        return gain(x, {{}, {amounts.begin(), amounts.end()}});
    }
    ANEMONE_INLINE netplist_value offset(const netplist_value& x, half amount) {
        return offset(x, std::span(&amount, 1));
    }

    /// The same where nothing else reads x, now or later. With `one_goc` it completes the unit that x comes from, if that
    /// adds, or if it scales and the offsets can be divided; else it is a unit of its own.
    ANEMONE_INLINE netplist_value then_scale(const netplist_value& x, std::span<const half> factors) {
        const auto from = open_.find(x.symbol);
        return from != open_.end() && from->second.scale.empty()
                   ? completed(x, {{factors.begin(), factors.end()}, from->second.bias})
                   : scale(x, factors);
    }
    ANEMONE_INLINE netplist_value then_offset(const netplist_value& x, std::span<const half> amounts) {
        const auto from = open_.find(x.symbol);
        if (from != open_.end() && from->second.bias.empty()) {
            if (auto bias = divided(amounts, from->second.scale)) {
                return completed(x, {from->second.scale, std::move(*bias)});
            }
        }
        return offset(x, amounts);
    }
    ANEMONE_INLINE netplist_value then_offset(const netplist_value& x, half amount) {
        return then_offset(x, std::span(&amount, 1));
    }

    /// Copies along the axes of extent 1 that have to grow.
    ANEMONE_INLINE netplist_value broadcast(const netplist_value& x, const netplist_shape& wanted) {
        plist_array info;
        for (const netplist_axis axis : netplist_axes) {
            if (x.shape[axis] != wanted[axis]) {
                info.emplace_back(plist_dict{{"Dimension", name(axis)}, {"Size", wanted[axis]}});
            }
        }
        return info.empty() ? x : unit({"Broadcast", plist_dict{{"BroadcastInfo", info}}}, {x}, wanted);
    }

    /// The same elements in row-major order, under another shape.
    ANEMONE_INLINE netplist_value reshape(const netplist_value& x, const netplist_shape& wanted) {
        if (x.shape == wanted) {
            return x;
        }
        return unit({"Reshape",
                     plist_dict{{"ReshapedBatch", wanted[netplist_axis::batch]},
                                {"ReshapedDepth", wanted[netplist_axis::depth]},
                                {"ReshapedChannel", wanted[netplist_axis::channel]},
                                {"ReshapedHeight", wanted[netplist_axis::height]},
                                {"ReshapedWidth", wanted[netplist_axis::width]}},
                     false},
                    {x}, wanted);
    }

    ANEMONE_INLINE netplist_value transpose(const netplist_value& x, const netplist_order& order) {
        plist_array moves;
        netplist_shape shape;
        bool changes = false;
        for (const netplist_axis to : netplist_axes) {
            const netplist_axis from = order[static_cast<std::size_t>(to)];
            shape[to] = x.shape[from];
            if (from != to) {
                changes = changes || x.shape[from] != 1;
                moves.emplace_back(
                    plist_dict{{"TransposeSourceDimension", name(from)}, {"TransposeDestinationDimension", name(to)}});
            }
        }
        return changes ? unit({"Transpose", plist_dict{{"TransposeDimensions", moves}}}, {x}, shape) : x;
    }

    /// Names the outputs and gives the finished netplist.
    ANEMONE_INLINE netplist finish() && {
        for (const output_port& port : graph_.outputs) {
            visit(port.node);
            netplist_value result = value(port.node);
            if (!network_.is_unit(result)) {
                result = network_.copy(stem(port.node), result);
            }
            network_.output(graph_.name(port), result);
        }
        return std::move(network_).finish();
    }

private:
    /// The values of a constant; of booleans 1 and 0, which units read.
    ANEMONE_INLINE std::vector<half> numbers(int index) const {
        if (graph_[index].type != dtype::boolean) {
            return values(index);
        }
        std::vector<half> result;
        for (const std::byte truth : constants_.bytes[static_cast<std::size_t>(index)]) {
            result.emplace_back(truth == std::byte{} ? 0.0F : 1.0F);
        }
        return result;
    }

    /// Of a unit's name: the layer's as an identifier, else the operation with its number.
    ANEMONE_INLINE std::string stem(int index) const {
        const std::string_view layer = is_source(graph_[index].kind) ? std::string_view() : graph_.name(index);
        return layer.empty() ? formatted("{}_{}", name(graph_[index].kind), index) : layer_identifier(layer);
    }

    ANEMONE_INLINE netplist_value gain(const netplist_value& x, const netplist_gain& what) {
        netplist_value y = unit({"GOC", gain_params(network_, what)}, {x}, x.shape);
        if (options_.one_goc) {
            open_.emplace(y.symbol, what);
        }
        return y;
    }
    ANEMONE_INLINE netplist_value completed(const netplist_value& x, const netplist_gain& what) {
        network_.set_params(x.symbol, gain_params(network_, what));
        open_.erase(x.symbol);
        return x;
    }

    graph_view graph_;
    const folded_constants& constants_;
    netplist_options options_;
    netplist_network network_;
    sequence<int> readers_;
    std::map<std::string, netplist_gain, std::less<>> open_; ///< GOC units that scale or add, and that are not read yet
    std::vector<netplist_value> values_;
    int current_ = 0;
};

/// Writes one operation with the units that it needs around its own.
using netplist_unit_writer = netplist_value (*)(netplist_writer& w, int index, const netplist_form& form);

} // namespace ane::formats::inline ANEMONE_WAY
