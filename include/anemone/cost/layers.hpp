#pragma once

#include "../analysis/kernel_memory.hpp"
#include "../analysis/winograd.hpp"
#include "../analysis/working_set.hpp"
#include "../graph/uses.hpp"
#include "../passes/fusion.hpp"
#include "../targets/table.hpp"
#include "work.hpp"

#include <cstdint>

/// What the layers of a lowered graph ask of the device: arithmetic, and bytes by the way that they take. No rate is in
/// it, so the same demands are priced for any rates (cost/cost.hpp).
namespace ane {

/// The unit that a layer keeps busy.
enum class engine_unit : std::uint8_t {
    elements,    ///< everything that is below
    convolution, ///< the array, with Winograd's transform where the shape admits it
    direct,      ///< the array, for other convolutions
    product,     ///< the array, for products of matrices
    attention,   ///< the fused attention
    order        ///< indices of extremes, top_k, sort
};

/// One layer of the compiled program: a node and the stages that fused into it.
struct layer_demand {
    int node = -1;  ///< the layer's own node in the lowered graph
    int last = -1;  ///< the node whose value leaves the layer: the last fused stage
    int stages = 0; ///< how many nodes fused into it
    ane::work work{};
    std::int64_t input_bytes = 0;  ///< values read, each once
    std::int64_t weight_bytes = 0; ///< constants read, compressed where the target streams them so
    std::int64_t output_bytes = 0;
    engine_unit on = engine_unit::elements;
    std::int64_t port_bytes = 0;    ///< those of the inputs and outputs that are ports of the program
    std::int64_t large_bytes = 0;   ///< those of values that do not fit on the chip
    std::int64_t spilled_bytes = 0; ///< of these the ones that are no ports
    bool permutes = false;          ///< it changes the order of axes, or of blocks
    double active = 1;              ///< share of the array that its channels keep busy
    bool fills = false;             ///< a first product whose whole weight must lie on the chip before it starts
    double zeros = 0;               ///< share of its weights that are exactly 0, as far as promised
    std::int64_t rows_bytes = 0;    ///< a product whose weights do not fit on the chip: of its other operand
    std::int64_t row_scaled = 0;    ///< elements that a factor for each row scales, outside of a norm
    std::int64_t selected = 0;      ///< elements that are put in order
    std::int64_t orders = 0;        ///< rows that are put in order, each in a pass of its own
    std::int64_t scores = 0;        ///< of the fused attention

    constexpr std::int64_t bytes() const { return input_bytes + weight_bytes + output_bytes; }
    constexpr std::int64_t resident_bytes() const { return input_bytes + output_bytes - port_bytes - spilled_bytes; }
    /// Arithmetic intensity, FLOP/byte; 0 for a layer that moves nothing.
    constexpr double intensity() const {
        return bytes() > 0 ? static_cast<double>(work.flops()) / static_cast<double>(bytes()) : 0;
    }
};

/// A program in one dispatch.
struct program_demand {
    sequence<layer_demand> layers; ///< in execution order
    std::int64_t on_chip = 0;      ///< bytes of the memory there: what is as large does not fit
    int inputs = 0;                ///< ports that the host fills; states are none
    int outputs = 0;

