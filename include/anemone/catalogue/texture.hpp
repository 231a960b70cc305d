#pragma once

#include "../ops/texture.hpp"
#include "../ranges/sampling.hpp"
#include "operation.hpp"

/// The sampling unit of the A14 and later.
namespace ane::detail::catalogue {

template <> struct operation<op::resize> : of_halves {
    static constexpr operation_support support{"resize", family::a13, "bnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "fp16 weights; on A13 multiply-accumulate (R179)"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<sampling>(), shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return sampled(n.get<sampling>(), false, in(0));
    }
};

/// Samples at places that may lie beyond the border.
struct placed_sampling : of_halves {
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return sampled(n.get<sampling>(), true, in(0));
    }
};
/// (x, boxes)
template <> struct operation<op::crop_resize> : placed_sampling {
    static constexpr operation_support support{"crop_resize", family::a14, "gnnnn", compile_route::netplist, "OC12"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "as resize"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return crop_resize_rule(n.get<sampling>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
/// (x, coordinates)
template <> struct operation<op::resample> : placed_sampling {
    static constexpr operation_support support{"resample", family::a14, "gnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "as resize"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return resample_rule(n.get<sampling>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
/// (x, matrices)
template <> struct operation<op::affine> : placed_sampling {
    static constexpr operation_support support{"affine", family::a14, "gnnnn"};
    static constexpr engine_path engine{path::composed, evidence::decompiled,
                                        "a resample with computed fp16 coordinates"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return affine_rule(n.get<sampling>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
/// (x, places)
template <> struct operation<op::gather_hw> : of_halves {
    static constexpr operation_support support{"gather_hw", family::a14, "gnnnn"};
    static constexpr engine_path engine{path::movement, evidence::decompiled, "the nearest form of resample"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return gather_hw_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return with_zero(in(0)); }
};

} // namespace ane::detail::catalogue
