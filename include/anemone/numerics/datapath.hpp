#pragma once

#include "../base/error.hpp"
#include "../targets/table.hpp"

#include <cstdint>
#include <string>

/// The engine's arithmetic, as far as it is known, in named parameters. A user who has measured a device replaces what
/// differs: `auto mine = datapath_of(family::a16); mine.elementwise_ties = tie_rule::half_even;`.
///
/// Evidence, used in every header of this folder: measured (on the named silicon), decompiled, inferred (the simplest
/// reading that meets the published probes, or a decision where nothing is published), conflicting (sources differ).
namespace ane::numerics {

/// How a value half way between two neighbours is rounded.
enum class tie_rule : std::uint8_t { half_even, half_away };

/// How the smaller operand of a narrow addition loses its low bits. All three reproduce the published sums.
enum class alignment_rule : std::uint8_t { truncate, floor, half_even };

/// The nesting of the sum of one convolution output, outermost first. Overflow is sticky, so the order can affect the
/// result.
enum class contraction_order : std::uint8_t { channel_row_column, row_column_channel };

/// Where the 1/n of a mean is applied: to the wide sum before its only rounding, or to the sum already stored as fp16.
enum class mean_rule : std::uint8_t { scale_wide_sum, scale_stored_sum };

/// Which published points the fitted tables (gelu, gelu_sigmoid, silu) meet: the guide's, measured on M1 (N113, N114,
/// N119), the study's, on M6, or gelu(0) = -0.0007538795 of an M5 Pro (N209; N115, without a chip, agrees; else as M6).
enum class table_variant : std::uint8_t { m1, m5, m6 };

/// What an infinity is as a factor of an elementwise product.
enum class infinity_rule : std::uint8_t {
    ordinary_exponent, ///< 2^16: exponent 31 is not special, as to the multiplier of the contractions (measured M4, M6)
    absorbing          ///< infinity, as in IEEE 754
};

/// What a NaN is as an operand of a product.
enum class nan_rule : std::uint8_t {
    ordinary_exponent, ///< the number that its bits encode with an ordinary exponent, quieted: (1 + f/1024) 2^16
    infinity           ///< +infinity, as to every other path
};

/// How a product with constant ones is computed.
enum class ones_rule : std::uint8_t {
    product,  ///< as any product
    reduction ///< a sum on the reduction path: narrow lanes, no ceiling
};

/// How a / b and floor(a / b) are computed.
enum class division_rule : std::uint8_t {
    reciprocal_table,   ///< a times the table's 1 / b, rounded; the floor is that of the rounded quotient
    constant_reciprocal ///< a times fp16(1 / b); the floor is that of the exact product, so 6 / 3 gives 1 (N123)
};

/// Where the scale of a weight of integer codes, one for each output channel, is applied.
enum class scale_rule : std::uint8_t {
    before_products, ///< the codes are expanded to fp16 before the program runs: products of what they stand for
    after_sum        ///< the products are those of the codes; their sum, rounded to fp16, is multiplied by the scale
};

/// With which scale the codes of a dequantized operand enter an elementwise product (numerics/quantized_products.hpp).
enum class product_scale_rule : std::uint8_t {
    own,   ///< their own: what the model means
    shared ///< that of the first branch, or of the quantize behind the product: what was measured on M5
};

/// What computes sines and cosines.
enum class sine_rule : std::uint8_t {
    table, ///< of a quarter period
    series ///< up to x^7 on [-pi, pi], by products and sums in fp16, where there is no table
};

/// A plain aggregate. The defaults are what M6 measured, or the reading taken where nothing is measured.
struct datapath {
    /// Rounding of a multiply-accumulate result: is a sum of 2049 stored as 2048 or 2050? Half away, 2050, measured M4,
    /// M6. Conflicting on M1: half to even for every store by the guide (N033), whose one probe (N030) is a sum of
    /// ones, read here as a reduction. Not measured apart M2, M3, M5: the errors against K that fit M1 and M5
    /// (N160-N165, N180-N182) are insensitive to ties.
    tie_rule mac_ties = tie_rule::half_away;
    /// Smallest sum of the two operands' exponents for which a product counts. Measured M4, M6; elsewhere inferred from
    /// the errors against K, which depend on it only slightly. Conflicting: the noise that the guide gives for a
    /// product, 4.4e-6, is that of the rounding to 2^-16 alone, without a gate.
    int mac_exponent_floor = -16;
    /// False: a subnormal operand is zero to the multiplier. False measured M1 (N107), true measured M4, M5 (N108), M6;
    /// M2, M3: inferred. M5 is said to keep the product of two subnormals as well: it is below 2^-28, so that no fp16
    /// result could show it, nor sums of thousands, as 2^-16 is the last bit of this register (NC_N108).
    bool mac_keeps_subnormals = true;
    /// True: infinity, for good, once the accumulator reaches 2^15 in magnitude. Measured M1 (N041, N043), M4, M6; a
    /// cliff in sweeps of M1, M2 Pro, M4, M5 Pro, M6 (N042), which place it between 32752 and 32758.8. In a sweep of
    /// fp16 operands against ones nothing lies between 32752 and 32768 (NC4, conflicting; the study has sums there
    /// finite). N046 (M1) is not a sum: `single_tap_scales`.
    bool mac_ceiling = true;
    /// Inferred: not published for any generation. Only that it is fixed is measured (M1: N020, N150-N153).
    contraction_order order = contraction_order::channel_row_column;
    /// How a product reads a NaN that reached it unchanged, from an input through operations that only move it. Read as
    /// the number that its bits encode: measured M4, M6 (numerics-datapath, section 1, rule 1: 0x7e00 2^-12 is 24);
    /// A14, A15, A17 inferred, as the register itself. Infinity on A13: there a NaN enters as +infinity in every
    /// published probe (N080-N088, measured M1), none of which is a product (inferred).
    nan_rule mac_nan = nan_rule::ordinary_exponent;
    /// A matrix product of which one operand is a constant of ones. A reduction on A13: M1 has sums that were measured
    /// as `matmul(v, ones)` and that the register of products cannot give (N001-N005, N01_*; that its compiler makes
    /// reductions of them is inferred). A product elsewhere: the study's register was probed on M4 and M6 by matrix
    /// products too, and no record of them shows another path; M2, M3, M5 inferred, as M5's one such sum is exact on
    /// both paths (N002).
    ones_rule products_with_ones = ones_rule::product;
    /// True: a 1x1 convolution over one channel, a single product, is a scale on the elementwise path and has its
    /// range. True M1: 60000 passes there (N046), while a linear layer of one product does not (N041); that it is a
    /// scale is inferred. False measured M4, M6, whose single products through 1x1 convolutions have the ceiling; M2,
    /// M3, M5 inferred.
    bool single_tap_scales = false;