    /// A chain of products lost its rate when a value took all of the on-chip memory (guide chapter 9, ws_008).
    constexpr bool is_large(std::int64_t bytes) const { return bytes >= on_chip; }
};

namespace detail {

/// The node that a reshape, or several, is of.
constexpr int behind_reshapes(const graph_view& g, int value) {
    while (g[value].kind == op::reshape) {
        value = g.operands(value)[0];
    }
    return value;
}

constexpr bool swaps_the_last_two(const indices& order) {
    bool swaps = order.rank >= 2;
    for (int k = 0; k < order.rank; ++k) {
        swaps = swaps && order[k] == (k < order.rank - 2 ? k : 2 * order.rank - 3 - k);
    }
    return swaps;
}
/// Nodes that move nothing, by node: reshapes, and transposes that a product takes in its stride. Those swap the last two
/// axes, and only products read them, which have a flag for it; keys that a graph transposes for their scores are such.
/// field-2026 has Qwen3-4B decode over caches of 8,448 positions in 134 ms, where turning its keys round would take 165 more.
constexpr sequence<char> views_of(const graph_view& g, const sequence<fusion>& fused, const sequence<char>& known) {
    sequence<char> views(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        for (const int o : g.operands(i)) {
            const auto read = static_cast<std::size_t>(o);
            views[read] = g[i].kind == op::matmul || g[o].kind == op::reshape ? views[read] : 0;
        }
        const bool turns = g[i].kind == op::transpose && known[at] == 0 && fused[at].host == i &&
                           swaps_the_last_two(g[i].get<permutation>().order);
        views[at] = turns || g[i].kind == op::reshape ? 1 : 0;
    }
    for (const output_port& o : g.outputs) {
        const auto leaves = static_cast<std::size_t>(o.node);
        views[leaves] = g[o.node].kind == op::reshape ? views[leaves] : 0;
    }
    return views;
}
/// The node whose memory a value lies in.
constexpr int behind_views(const graph_view& g, const sequence<char>& views, int value) {
    while (views[static_cast<std::size_t>(value)] != 0) {
        value = g.operands(value)[0];
    }
    return value;
}

/// A difference with its own mean: the first part of a norm that the engine has as a layer.
constexpr bool is_centred(const graph_view& g, int value) {
    const node& n = g[behind_reshapes(g, value)];
    return n.kind == op::sub && g.operand(n, 1).kind == op::reduce_mean;
}
/// The length of a vector, or the largest of it and a number.
constexpr bool is_length(const graph_view& g, int value) {
    const node& n = g[value];
    return n.kind == op::sqrt || (n.kind == op::maximum && g.operand(n, 0).kind == op::sqrt);
}

/// Elements that a multiplication or division takes by a computed factor for each row. As the end of a norm that the
/// engine has (layer, instance, group, l2) it runs with the norm; a norm that it has not, rms, was measured to take five
/// times as long as those, and this is the part that they do not share (points un_010, un_012, bm_008, bm_009). Those were
/// programs of one norm, whose values are ports. Between layers it costs nothing that shows: the 145 norms of a Qwen3-4B,
/// over 64 rows, would take 46 ms, and the whole chunk takes 68 (field-2026).
constexpr std::int64_t row_scaled_elements(const graph_view& g, int index, const sequence<char>& known) {
    const node& n = g[index];
    if ((n.kind != op::mul && n.kind != op::div) || n.shape.rank < 1 || n.shape.width() == 1) {
        return 0;
    }
    const int factor = g.operands(n)[1];
    const bool computed = known[static_cast<std::size_t>(factor)] == 0 && !is_source(g[factor].kind);
    const bool one_a_row = g[factor].shape.rank < 1 || g[factor].shape.width() == 1;
    const bool ends_a_norm = n.kind == op::mul ? is_centred(g, g.operands(n)[0]) : is_length(g, factor);
    const bool comes_in = g[behind_reshapes(g, g.operands(n)[0])].kind == op::input;
    return computed && one_a_row && !ends_a_norm && comes_in ? n.shape.count() : 0;
}

constexpr bool orders(op kind) {
    return kind == op::top_k || kind == op::top_k_indices || kind == op::sort || kind == op::arg_sort;
}

/// Whether an operation changes the order of elements that lie beside each other; axes of one element may go anywhere.
constexpr bool permutes(const graph_view& g, const node& n) {
    if (n.attributes.kind() != attribute_kind::permutation) {
        return n.attributes.kind() == attribute_kind::factors; // blocks of pixels
    }
    const extents& x = g.operand(n, 0).shape;
    std::int64_t last = -1;
    const indices& order = n.get<permutation>().order;
    for (int i = 0; i < order.rank; ++i) {
        const std::int64_t from = order[i];
        if (x[static_cast<int>(from)] > 1) {
            if (from < last) {
                return true;
            }
            last = from;
        }
    }
    return false;
}

/// Whether a node asks for the order that the node before it found: values and indices come out of one layer.
constexpr bool shares_its_order(const graph_view& g, int index) {
    const node& n = g[index];
    for (int i = index - 1; i >= 0 && orders(n.kind); --i) {
        if (orders(g[i].kind) && g.operands(i)[0] == g.operands(n)[0] && g[i].get<selection>() == n.get<selection>()) {
            return true;
        }
    }
    return false;
}

/// The share of exact zeros of the weight that a layer reads, stored in whatever form: by its promise, or that of the form.
constexpr double zeros_of(const graph_view& g, const node& n) {
    for (const int position : {1, 0}) {
        const node* w = &g.operand(n, position);
        double zeros = 0;
        while (w->kind == op::compressed || w->kind == op::reshape || w->kind == op::identity ||
               w->kind == op::transpose) {
            if (w->kind == op::compressed) {
                zeros = static_cast<double>(w->get<compression>().zeros);
            }
            w = &g.operand(*w, 0);
        }
        if (w->kind == op::weight) {
            const double promised = w->get<contract>().zeros;
            return promised > zeros ? promised : zeros;
        }
    }
    return 0;
}

/// Rows of a product that meet its weights in one pass, however long they are: Qwen3-4B takes 68.2 ms for 64 positions and
/// 66.5 for 8, so its weights, of products 2560 to 9728 wide, come in once (field-2026; the vendor's chunk of a prompt).
inline constexpr std::int64_t rows_held = 64;

constexpr void describe_layer(layer_demand& layer, const graph_view& g, const target_description& t) {
    const node& n = g[layer.node];
    if (is_convolution(n.kind)) {
        const convolution_geometry c = geometry_of(g, n);
        const winograd_gate gate = winograd_of(g, n, c, t).gate;
        const bool transformed = gate == winograd_gate::open || gate == winograd_gate::target;
        layer.on = transformed ? engine_unit::convolution : engine_unit::direct;
        layer.active = static_cast<double>(active_cores(c.out_channels, t)) / t.cores;
        layer.zeros = transformed ? 0 : zeros_of(g, n); // a transformed kernel has other zeros
    } else if (n.kind == op::matmul || n.kind == op::linear) {
        layer.on = engine_unit::product;
        layer.zeros = zeros_of(g, n);
        const int weight = is_stored_weight(g.operand(n, 1).kind) ? 1 : 0; // the left one with channels first
        const node& w = g.operand(n, weight);
        const std::int64_t stored = bytes(w.type, w.shape.count());
        const node& x = g.operand(n, 1 - weight);
        const std::int64_t along = n.kind == op::linear || weight == 1 ? x.shape.width() : x.shape.height();
        const std::int64_t rows = along > 0 ? x.shape.count() / along : 0;
        if (is_stored_weight(w.kind) && stored > working_set_knee(t) && rows > rows_held) {
            layer.rows_bytes = bytes(x.type, x.shape.count());
        }
        // Throughput steps up where the weight is tiled and the tiles come in while others are used, above 2.31 MB on M1;
        // M5 tiles smaller ones too, without a step (guide chapter 21).
        layer.fills = is_stored_weight(w.kind) && stored <= working_set_knee(t) && !at_least(t.tier, family::a17);
    } else if (n.kind == op::attention) {
        layer.on = engine_unit::attention;
        layer.scores = layer.work.other / 6;
    } else if (is_arg_reduction(n.kind) || orders(n.kind)) {
        layer.on = engine_unit::order;
        if (orders(n.kind)) {
            const extents& x = g.operand(n, 0).shape;
            layer.selected = x.count();
            layer.orders = x.count() / x[normalized_axis(n.get<selection>().axis, x.rank)];
        }
    }
    layer.permutes = permutes(g, n);
}

} // namespace detail

/// The demands of a lowered graph. A layer reads the operands that come from outside it and writes its last value; a
/// view moves nothing (`detail::views_of`); a slice reads no more than it writes. Each input of the program is
/// brought in once and whole, for the first layer that reads it. Quadratic only in the number of sorts. `held`: the forms of
/// weights that the file holds.
constexpr program_demand demand_of(const graph_view& g, const target_description& t, held_forms held) {
    const sequence<fusion> fused = fuse(g);
    const sequence<char> known = constant_nodes(g);
    const sequence<char> views = detail::views_of(g, fused, known);
    const auto is_view = [&](int i) { return views[static_cast<std::size_t>(i)] != 0; };
    program_demand program;
    program.on_chip = t.memory.working_set_nominal;
    sequence<layer_demand>& layers = program.layers;
    sequence<int> position(g.nodes.size(), -1);    // of a layer, by its host
    sequence<int> last_reader(g.nodes.size(), -1); // the host that read a value last: an operand counts once a layer
    sequence<char> at_host(g.nodes.size(), 0);     // inputs that are still to be brought in
    for (int i = 0; i < g.size(); ++i) {
        at_host[static_cast<std::size_t>(i)] = g[i].kind == op::input ? 1 : 0;
    }
    for (const output_port& o : g.outputs) {
        if (o.is_state()) {
            at_host[static_cast<std::size_t>(o.state)] = 0;
        }
        program.outputs += o.is_state() ? 0 : 1;
    }
    for (const char waits : at_host) {
        program.inputs += waits;
    }
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (known[at] == 0 && !is_source(g[i].kind) && fused[at].host == i) {
            position[at] = static_cast<int>(layers.size());
            layers.push_back({.node = i});
        }
    }
    const sequence<int> next = next_stages(fused);
    const sequence<int> read = uses(g);
    for (layer_demand& layer : layers) {
        bool brings = false; // an input of the program; the weight of a layer behind others comes in while they run
        for (int i = layer.node; i >= 0; i = next[static_cast<std::size_t>(i)]) {
            const bool is_host = i == layer.node;
            layer.last = i;
            layer.stages += is_host ? 0 : 1;
            const bool ordered = detail::shares_its_order(g, i);
            const work done = ordered ? work{} : work_of(g, g[i]);
            layer.work.multiply_adds += done.multiply_adds;
            layer.work.other += done.other;
            layer.row_scaled += detail::row_scaled_elements(g, i, known);
            if (is_host && !ordered) {
                detail::describe_layer(layer, g, t);
            }
            if (is_view(i)) {
                layer.permutes = false;
                continue;
            }
            const kernel_use kernel = kernel_use_of(g, i, t, held, read);
            for (const int o : g.operands(i)) {
                const auto from = static_cast<std::size_t>(o);
                const bool inside = !is_source(g[o].kind) && known[from] == 0 && fused[from].host == layer.node &&
                                    !is_view(o); // a view is read where it is read from
                if (inside || last_reader[from] == layer.node) {
                    continue;
                }
                last_reader[from] = layer.node;
                const std::int64_t whole = bytes(g[o].type, g[o].shape.count());
                if (known[from] != 0) {
                    const bool is_kernel = kernel.any() && is_stored_weight(g[o].kind) && o == g.operands(i)[1];
                    layer.weight_bytes += is_kernel ? kernel.demand : whole;
                    continue;
                }
                char& waits = at_host[static_cast<std::size_t>(detail::behind_views(g, views, o))];
                const bool slices = g[i].kind == op::slice && waits == 0;
                const std::int64_t size = slices ? bytes(g[o].type, g[i].shape.count()) : whole;
                layer.input_bytes += size;
                layer.large_bytes += program.is_large(whole) ? size : 0;
                if (waits != 0) {
                    waits = 0;
                    brings = true;
                    layer.port_bytes += size;
                } else if (program.is_large(whole)) {
                    layer.spilled_bytes += size;
                }
            }
        }
        layer.fills = layer.fills && brings;
    }
    for (layer_demand& layer : layers) {
        const node& out = g[layer.last];
        layer.output_bytes = is_view(layer.last) ? 0 : bytes(out.type, out.shape.count());
    }
    sequence<char> has_left(g.nodes.size(), 0); // two outputs of one value leave once
    for (const output_port& o : g.outputs) {
        const auto base = static_cast<std::size_t>(detail::behind_views(g, views, o.node));
        const int layer = position[static_cast<std::size_t>(fused[base].host)];
        if (layer >= 0 && !o.is_state() && has_left[base] == 0) {
            has_left[base] = 1;
            layers[static_cast<std::size_t>(layer)].port_bytes += layers[static_cast<std::size_t>(layer)].output_bytes;
        }
    }
    for (layer_demand& layer : layers) {
        if (program.is_large(layer.output_bytes)) {
            layer.large_bytes += layer.output_bytes;
            layer.spilled_bytes += has_left[static_cast<std::size_t>(layer.last)] == 0 ? layer.output_bytes : 0;
        }
    }
    return program;
}
/// The same of the file that we write unless another one is requested.
constexpr program_demand demand_of(const graph_view& g, const target_description& t) {
    return demand_of(g, t, held_forms_on(compile_route::any, t));
}
constexpr program_demand demand_of(const graph_view& g, target t) { return demand_of(g, describe(t)); }

} // namespace ane
