#pragma once

#include "../ranges/source.hpp"
#include "operation.hpp"

/// Inputs, weights and constants: what they are is what their node says.
namespace ane::detail::catalogue {
struct source : of_halves {
    static constexpr inferred shape(const graph_view&, const node& n) { return {.shape = n.shape}; }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges) {
        return range_of_source(g, n);
    }
};
template <> struct operation<op::input> : source {
    static constexpr operation_support support{"const", family::older, "bbbbb"};
    static constexpr engine_path engine{path::movement, evidence::measured,
                                        "N080: NaN is +infinity; but products: mac_nan"};
};
template <> struct operation<op::weight> : source {
    static constexpr operation_support support{"const", family::older, "bbbbb"};
    static constexpr engine_path engine{path::movement, evidence::measured, "N136"};
};
template <> struct operation<op::constant> : source {
    static constexpr operation_support support{"const", family::older, "bbbbb"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "as a weight"};
};

} // namespace ane::detail::catalogue
