#pragma once

#include "../../base/way.hpp"
#include "kernels/norm.hpp"
#include "kernels/softmax.hpp"
#include "step.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_INLINE bound_step bind_softmax(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return {[&kernels, x = c.shape(index), along = c.at(index).get<axis>().index](const operands& o) {
                softmax(kernels, o.input(0), x, along, o.output(), o.workers);
            },
            scratch_of_norm(view_of_axis(c.shape(index), c.at(index).get<axis>().index))};
}

ANEMONE_INLINE bound_step bind_layer_norm(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return {[&kernels, x = c.shape(index), s = c.at(index).get<stabilizer>()](const operands& o) {
                layer_norm(kernels, o.input(0), x, s.axis, o.input(1), o.input(2), s.epsilon, o.output(), o.workers);
            },
            scratch_of_norm(view_of_axis(c.shape(index), c.at(index).get<stabilizer>().axis))};
}

ANEMONE_INLINE bound_step bind_batch_norm(const binding_context& c, int index) {
    const extents& x = c.shape(index);
    const kernel_table& kernels = c.kernels;
    return [&kernels, batch = x[0], channels = x[1], plane = x.count() / (x[0] * x[1]),
            epsilon = c.at(index).get<stabilizer>().epsilon](const operands& o) {
        batch_norm(kernels, o.input(0), batch, channels, plane, o.input(1), o.input(2), o.input(3), o.input(4), epsilon,
                   o.output(), o.workers);
    };
}

/// An instance norm has as many groups as channels.
ANEMONE_INLINE bound_step bind_group_norm(const binding_context& c, int index) {
    const node& n = c.at(index);
    const extents& x = n.shape;
    const bool grouped = n.kind == op::group_norm;
    const kernel_table& kernels = c.kernels;
    return [&kernels, batch = x[0], channels = x[1], plane = x.count() / (x[0] * x[1]),
            groups = grouped ? n.get<grouping>().groups : x[1],
            epsilon = grouped ? n.get<grouping>().epsilon : n.get<stabilizer>().epsilon](const operands& o) {
        group_norm(kernels, o.input(0), batch, channels, plane, groups, o.input(1), o.input(2), epsilon, o.output(),
                   o.workers);
    };
}

ANEMONE_INLINE bound_step bind_rms_norm(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return {[&kernels, x = c.shape(index), s = c.at(index).get<stabilizer>()](const operands& o) {
                rms_norm(kernels, o.input(0), x, s.axis, o.input(1), s.epsilon, o.output(), o.workers);
            },
            scratch_of_norm(view_of_axis(c.shape(index), c.at(index).get<stabilizer>().axis))};
}

ANEMONE_INLINE bound_step bind_l2_norm(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return {[&kernels, x = c.shape(index), s = c.at(index).get<stabilizer>()](const operands& o) {
                l2_norm(kernels, o.input(0), x, s.axis, s.epsilon, o.output(), o.workers);
            },
            scratch_of_norm(view_of_axis(c.shape(index), c.at(index).get<stabilizer>().axis))};
}

ANEMONE_INLINE bound_step bind_minmax_norm(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return {[&kernels, x = c.shape(index), s = c.at(index).get<stabilizer>()](const operands& o) {
                minmax_norm(kernels, o.input(0), x, s.axis, s.epsilon, o.output(), o.workers);
            },
            scratch_of_norm(view_of_axis(c.shape(index), c.at(index).get<stabilizer>().axis))};
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
