#pragma once

#include "../ops/normalization.hpp"
#include "../ranges/normalization.hpp"
#include "operation.hpp"

#include <cstdint>

/// Norms. Besides what all operations have:
///
///     std::uint32_t mixes(n)        the axes, as bits, along which an element depends on others (catalogue/mixing.hpp)
namespace ane::detail::catalogue {

constexpr std::uint32_t axis_bit(int axis, const node& n) {
    return 1U << static_cast<unsigned>(normalized_axis(axis, n.shape.rank));
}
struct along_its_axis {
    static constexpr std::uint32_t mixes(const node& n) { return axis_bit(n.get<stabilizer>().axis, n); }
};
struct within_an_image {
    static constexpr std::uint32_t mixes(const node&) { return ~1U; }
};

template <> struct operation<op::softmax> : of_halves {
    static constexpr std::uint32_t mixes(const node& n) { return axis_bit(n.get<axis>().index, n); }
    static constexpr operation_support support{"softmax", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "N087, N109, N110 M1; the sum by the reduction path"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule(n.get<axis>(), shape_of(g, n, 0));
    }
    /// The sum of the exponentials, of which none is above 1.
    static constexpr interval parts(const graph_view&, const node& n, operand_ranges) {
        return {0, static_cast<double>(n.shape[normalized_axis(n.get<axis>().index, n.shape.rank)]), true};
    }
    /// At least e^(low - high) / n: the least of n elements where all others are the largest. They add up to 1.
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const int along = normalized_axis(n.get<axis>().index, n.shape.rank);
        const double count = static_cast<double>(n.shape[along]);
        const double least = in(0).bounded() ? exponential(in(0).low - in(0).high) / count : 0;
        interval r{least > 0x1p-12 ? least * 0.95 : 0, 1, true};
        r.l1 = 1.02 + count * 0x1p-11; // the table of the reciprocal, and the rounding of each
        r.along = n.shape.rank - 1 - along;
        return r;
    }
};

/// (x, gamma, beta): minus the mean, divided by the standard deviation.
struct centred_norm : of_halves {
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges in) {
        return centred_squares(in(0), normalized_elements(g, n));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_centred_norm(g, n, in);
    }
};
template <> struct operation<op::layer_norm> : centred_norm, along_its_axis {
    static constexpr operation_support support{"layer_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "means reduce, rsqrt by its table; N089 not met"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return layer_norm_rule(n.get<stabilizer>().axis, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
};
template <> struct operation<op::instance_norm> : centred_norm, within_an_image {
    static constexpr operation_support support{"instance_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return instance_norm_rule(shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
};
template <> struct operation<op::group_norm> : centred_norm, within_an_image {
    static constexpr operation_support support{"group_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return group_norm_rule(n.get<grouping>().groups, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
};

/// (x, mean, variance, gamma, beta)
template <> struct operation<op::batch_norm> : of_halves {
    static constexpr std::uint32_t mixes(const node&) { return 0; }
    static constexpr operation_support support{"batch_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured, "N034, N203: scale and offset in fp16"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return batch_norm_rule(shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2), shape_of(g, n, 3),
                               shape_of(g, n, 4));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_batch_norm(g, n, in);
    }
};

/// Divided by the length of the vector along an axis, or by its root mean square.
struct length_norm : of_halves, along_its_axis {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_length_norm(g, n, in);
    }
};
/// (x, gamma)
template <> struct operation<op::rms_norm> : length_norm {
    static constexpr operation_support support{"rms_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval parts(const graph_view&, const node&, operand_ranges in) { return square_of(in(0)); }
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return rms_norm_rule(n.get<stabilizer>().axis, shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
template <> struct operation<op::l2_norm> : length_norm {
    static constexpr operation_support support{"l2_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges in) {
        return sum_of_squares_of(in(0), normalized_elements(g, n), false);
    }
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule({n.get<stabilizer>().axis}, shape_of(g, n, 0));
    }
};

template <> struct operation<op::local_response_norm> : of_halves, within_an_image {
    static constexpr operation_support support{"local_response_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "squares, a mean by the reduction path, pow"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<response_norm_shape>(), shape_of(g, n, 0));
    }
    static constexpr interval parts(const graph_view&, const node& n, operand_ranges in) {
        return parts_of_response_norm(n, in(0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return range_of_response_norm(n, in(0));
    }
};

/// (x - min) / (max - min + epsilon), a product with the reciprocal. Where that overflows (below 1.54e-5), x - min is as
/// small, and the engine's product with 2^16 at most 1. An epsilon of 0 divides elements that are all equal by zero.
template <> struct operation<op::minmax_norm> : of_halves, along_its_axis {
    static constexpr operation_support support{"", family::a13, "bbbbb"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule({n.get<stabilizer>().axis}, shape_of(g, n, 0));
    }
    static constexpr interval parts(const graph_view&, const node&, operand_ranges in) {
        return difference(in(0), in(0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return stabilises(epsilon_of(n)) ? interval{0, 1.02, true} : anything(in(0).declared);
    }
};

} // namespace ane::detail::catalogue