    /// Rounding of a reduction: 2049 is 2048 on M1 (N030), 2050 on M2 Pro, M5, M6 (N031, N032), all measured. M3, M4:
    /// inferred, as their neighbours.
    tie_rule reduction_ties = tie_rule::half_away;
    /// Lanes that are added in the narrow register before the wide one. Measured M1 (N01_*); elsewhere inferred.
    /// Conflicting: the guide calls reduce_sum wide, a companion source narrow (NC2).
    int reduction_tile = 4;
    /// Significant bits to which a narrow addition aligns its smaller operand. Inferred: 12 meets all 18 published sums
    /// of M1, 11 and 13 do not (tests/numerics/reduction.cpp).
    int reduction_significand_bits = 12;
    alignment_rule reduction_alignment = alignment_rule::truncate;
    /// Inferred: nothing is published about the overflow of a mean.
    mean_rule mean = mean_rule::scale_wide_sum;

    /// Rounding of elementwise results. Half away measured M6; half to even measured M1 (N033, which says so of every
    /// generation: conflicting from there on). M2 to M5: inferred, as M6.
    tie_rule elementwise_ties = tie_rule::half_away;
    table_variant tables = table_variant::m6;
    /// Inferred: 2^16 explains mul(inf, x) = -52416 for x = fp16(-0.8) (N100, chip not named) and log(0) = -45440
    /// (N096, M1). Conflicting: by the guide an infinity stays one (N080-N086 probe sums, maxima and tables only).
    infinity_rule infinite_factor = infinity_rule::ordinary_exponent;
    /// The table inferred; the constant reciprocal before A13 decompiled (N123, R178).
    division_rule division = division_rule::reciprocal_table;
    /// The table measured M6; that it is missing before A15 decompiled (R132). The series is inferred: 0.075 off at the
    /// seams +-pi, where N120 measured 0.04 to 0.12, and within 0.001 on [-pi/2, pi/2] (N205).
    sine_rule sine = sine_rule::table;

