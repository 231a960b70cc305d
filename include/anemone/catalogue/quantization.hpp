#pragma once

#include "../ops/quantization.hpp"
#include "../ranges/sampling.hpp"
#include "../ranges/stored_form.hpp"
#include "operation.hpp"

/// Integers and stored forms of weights.
namespace ane::detail::catalogue {

/// (x, scale) or (x, scale, zero point).
template <> struct operation<op::quantize> : of_halves {
    static constexpr operation_support support{"quantize", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "a product with 1 / scale, then a whole number"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        const quantization& a = n.get<quantization>();
        return n.operands.count == 3 ? quantize_rule(a, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2))
                                     : quantize_rule(a, shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr dtype type(const graph_view&, const node& n) { return n.get<quantization>().type; }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const interval zero = n.operands.count > 2 ? in(2) : interval{0, 0, true};
        return range_of_quantized(n.get<quantization>().type, divided(in(0), in(1)), zero);
    }
};
template <> struct operation<op::dequantize> : of_halves {
    static constexpr operation_support support{"dequantize", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured,
                                        "N034: q - zero, then a product with the scale"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        const quantization& a = n.get<quantization>();
        return n.operands.count == 3 ? dequantize_rule(a, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2))
                                     : dequantize_rule(a, shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == (position == 0 ? n.get<quantization>().type : dtype::f16);
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const interval x = intersection(in(0), range_of_integer(n.get<quantization>().type));
        return product(n.operands.count > 2 ? difference(x, in(2)) : x, in(1));
    }
};

/// A weight, or a part that is cut out of one, that is stored in a compressed form; the value is the decoded weight.
template <> struct operation<op::compressed> : of_halves {
    static constexpr operation_support support{"constexpr_lut_to_dense", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::movement, evidence::measured,
                                        "N131-N136: the values that the stored bytes stand for"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        const node& stored = g.operand(n, 0);
        const bool is_part = stored.kind == op::slice && g.operand(stored, 0).kind == op::weight;
        return shape_rule(n.get<compression>(), shape_of(g, n, 0))
            .require(stored.kind == op::weight || is_part, fault::only_a_weight_is_stored_compressed,
                     static_cast<int>(stored.kind), static_cast<int>(op::weight));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return range_of_stored(n.get<compression>(), in(0));
    }
};

} // namespace ane::detail::catalogue
