#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/op.hpp"
#include "../values/half.hpp"
#include "activation.hpp"
#include "datapath.hpp"
#include "rounding.hpp"

#include <bit>
#include <cstdint>
#include <string>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// An fp16 value in units of 2^-24, of which every finite one is a whole multiple.
constexpr std::int64_t half_units(half value) noexcept {
    const int biased = (value.bits >> 10U) & 0x1F;
    const std::int64_t fraction = value.bits & 0x3FF;
    const std::int64_t magnitude = biased == 0 ? fraction : (fraction + 0x400) << (biased - 1);
    return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

constexpr std::uint64_t magnitude_of(std::int64_t value) noexcept {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? 0U - bits : bits;
}

/// One addition of the narrow register: the smaller operand loses what lies below the last of the larger one's
/// `significand_bits`.
constexpr std::int64_t add_aligned(const datapath& path, std::int64_t a, std::int64_t b) noexcept {
    const bool a_larger = magnitude_of(a) >= magnitude_of(b);
    const std::int64_t large = a_larger ? a : b;
    const std::int64_t small = a_larger ? b : a;
    const int dropped = static_cast<int>(std::bit_width(magnitude_of(large))) - path.reduction_significand_bits;
    if (dropped <= 0) {
        return a + b;
    }
    const auto shift = static_cast<unsigned>(dropped);
    switch (path.reduction_alignment) {
    case alignment_rule::floor: return large + (small >> shift) * (std::int64_t{1} << shift);
    case alignment_rule::truncate:
    case alignment_rule::half_even: break;
    }
    const std::uint64_t magnitude = magnitude_of(small);
    const std::uint64_t kept = path.reduction_alignment == alignment_rule::truncate
                                   ? magnitude >> shift
                                   : shift_right_rounded(magnitude, shift, tie_rule::half_even);
    const auto aligned = static_cast<std::int64_t>(kept << shift);
    return large + (small < 0 ? -aligned : aligned);
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// The sum of a reduction before it is stored: `units` * 2^-24, or an infinity.
struct reduction_sum {
    std::int64_t units = 0;
    bool positive_infinity = false;
    bool negative_infinity = false;
};

/// The registers behind a sum: tiles of datapath::reduction_tile lanes in order, added in a narrow one; the tiles' sums
/// added exactly. Full fp16 range, no ceiling at 2^15 (measured M1, N044). The narrow register is inferred and meets
/// N001-N005 and N01_* (18 checks), the wide one is inferred. NaN enters as +infinity (N080); infinities of both signs
/// leave +0, as N091 has it for a subtraction (inferred). Holds `longest_reduction` values.
class reduction_register {
public:
    constexpr explicit reduction_register(const datapath& path) noexcept : path_(path) {}

    constexpr void add(half value) noexcept {
        if (!is_finite(value)) {
            (is_infinite(value) && (value.bits & 0x8000U) != 0 ? total_.negative_infinity : total_.positive_infinity) =
                true;
            return;
        }
        tile_ = detail::add_aligned(path_, tile_, detail::half_units(value));
        if (++lane_ == path_.reduction_tile) {
            total_.units += tile_;
            tile_ = 0;
            lane_ = 0;
        }
    }

    constexpr reduction_sum total() const noexcept {
        reduction_sum r = total_;
        r.units += tile_;
        return r;
    }

private:
    const datapath& path_;
    reduction_sum total_;
    std::int64_t tile_ = 0;
    int lane_ = 0;
};

/// Longest sum that the wide register of this model holds for any fp16 values.
inline constexpr std::int64_t longest_reduction = std::int64_t{1} << 22;

/// Sum of count values, `stride` elements apart, through these registers. Throws `errc::argument` for more than 2^22
/// values.
constexpr reduction_sum sum_reduction(const datapath& path, const half* x, std::int64_t count, std::int64_t stride) {
    if (count > longest_reduction) {
        throw error(errc::argument, "reduction",
                    std::to_string(count) + " values, at most " + std::to_string(longest_reduction) + " are modelled");
    }
    reduction_register sum(path);
    for (std::int64_t i = 0; i < count; ++i) {
        sum.add(x[i * stride]);
    }
    return sum.total();
}

/// The stored sum, times 1/divisor. One rounding (or two, datapath::mean), overflow beyond 65504.
constexpr half store_sum(const datapath& path, const reduction_sum& sum, std::int64_t divisor = 1) noexcept {
    if (sum.positive_infinity || sum.negative_infinity) {
        if (sum.positive_infinity && sum.negative_infinity) {
            return half{};
        }
        return half::from_bits(sum.positive_infinity ? 0x7C00U : 0xFC00U);
    }
    if (divisor == 1) {
        return round_fixed(sum.units, 24, path.reduction_ties);
    }
    if (path.mean == mean_rule::scale_stored_sum) {
        const half stored = round_fixed(sum.units, 24, path.reduction_ties);
        const half scale = round_to_half(1.0 / static_cast<double>(divisor), path.reduction_ties);
        return round_to_half(static_cast<double>(stored) * static_cast<double>(scale), path.reduction_ties);
    }
    // Two more bits than the smallest number has, the last one set if anything is left: one rounding of the exact mean.
    const std::uint64_t units = detail::magnitude_of(sum.units);
    const auto parts = static_cast<std::uint64_t>(divisor);
    const std::uint64_t rest = 2 * (units % parts);
    const std::uint64_t half_bit = rest >= parts ? 1U : 0U;
    const std::uint64_t sticky = rest != half_bit * parts ? 1U : 0U;
    return round_scaled(sum.units < 0, (units / parts) << 2U | half_bit << 1U | sticky, -26, path.reduction_ties);
}

/// reduce_sum, reduce_mean, reduce_max or reduce_min of `count` values, `stride` elements apart. An empty sum is 0;
/// an empty mean, maximum or minimum throws `errc::argument`.
constexpr half reduce(const datapath& path, op kind, const half* x, std::int64_t count, std::int64_t stride) {
    if (!is_reduction(kind)) {
        throw error(errc::argument, std::string(name(kind)), "is not a reduction");
    }
    if (kind == op::reduce_sum) {
        return store_sum(path, sum_reduction(path, x, count, stride));
    }
    if (count <= 0) {
        throw error(errc::argument, std::string(name(kind)), "of no values");
    }
    if (kind == op::reduce_mean) {
        return store_sum(path, sum_reduction(path, x, count, stride), count);
    }
    half best = detail::entered(x[0]);
    for (std::int64_t i = 1; i < count; ++i) {
        const half value = detail::entered(x[i * stride]);
        if (kind == op::reduce_max ? value > best : value < best) {
            best = value;
        }
    }
    return best;
}

/// Index of the first largest or smallest of `count` values (inferred: ties go to the first). Throws if count is 0.
constexpr std::int64_t arg_reduce(const datapath&, op kind, const half* x, std::int64_t count, std::int64_t stride) {
    if (!is_arg_reduction(kind) || count <= 0) {
        throw error(errc::argument, std::string(name(kind)),
                    is_arg_reduction(kind) ? "of no values" : "is not an index reduction");
    }
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count; ++i) {
        const half value = detail::entered(x[i * stride]);
        const half held = detail::entered(x[best * stride]);
        if (kind == op::arg_max ? value > held : value < held) {
            best = i;
        }
    }
    return best;
}

} // namespace ane::numerics::inline ANEMONE_WAY