    /// Gain of a width slice with a nonzero begin, so that magnitudes above 65504 / 16 = 4094 become infinite: 16
    /// measured M1, M2 (N060-N067), 1 measured M4, M5, M6 (N068). M3: predicted 1 (N069); not measured (TC12).
    int width_slice_gain = 1;
    /// Gain on the activations of a product with int8 weights, infinite above 4094 as there: 16 measured M1 Max, M2
    /// Pro, M5 Pro (N076, N077). M3, M4, M6: inferred; the hazard is assumed present.
    int int8_activation_gain = 16;
    /// Weights of integers with a scale for each output channel. After the sum on M5: of 32 terms with codes of 4 bits
    /// the engine returned -0.05987548828125 where their sum of codes is a tie of fp16, and no rounding of the exact
    /// product of the expanded weights gives that (field study of 2026; the rule is inferred from the value, and holds in
    /// all but 13 of 7.16 million others). By N203 the order is that of every layer: fp16(fp16(acc) scale + bias). A14,
    /// A15, A16, A18: inferred. A13 expands such weights before the program runs (measured M1).
    scale_rule weight_scale = scale_rule::after_sum;
    /// A code of b bits is q 2^(code_integer_bits - b) to the register of products. Inferred: the units of no sum of
    /// codes are published, and a power of two is invisible but for the register's ends. 4 takes codes of 4 bits as they
    /// are; those of 8 bits must be no larger, for an activation of 4094 before them is finite (N076, M2, M5): 127 2^-4
    /// times 4094 is 32496, and 127 times 4094 would be far beyond 2^15.
    int code_integer_bits = 4;
    /// Products of int8 activations with int8 weights add integers. Measured M6, the other tiers from A14 on are
    /// inferred. On A13 false: int8 weights are expanded to fp16 before the program runs (measured M1); against it
    /// stands the mode of two int8 products a cycle that the compiler has for it (guide chapters 9 and 20).
    bool int8_products = true;
    /// Products of dequantized values that are quantized again. `shared` gives the wrong values that two of the vendor's
    /// compilers gave for an M5 Pro (N211, N212). `own` by default, on every generation: it is a compiler's mistake, which
    /// a rule reports (product_takes_another_scale) and a clamp avoids.
    product_scale_rule quantized_product_scale = product_scale_rule::own;
    /// False: there is no sampling unit, and a resize is a convolution (R131, decompiled; its rounding is inferred).
    bool texture_engine = true;

    friend constexpr bool operator==(const datapath&, const datapath&) = default;
};

/// The arithmetic of a generation. A13 is M1, A14 is M2, A16 is M4, A17 is M5, A18 is M6 in the tables of the guide and
/// of the study; A15 lies between measured neighbours and takes the later one (predicted). Older parts take A13, the
/// small and reference profiles the default: nothing is measured on them.
///
/// Chip by chip, measured: M1 the sums N001-N005, ceilings, special values, the slice, points of the tables; M2 the
/// slice (N067), 2049 (N032), int8 activations; M3 nothing; M4 the register of products probe by probe, the slice; M5
/// errors against K (N160-N165), 2049, the slice, int8 activations, MIL forms; M6 the register, elementwise rounding,
/// every table, int8 products. What is not listed for a chip is taken from its nearest measured neighbour.
constexpr datapath datapath_of(family f) noexcept {
    datapath d;
    if (f == family::older || f == family::a13) {
        d.mac_keeps_subnormals = false;
        d.mac_nan = nan_rule::infinity;
        d.products_with_ones = ones_rule::reduction;
        d.reduction_ties = tie_rule::half_even;
        d.elementwise_ties = tie_rule::half_even;
        d.tables = table_variant::m1;
        d.sine = sine_rule::series;
        d.width_slice_gain = 16;
        d.single_tap_scales = true;
        d.int8_products = false;
        d.weight_scale = scale_rule::before_products;
        d.texture_engine = false;
    } else if (f == family::a14) {
        d.tables = table_variant::m1; // inferred: M2 is M1's twin where both ran (N202), tables are not among that
        d.sine = sine_rule::series;
        d.width_slice_gain = 16;
    }
    if (f == family::a17) {
        d.tables = table_variant::m5;
    }
    if (f == family::older) {
        d.division = division_rule::constant_reciprocal;
    }
    return d;
}

/// The arithmetic of a target: that of its family.
constexpr datapath datapath_of(target t) noexcept { return datapath_of(describe(t).tier); }

/// Returns the same arithmetic. Throws `errc::argument` for a number that the registers modelled here cannot have.
constexpr datapath checked(const datapath& d) {
    const auto within = [](const char* member, int value, int low, int high) {
        if (value < low || value > high) {
            throw error(errc::argument, member,
                        std::to_string(value) + " is not in " + std::to_string(low) + " to " + std::to_string(high));
        }
    };
    within("mac_exponent_floor", d.mac_exponent_floor, -64, 64);
    within("code_integer_bits", d.code_integer_bits, -8, 16);
    within("reduction_tile", d.reduction_tile, 1, 1 << 22);
    within("reduction_significand_bits", d.reduction_significand_bits, 1, 63);
    return d;
}

} // namespace ane::numerics
