#pragma once

#include "output_groups.hpp"

#include <cstdint>
#include <string_view>

/// The gate of the Winograd transform F(2x2, 3x3) (guide chapters 13, 20 and 25; R047, decompiled). Passing it is
/// necessary, not sufficient: the compiler's cost model decides.
namespace ane {

/// The first condition that a convolution fails.
enum class winograd_gate : std::uint8_t {
    open,
    not_a_convolution,
    target, ///< the bit 0x680 is not set: it is read on the A13 generation only
    weight, ///< computed at run time, or sparse
    kernel, ///< neither axis is 3, or the other one is 6 or more
    stride, ///< a stride or a dilation above 1
    groups, ///< not dense
    work    ///< output group * kernel elements * 2 below the threshold
};

constexpr std::string_view name(winograd_gate w) noexcept {
    constexpr std::string_view names[] = {"open", "-", "target", "weight", "kernel", "stride", "groups", "work"};
    return names[static_cast<std::size_t>(w)];
}

/// The work that a float kernel needs; 8 for others, 32 in the work-unit modes 1 and 2, which are not known here.
inline constexpr std::int64_t winograd_work_threshold = 16;

/// Multiplications with and without the transform.
struct winograd_use {
    winograd_gate gate = winograd_gate::not_a_convolution;
    std::int64_t direct = 0;      ///< multiplications of the convolution as it is written
    std::int64_t transformed = 0; ///< 16 for each 2x2 tile of results, whole tiles; `direct` where the gate is closed

    constexpr bool eligible() const { return gate == winograd_gate::open; }
    constexpr std::int64_t saved() const { return direct - transformed; }
    /// 36 / 16 = 2.25 for a 3x3 kernel and even extents; 1 where nothing is saved.
    constexpr double factor() const {
        return transformed > 0 ? static_cast<double>(direct) / static_cast<double>(transformed) : 1;
    }
};

constexpr winograd_gate winograd_gate_of(const graph_view& g, const node& n, const convolution_geometry& c,
                                         const target_description& t) {
    if (n.kind != op::conv2d) {
        return winograd_gate::not_a_convolution;
    }
    const node& w = g.operand(n, 1);
    const bool stored = w.kind == op::weight || w.kind == op::constant || w.kind == op::compressed;
    const bool has_zeros = w.kind == op::compressed && (w.get<compression>().form == weight_form::sparse ||
                                                        w.get<compression>().form == weight_form::sparse_palette ||
                                                        w.get<compression>().form == weight_form::sparse_blockwise);
    const bool kernel = (c.kernel_height == 3 && c.kernel_width < 6) || (c.kernel_width == 3 && c.kernel_height < 6);
    if (!kernel) {
        return winograd_gate::kernel;
    }
    if (!c.unit_stride() || c.dilated()) {
        return winograd_gate::stride;
    }
    if (c.groups != 1) {
        return winograd_gate::groups;
    }
    if (!stored || has_zeros) {
        return winograd_gate::weight;
    }
    const std::int64_t work = output_group(c.kernel_elements(), c.out_channels) * c.kernel_elements() * 2;
    if (work < winograd_work_threshold) {
        return winograd_gate::work;
    }
    return t.has.winograd ? winograd_gate::open : winograd_gate::target;
}

/// The multiplications are those of the gate's only published saving, 36 to 16 for a 2x2 tile of a 3x3 kernel; for the
/// other kernels that pass (3x1, 3x5) no figure is published and none is claimed.
constexpr winograd_use winograd_of(const graph_view& g, const node& n, const convolution_geometry& c,
                                   const target_description& t) {
    winograd_use w;
    w.gate = winograd_gate_of(g, n, c, t);
    if (w.gate == winograd_gate::not_a_convolution) {
        return w;
    }
    const std::int64_t pairs = n.shape.batch() * c.out_channels * (c.in_channels / c.groups);
    w.direct = w.transformed = pairs * n.shape.height() * n.shape.width() * c.kernel_elements();
    if (w.eligible() && c.kernel_height == 3 && c.kernel_width == 3) {
        const std::int64_t tiles = ((n.shape.height() + 1) / 2) * ((n.shape.width() + 1) / 2);
        const std::int64_t whole = pairs * tiles * 16;
        w.transformed = whole < w.direct ? whole : w.direct;
    }
    return w;
}

} // namespace ane
