#pragma once

#include "../ops/indexing.hpp"
#include "../ops/movement.hpp"
#include "../ops/rearrange.hpp"
#include "operation.hpp"

/// Data movement: no arithmetic.
namespace ane::detail::catalogue {

struct movement : of_halves {
    static constexpr bool exact = true;
};
/// Every element of the result is one of the first operand.
struct rearrangement : movement, ranged_as_operand {};

template <> struct operation<op::reshape> : rearrangement {
    static constexpr operation_support support{"reshape", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return reshape_rule(shape_of(g, n, 0), n.shape);
    }
    static constexpr dtype type(const graph_view& g, const node& n) { return type_of(g, n, 0); }
    static constexpr bool reads(const graph_view&, const node&, int) { return true; }
    /// What is known along an axis stays known where the result has that axis too.
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        if (!in(0).bounds_rows()) {
            return in(0);
        }
        const extents& x = shape_of(g, n, 0);
        const int axis = axis_after_reshape(x, x.rank - 1 - in(0).along, n.shape);
        interval r = axis < 0 ? of_elements(in(0)) : in(0);
        r.along = axis < 0 ? 0 : n.shape.rank - 1 - axis;
        return r;
    }
};
template <> struct operation<op::transpose> : rearrangement {
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        interval r = in(0);
        const permutation& p = n.get<permutation>();
        for (int i = 0; r.bounds_rows() && i < p.order.rank; ++i) {
            if (p.order[i] == p.order.rank - 1 - in(0).along) {
                r.along = p.order.rank - 1 - i;
            }
        }
        return r;
    }
    static constexpr operation_support support{"transpose", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<permutation>(), shape_of(g, n, 0));
    }
};
template <> struct operation<op::concat> : movement {
    static constexpr operation_support support{"concat", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        inferred r{.shape = shape_of(g, n, 0)};
        for (int i = 1; i < n.operands.count && r.ok(); ++i) {
            r = concat_rule(n.get<axis>(), r.shape, shape_of(g, n, i));
        }
        return r;
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        interval r = in(0);
        for (int i = 1; i < n.operands.count; ++i) {
            r = hull(r, in(i));
        }
        return r;
    }
};
template <> struct operation<op::slice> : rearrangement {
    static constexpr operation_support support{"slice_by_size", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::measured, "N060-N068: the gain of a width slice"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<window>(), shape_of(g, n, 0));
    }
};
template <> struct operation<op::strided_slice> : rearrangement {
    static constexpr operation_support support{"slice_by_index", family::older, "bbbbb"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "as slice"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<strided_window>(), shape_of(g, n, 0), n.shape);
    }
};
/// (x, update)
template <> struct operation<op::slice_update> : movement {
    static constexpr operation_support support{"slice_update", family::older, "nnnnn", compile_route::netplist, "OC10"};
    static constexpr engine_path engine{path::movement, evidence::inferred,
                                        "no arithmetic; netplists join it from views"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return slice_update_rule(n.get<strided_window>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return hull(in(0), in(1)); }
};

/// Reads at computed indices. One beyond the end may read a zero, which therefore belongs to the range.
struct indexed : movement {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return with_zero(in(0)); }
};
template <> struct operation<op::dynamic_slice> : indexed {
    static constexpr operation_support support{"dynamic_slice", family::a14, "gnnnn", compile_route::netplist,
                                               "app. B"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "as slice, where the start is above 0"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return dynamic_slice_rule(n.get<window>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
/// The same along an axis, where no index leaves it.
struct indexed_along_axis : movement {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const std::int64_t extent = shape_of(g, n, 0)[normalized_axis(n.get<axis>().index, shape_of(g, n, 0).rank)];
        const bool inside = in(1).low >= 0 && in(1).high < static_cast<double>(extent);
        return inside ? of_elements(in(0)) : with_zero(in(0));
    }
};
template <> struct operation<op::gather> : indexed_along_axis {
    static constexpr operation_support support{"gather", family::a13, "nnnnn", compile_route::netplist, "OC11"};
    static constexpr engine_path engine{path::movement, evidence::inferred,
                                        "along the width as slice (netplist: Gather)"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return gather_rule(n.get<axis>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
template <> struct operation<op::gather_along_axis> : indexed_along_axis {
    static constexpr operation_support support{"gather_along_axis", family::a13, "nnnnn", compile_route::netplist,
                                               "OC11"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "as gather"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return gather_along_axis_rule(n.get<axis>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
template <> struct operation<op::gather_nd> : indexed {
    static constexpr operation_support support{"gather_nd", family::a13, "bnnnn", compile_route::netplist, "OC11"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "as gather"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return gather_nd_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
};

/// (x, value)
template <> struct operation<op::pad> : movement {
    static constexpr operation_support support{"pad", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<pads>(), shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return hull(in(0), in(1)); }
};
template <> struct operation<op::reflect_pad> : rearrangement {
    static constexpr operation_support support{"pad", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return mirror_rule(n.get<pads>(), shape_of(g, n, 0), false);
    }
};
template <> struct operation<op::symmetric_pad> : rearrangement {
    static constexpr operation_support support{"pad", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return mirror_rule(n.get<pads>(), shape_of(g, n, 0), true);
    }
};

template <> struct operation<op::replicate_pad> : rearrangement {
    static constexpr operation_support support{"pad", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<pads>(), shape_of(g, n, 0));
    }
};

template <> struct operation<op::cast> : movement, shaped_as_operand {
    static constexpr operation_support support{"cast", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "exact from 8 bits"};
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        const dtype type = type_of(g, n, position);
        return type == dtype::uint8 || type == dtype::boolean;
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return n.type == dtype::f16 ? stored(in(0)) : in(0); // integers may leave fp16
    }
};
template <> struct operation<op::identity> : rearrangement, shaped_as_operand {
    static constexpr operation_support support{"identity", family::older, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
};
template <> struct operation<op::tile> : rearrangement {
    static constexpr operation_support support{"tile", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<repeats>(), shape_of(g, n, 0));
    }
};
template <> struct operation<op::reverse> : rearrangement {
    static constexpr operation_support support{"reverse", family::older, "nnnnn", compile_route::mil, "R105"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return reverse_rule(n.get<axes>(), shape_of(g, n, 0));
    }
};

template <> struct operation<op::pixel_shuffle> : rearrangement {
    static constexpr operation_support support{"pixel_shuffle", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return channels_to_pixels_rule(n.get<factors>(), shape_of(g, n, 0));
    }
};
template <> struct operation<op::depth_to_space> : operation<op::pixel_shuffle> {
    static constexpr operation_support support{"depth_to_space", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
};
template <> struct operation<op::pixel_unshuffle> : rearrangement {
    static constexpr operation_support support{"pixel_unshuffle", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return pixels_to_channels_rule(n.get<factors>(), shape_of(g, n, 0));
    }
};
template <> struct operation<op::space_to_depth> : operation<op::pixel_unshuffle> {
    static constexpr operation_support support{"space_to_depth", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
};
template <> struct operation<op::space_to_batch> : rearrangement {
    static constexpr operation_support support{"space_to_batch", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return space_to_batch_rule(n.get<factors>(), shape_of(g, n, 0));
    }
};
template <> struct operation<op::batch_to_space> : rearrangement {
    static constexpr operation_support support{"batch_to_space", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "no arithmetic"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return batch_to_space_rule(n.get<factors>(), shape_of(g, n, 0));
    }
};

} // namespace ane::detail::catalogue
