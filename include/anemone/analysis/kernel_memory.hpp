#pragma once

#include "convolution_geometry.hpp"
#include "held_weights.hpp"

#include <cstdint>
#include <span>

/// The memory that holds a layer's weights while it runs: 64 KB, or 16 MB for weights that stream (guide chapter 24,
/// HAL 0x200 and 0x210; R057, decompiled). It is apart from the working set of the activations.
namespace ane {

/// Whether an operand is a weight that no operation computes.
constexpr bool is_stored_weight(op kind) noexcept {
    return kind == op::weight || kind == op::constant || kind == op::compressed;
}

/// Whether a form of weights crosses DRAM compressed on a target, where the file holds it; the others are expanded to fp16
/// first (guide chapter 25). Palettes of more than 4 bits go with int8, of which they have half the bytes or more. The
/// combinations need both of their parts.
constexpr bool form_streams(const compression& c, const target_description& t) {
    const auto& has = t.has;
    if (!has.kernel_streaming) {
        return false;
    }
    const bool indexed = has.palette_bits(c.bits) && (c.bits <= 4 ? has.stream_int4_palette : has.stream_int8);
    switch (c.form) {
    case weight_form::palette: return indexed;
    case weight_form::sparse: return has.stream_sparse;
    case weight_form::affine: return has.stream_int8;
    case weight_form::blockwise: return has.stream_blockwise;
    case weight_form::sparse_palette: return has.stream_sparse && indexed;
    case weight_form::sparse_blockwise: return has.stream_sparse && has.stream_blockwise;
    }
    return false;
}

/// Bytes of a weight of `count` elements in a compressed form: a mask with one bit per element and the nonzero elements
/// (guide chapter 25), indices and their table, or integers and their fp16 scales.
constexpr std::int64_t compressed_bytes(const compression& c, std::int64_t count, std::int64_t out_channels) {
    const bool has_zeros = c.form == weight_form::sparse || c.form == weight_form::sparse_palette ||
                           c.form == weight_form::sparse_blockwise;
    const bool indexed = c.form == weight_form::palette || c.form == weight_form::sparse_palette;
    const auto zeros = static_cast<std::int64_t>(static_cast<double>(c.zeros) * static_cast<double>(count));
    const std::int64_t kept = has_zeros ? count - zeros : count;
    const std::int64_t mask = has_zeros ? (count + 7) / 8 : 0;
    if (c.form == weight_form::sparse) {
        return mask + 2 * kept;
    }
    const std::int64_t vector = indexed && c.vector > 1 ? c.vector : 1;
    const std::int64_t packed = ((kept + vector - 1) / vector * c.bits + 7) / 8;
    if (indexed) {
        return mask + packed + (std::int64_t{2} << c.bits) * vector;
    }
    const std::int64_t scales = c.block > 0 ? (count + c.block - 1) / c.block : out_channels;
    return mask + packed + 2 * scales + (c.zero_point ? (scales * c.bits + 7) / 8 : 0);
}

/// What a layer's weights need of the kernel memory. `demand` is compared with `capacity`.
struct kernel_use {
    std::int64_t dense = 0;    ///< bytes as fp16, or as the operand's own type
    std::int64_t demand = 0;   ///< bytes that the layer holds: compressed where the form streams, dense elsewhere
    std::int64_t capacity = 0; ///< 0: the node has no weights
    bool streamed = false;

    constexpr bool any() const { return capacity > 0; }
    /// The least number of layers that the weights are split into: 1 when they fit.
    constexpr std::int64_t splits() const {
        return capacity > 0 && demand > capacity ? (demand + capacity - 1) / capacity : 1;
    }
    constexpr bool exceeds() const { return any() && demand > capacity; }
};

/// The capacity: 16 MB for weights that stream; from the A14 on all kernels pass a builder that the cores share, which
/// selects 16 MB too (guide chapter 35); 64 KB elsewhere.
constexpr std::int64_t kernel_capacity(bool streamed, const target_description& t) {
    return t.has.kernel_streaming && (streamed || t.has.shared_kernel_layout) ? t.memory.kernel_streamed
                                                                              : t.memory.kernel_dense;
}

/// The kernel memory that a contraction with stored weights needs; of a product of two computed matrices the left one,
/// whose rows the engine takes as kernels (R052); nothing for other nodes. `held`: the forms that the file holds; `read`:
/// `uses(g)`, where that is known (`every_reader`).
constexpr kernel_use kernel_use_of(const graph_view& g, int index, const target_description& t, held_forms held,
                                   std::span<const int> read = {}) {
    const node& n = g[index];
    if (!is_contraction(n.kind)) {
        return {};
    }
    const node& w = g.operand(n, 1);
    kernel_use k;
    if (!is_stored_weight(w.kind)) {
        if (n.kind == op::matmul) {
            const node& a = g.operand(n, 0);
            k.dense = k.demand = bytes(a.type, a.shape.height() * a.shape.width());
            k.capacity = kernel_capacity(false, t);
        }
        return k;
    }
    const std::int64_t count = w.shape.count();
    k.dense = k.demand = bytes(w.type, count);
    if (w.kind == op::compressed) {
        bool streams = form_streams(w.get<compression>(), t) && is_held_as_stored(g, g.operands(n)[1], held, read);
        if (is_convolution(n.kind)) {
            // A weight streams under unit stride and without dilation only (guide chapter 25).
            const convolution_geometry c = geometry_of(g, n);
            streams = streams && c.unit_stride() && !c.dilated();
        }
        if (streams) {
            k.streamed = true;
            k.demand = compressed_bytes(w.get<compression>(), count, w.shape[0]);
        }
    }
    k.capacity = kernel_capacity(k.streamed, t);
    return k;
}
/// The same of the file that we write unless another one is requested.
constexpr kernel_use kernel_use_of(const graph_view& g, int index, const target_description& t) {
    return kernel_use_of(g, index, t, held_forms_on(compile_route::any, t));
}

} // namespace ane
