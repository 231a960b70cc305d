#pragma once

#include "../numerics/datapath.hpp"

#include <cstdint>

/// How the parameters of the engine's arithmetic are known for each generation (numerics/datapath.hpp, as data).
namespace ane {

/// Parameters that are known together.
enum class datapath_parameter : std::uint8_t {
    accumulator,        ///< ties, exponent floor, ceiling and order of the multiply-accumulate
    subnormals,         ///< whether the multiplier keeps subnormal operands
    products_with_ones, ///< whether they are sums
    reduction_ties,
    reduction_register, ///< tile, width, alignment and mean
    elementwise_ties,
    tables,
    slice_gain,
    weight_scale ///< whether the scale of a weight of integers follows the sum
};

/// The weaker of two marks.
constexpr mark weaker(mark a, mark b) noexcept { return a > b ? a : b; }

/// The evidence of the value that `datapath_of` gives a generation. The guide's silicon is M1, M2, M4 and M5; the
/// study's M4 and M6.
constexpr mark evidence_of(datapath_parameter p, family f) noexcept {
    const auto any_of = [f](auto... measured) { return ((f == measured) || ...) ? mark::measured : mark::predicted; };
    switch (p) {
    case datapath_parameter::accumulator: return any_of(family::a16, family::a18); // sources conflict on M1
    case datapath_parameter::subnormals:
        return any_of(family::a13, family::a16, family::a17, family::a18); // N107, N108
    case datapath_parameter::products_with_ones: return mark::predicted;   // the mechanism is inferred
    case datapath_parameter::reduction_ties:
        return any_of(family::a13, family::a14, family::a17, family::a18);   // N030-N032
    case datapath_parameter::reduction_register: return any_of(family::a13); // N01
    case datapath_parameter::elementwise_ties:                               // N033
    case datapath_parameter::tables:                                         // N113, N114
        return any_of(family::a13, family::a18);
    case datapath_parameter::slice_gain:
        return any_of(family::a13, family::a14, family::a16, family::a17, family::a18); // N060-N069
    case datapath_parameter::weight_scale: return any_of(family::a13, family::a17);     // N208
    }
    return mark::predicted;
}

/// The same for an arithmetic that may be a user's own: about values that differ from the generation's, nothing is
/// known.
constexpr mark evidence_of(datapath_parameter p, family f, const numerics::datapath& own) noexcept {
    const numerics::datapath d = numerics::datapath_of(f);
    bool unchanged = true;
    switch (p) {
    case datapath_parameter::accumulator:
        unchanged = own.mac_ties == d.mac_ties && own.mac_exponent_floor == d.mac_exponent_floor &&
                    own.mac_ceiling == d.mac_ceiling && own.mac_nan == d.mac_nan && own.order == d.order &&
                    own.single_tap_scales == d.single_tap_scales &&
                    own.int8_activation_gain == d.int8_activation_gain && own.int8_products == d.int8_products;
        break;
    case datapath_parameter::subnormals: unchanged = own.mac_keeps_subnormals == d.mac_keeps_subnormals; break;
    case datapath_parameter::products_with_ones: unchanged = own.products_with_ones == d.products_with_ones; break;
    case datapath_parameter::reduction_ties: unchanged = own.reduction_ties == d.reduction_ties; break;
    case datapath_parameter::reduction_register:
        unchanged = own.reduction_tile == d.reduction_tile && own.mean == d.mean &&
                    own.reduction_significand_bits == d.reduction_significand_bits &&
                    own.reduction_alignment == d.reduction_alignment;
        break;
    case datapath_parameter::elementwise_ties: unchanged = own.elementwise_ties == d.elementwise_ties; break;
    case datapath_parameter::tables: unchanged = own.tables == d.tables; break;
    case datapath_parameter::slice_gain: unchanged = own.width_slice_gain == d.width_slice_gain; break;
    case datapath_parameter::weight_scale:
        unchanged = own.weight_scale == d.weight_scale && own.code_integer_bits == d.code_integer_bits;
        break;
    }
    return unchanged ? evidence_of(p, f) : mark::predicted;
}

} // namespace ane
