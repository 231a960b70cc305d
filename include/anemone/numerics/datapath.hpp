#pragma once

#include "../targets/target.hpp"

#include <cstdint>

/// The engine's arithmetic, as far as it is known, in named parameters. A user who has measured a device replaces what
/// differs: `auto mine = datapath_of(family::a16); mine.elementwise_ties = tie_rule::half_even;`.
///
/// Evidence, used in every header of this folder: measured (on the named silicon), decompiled, inferred (the simplest
/// reading that meets the published probes, or a decision where nothing is published), conflicting (sources differ).
namespace ane::numerics {

/// What happens to a value half way between two neighbours.
enum class tie_rule : std::uint8_t { half_even, half_away };

/// How the smaller operand of a narrow addition loses its low bits. All three meet the published sums (oracle_fit).
enum class alignment_rule : std::uint8_t { truncate, floor, half_even };

/// The nesting of the sum of one convolution output, outermost first. Overflow is sticky, so the order can show.
enum class contraction_order : std::uint8_t { channel_row_column, row_column_channel };

/// Where the 1/n of a mean is applied: to the wide sum before its only rounding, or to the sum already stored as fp16.
enum class mean_rule : std::uint8_t { scale_wide_sum, scale_stored_sum };

/// Which published points the fitted tables (gelu, silu) meet: the guide's, measured on M1, or the study's, on M6.
enum class table_variant : std::uint8_t { m1, m6 };

/// A plain aggregate. The defaults are what M6 measured, or the reading taken where nothing is measured.
struct datapath {
    /// Rounding of a multiply-accumulate result. Half away: measured M4, M6. Conflicting on M1, where the guide says
    /// half to even for every store (N033); its one probe (N030) is a sum of ones, read here as a reduction.
    tie_rule mac_ties = tie_rule::half_away;
    /// Smallest sum of the two operands' exponents for which a product counts. Measured M4, M6.
    int mac_exponent_floor = -16;
    /// False: a subnormal operand is zero to the multiplier. True measured M4, M5 (N108), M6; false measured M1 (N107).
    bool mac_keeps_subnormals = true;
    /// True: infinity, for good, once the accumulator reaches 2^15 in magnitude. Measured M1 to M6 (N041-N043).
    bool mac_ceiling = true;
    /// Inferred: not published for any generation.
    contraction_order order = contraction_order::channel_row_column;

    /// Rounding of a reduction. Half to even measured M1 (N030), half away measured M2 Pro, M5, M6 (N031, N032).
    tie_rule reduction_ties = tie_rule::half_away;
    /// Lanes that are added in the narrow register before the wide one. Measured M1 (N01_*); elsewhere inferred.
    int reduction_tile = 4;
    /// Significant bits to which a narrow addition aligns its smaller operand. Inferred: 12 meets all 18 published sums
    /// of M1, 11 and 13 do not (oracle_fit).
    int reduction_significand_bits = 12;
    alignment_rule reduction_alignment = alignment_rule::truncate;
    /// Inferred: nothing is published about the overflow of a mean.
    mean_rule mean = mean_rule::scale_wide_sum;

    /// Rounding of elementwise results. Half away measured M6; half to even measured M1 (N033).
    tie_rule elementwise_ties = tie_rule::half_away;
    table_variant tables = table_variant::m6;

    /// Gain of a width slice with a nonzero begin: 16 measured M1, M2 (N060-N067), 1 measured M4, M5, M6 (N068).
    int width_slice_gain = 1;
    /// Gain on the activations of a product with int8 weights: 16 measured M1, M2, M5 (N076, N077).
    int int8_activation_gain = 16;
};

/// The arithmetic of a generation. A13 is M1, A14 is M2, A16 is M4, A17 is M5, A18 is M6 in the tables of the guide and
/// of the study; A15 lies between measured neighbours and takes the later one (predicted). Older parts take A13, the
/// small and reference profiles the default: nothing is measured on them.
constexpr datapath datapath_of(family f) noexcept {
    datapath d;
    if (f == family::older || f == family::a13) {
        d.mac_keeps_subnormals = false;
        d.reduction_ties = tie_rule::half_even;
        d.elementwise_ties = tie_rule::half_even;
        d.tables = table_variant::m1;
        d.width_slice_gain = 16;
    } else if (f == family::a14) {
        d.tables = table_variant::m1; // M2 repeats M1 bit for bit wherever both were run (N202)
        d.width_slice_gain = 16;
    }
    return d;
}

} // namespace ane::numerics
