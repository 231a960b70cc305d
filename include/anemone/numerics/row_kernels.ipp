#pragma once

#include "../base/isa_dispatch.hpp"
#include "contraction_wide.hpp"
#include "row_convert.hpp"
#include "row_kernels.hpp"
#include "row_lanes.hpp"
#include "row_sums.hpp"

#include <cstring>
#include <limits>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// NaN is +infinity.
template <int Width> ANEMONE_CPU_INLINE void enter_value(typename lanes<Width>::real& y) {
    const typename lanes<Width>::real infinite = typename lanes<Width>::real{} + std::numeric_limits<float>::infinity();
    y = y <= infinite ? y : infinite;
}
/// A factor: infinities are 2^16, and NaN is the positive one.
template <int Width> ANEMONE_CPU_INLINE void enter_factor(typename lanes<Width>::real& y) {
    const typename lanes<Width>::real most = typename lanes<Width>::real{} + 0x1p16F;
    y = y < most ? y : most;
    y = y > -most ? y : -most;
}

struct add_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::real& a, typename lanes<Width>::real& b) {
        enter_value<Width>(a);
        enter_value<Width>(b);
        a = a + b;
    }
};
struct subtract_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::real& a, typename lanes<Width>::real& b) {
        enter_value<Width>(a);
        enter_value<Width>(b);
        a = a - b;
    }
};
struct multiply_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::real& a, typename lanes<Width>::real& b) {
        enter_factor<Width>(a);
        enter_factor<Width>(b);
        a = a * b;
    }
};
/// Below 0 a product, else the value itself, which rounding does not change.
struct prelu_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::real& a, typename lanes<Width>::real& b) {
        typename lanes<Width>::real v = a;
        enter_value<Width>(v);
        multiply_step::apply<Width>(a, b);
        a = v < 0.0F ? a : v;
    }
};
template <bool Largest> struct extreme_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y) {
        using l = lanes<Width>;
        typename l::whole a;
        typename l::whole b;
        l::enter(x);
        l::enter(y);
        l::key(x, a);
        l::key(y, b);
        if constexpr (Largest) {
            l::pattern(a > b ? a : b, x);
        } else {
            l::pattern(a < b ? a : b, x);
        }
    }
};

/// The first `count` of a row's lanes from element i on; the others are 0.
template <int Width>
ANEMONE_CPU_INLINE void load_some(row_operand from, std::int64_t i, std::int64_t count,
                                  typename lanes<Width>::natural& x) {
    half some[Width] = {};
    for (std::int64_t k = 0; k < count; ++k) {
        some[k] = from.data[(i + k) * from.step];
    }
    lanes<Width>::load(some, x);
}
template <int Width>
ANEMONE_CPU_INLINE void store_some(const typename lanes<Width>::natural& x, std::int64_t count, half* to) {
    half some[Width];
    lanes<Width>::store(x, some);
    std::memcpy(static_cast<void*>(to), some, static_cast<std::size_t>(count) * sizeof(half));
}

template <int Width, class Step>
ANEMONE_CPU_INLINE void pattern_row(row_operand a, row_operand b, half* out, std::int64_t count) {
    using l = lanes<Width>;
    typename l::natural x{};
    typename l::natural y{};
    std::int64_t i = 0;
    for (; i + Width <= count; i += Width) {
        l::load(a.data, i, a.step, x);
        l::load(b.data, i, b.step, y);
        Step::template apply<Width>(x, y);
        l::store(x, out + i);
    }
    if (i < count) {
        load_some<Width>(a, i, count - i, x);
        load_some<Width>(b, i, count - i, y);
        Step::template apply<Width>(x, y);
        store_some<Width>(x, count - i, out + i);
    }
}

/// The values of `count` elements of a row from element i on, at most as many as there are lanes.
template <int Width, class Convert>
ANEMONE_CPU_INLINE void widen_some(row_operand from, std::int64_t i, std::int64_t count,
                                   typename lanes<Width>::real& y) {
    half some[Width] = {};
    for (std::int64_t k = 0; k < count; ++k) {
        some[k] = from.data[(i + k) * from.step];
    }
    Convert::widen(some, y);
}
template <int Width, class Convert>
ANEMONE_CPU_INLINE void narrow_some(const typename lanes<Width>::real& y, bool half_away, std::int64_t count,
                                    half* to) {
    half some[Width];
    Convert::narrow(y, half_away, some);
    std::memcpy(static_cast<void*>(to), some, static_cast<std::size_t>(count) * sizeof(half));
}

template <int Width, class Convert, class Step>
ANEMONE_CPU_INLINE void value_row(row_operand a, row_operand b, half* out, std::int64_t count, bool half_away) {
    using real = typename lanes<Width>::real;
    real number_a{};
    real number_b{};
    if (count > 0) {
        widen_some<Width, Convert>({a.data, 0}, 0, Width, number_a);
        widen_some<Width, Convert>({b.data, 0}, 0, Width, number_b);
    }
    std::int64_t i = 0;
    for (; i + Width <= count; i += Width) {
        real x = number_a;
        real y = number_b;
        if (a.step != 0) {
            Convert::widen(a.data + i, x);
        }
        if (b.step != 0) {
            Convert::widen(b.data + i, y);
        }
        Step::template apply<Width>(x, y);
        Convert::narrow(x, half_away, out + i);
    }
    if (i < count) {
        real x{};
        real y{};
        widen_some<Width, Convert>(a, i, count - i, x);
        widen_some<Width, Convert>(b, i, count - i, y);
        Step::template apply<Width>(x, y);
        narrow_some<Width, Convert>(x, half_away, count - i, out + i);
    }
}

/// x scale + offset as add_to_odd has it, into x: the product is exact, the sum rounds to odd and then to fp16.
template <int Width>
ANEMONE_CPU_INLINE void scale_offset_lanes(typename lanes<Width>::real& x, const typename lanes<Width>::real& scale,
                                           const typename lanes<Width>::real& offset) {
    using natural = typename lanes<Width>::natural;
    using real = typename lanes<Width>::real;
    const real p = x * scale;
    const real sum = p + offset;
    const real part = sum - p;
    const real rest = (p - (sum - part)) + (offset - part);
    const auto bits = reinterpret_cast<natural>(sum);
    // Integers in place of a combination of comparisons, which g++ 12 splits into single elements at 512 bits.
    const natural inward = (reinterpret_cast<natural>(rest) ^ bits) >> 31U;
    const natural even = (bits & 1U) - 1U;
    const natural odd = bits + ((1U - 2U * inward) & even);
    x = reinterpret_cast<real>(rest != 0.0F ? odd : bits);
}

template <int Width, class Convert>
ANEMONE_CPU_INLINE std::int64_t scale_offset_row(row_operand x, row_operand scale, row_operand offset, half* out,
                                                 std::int64_t count, bool half_away) {
    using natural = typename lanes<Width>::natural;
    using real = typename lanes<Width>::real;
    real numbers[3]; // of the operands that are one
    const row_operand operands[3] = {x, scale, offset};
    for (int k = 0; k < 3 && count > 0; ++k) {
        widen_some<Width, Convert>({operands[k].data, 0}, 0, Width, numbers[k]);
    }
    for (std::int64_t first = 0; first < count; first += scale_offset_block) {
        const std::int64_t end = count - first < scale_offset_block ? count : first + scale_offset_block;
        natural special{};
        for (std::int64_t i = first; i < end; i += Width) {
            const std::int64_t part = end - i < Width ? end - i : Width;
            real y[3] = {numbers[0], numbers[1], numbers[2]};
#pragma GCC unroll 3
            for (int k = 0; k < 3; ++k) {
                if (part < Width) {
                    widen_some<Width, Convert>(operands[k], i, part, y[k]);
                } else if (operands[k].step != 0) {
                    Convert::widen(operands[k].data + i, y[k]);
                }
                // The top bit of what is not finite.
                special |= (reinterpret_cast<natural>(y[k]) & 0x7F800000U) + 0x00800000U;
            }
            scale_offset_lanes<Width>(y[0], y[1], y[2]);
            if (part == Width) {
                Convert::narrow(y[0], half_away, out + i);
            } else {
                narrow_some<Width, Convert>(y[0], half_away, part, out + i);
            }
        }
        std::uint32_t found[Width];
        std::memcpy(found, &special, sizeof found);
        std::uint32_t any = 0;
        for (const std::uint32_t f : found) {
            any |= f;
        }
        if ((any & 0x80000000U) != 0) {
            return first;
        }
    }
    return count;
}

template <int Width>
ANEMONE_CPU_INLINE void order_row(row_operand a, row_operand b, std::int8_t* out, std::int64_t count) {
    using l = lanes<Width>;
    // NOLINTNEXTLINE(modernize-use-using): g++ takes the attribute on a typedef
    typedef std::int8_t bytes __attribute__((vector_size(Width)));
    typename l::natural x{};
    typename l::natural y{};
    typename l::whole p;
    typename l::whole q;
    for (std::int64_t i = 0; i < count; i += Width) {
        const std::int64_t part = count - i < Width ? count - i : Width;
        if (part == Width) {
            l::load(a.data, i, a.step, x);
            l::load(b.data, i, b.step, y);
        } else {
            load_some<Width>(a, i, part, x);
            load_some<Width>(b, i, part, y);
        }
        l::enter(x);
        l::enter(y);
        l::key(x, p);
        l::key(y, q);
        const bytes order = __builtin_convertvector((p < q) - (p > q), bytes);
        std::memcpy(out + i, &order, static_cast<std::size_t>(part));
    }
}

template <int Width> ANEMONE_CPU_INLINE void entered_row(const half* from, half* out, std::int64_t count) {
    using l = lanes<Width>;
    typename l::natural x{};
    for (std::int64_t i = 0; i < count; i += Width) {
        const std::int64_t part = count - i < Width ? count - i : Width;
        if (part == Width) {
            l::load(from + i, x);
        } else {
            load_some<Width>({from, 1}, i, part, x);
        }
        l::enter(x);
        x = x & reinterpret_cast<typename l::natural>(x != 0x8000U);
        if (part == Width) {
            l::store(x, out + i);
        } else {
            store_some<Width>(x, part, out + i);
        }
    }
}

template <isa_level Level, class Lazy = void> struct row_loops;

// The wrappers of one level: nothing but the target attribute differs.
#define ANEMONE_VALUE_ROW(NAME, WIDTH, TARGET, F16C)                                                                   \
    TARGET static void NAME(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) {       \
        value_row<WIDTH, row_convert##F16C<WIDTH>, NAME##_step>(a, b, out, count,                                      \
                                                                path.elementwise_ties == tie_rule::half_away);         \
    }
#define ANEMONE_PATTERN_ROW(NAME, WIDTH, TARGET, STEP)                                                                 \
    TARGET static void NAME(const datapath&, row_operand a, row_operand b, half* out, std::int64_t count) {            \
        pattern_row<WIDTH, STEP>(a, b, out, count);                                                                    \
    }
#define ANEMONE_ROW_LOOPS(LEVEL, WIDTH, TARGET, F16C)                                                                  \
    template <class Lazy> struct row_loops<isa_level::LEVEL, Lazy> {                                                   \
        ANEMONE_VALUE_ROW(add, WIDTH, TARGET, F16C)                                                                    \
        ANEMONE_VALUE_ROW(subtract, WIDTH, TARGET, F16C)                                                               \
        ANEMONE_VALUE_ROW(multiply, WIDTH, TARGET, F16C)                                                               \
        ANEMONE_PATTERN_ROW(minimum, WIDTH, TARGET, extreme_step<false>)                                               \
        ANEMONE_PATTERN_ROW(maximum, WIDTH, TARGET, extreme_step<true>)                                                \
        ANEMONE_VALUE_ROW(prelu, WIDTH, TARGET, F16C)                                                                  \
        TARGET static std::int64_t scale_offset(const datapath& path, row_operand x, row_operand scale,                \
                                                row_operand offset, half* out, std::int64_t count) {                   \
            return scale_offset_row<WIDTH, row_convert##F16C<WIDTH>>(x, scale, offset, out, count,                     \
                                                                     path.elementwise_ties == tie_rule::half_away);    \
        }                                                                                                              \
        TARGET static void order(row_operand a, row_operand b, std::int8_t* out, std::int64_t count) {                 \
            order_row<WIDTH>(a, b, out, count);                                                                        \
        }                                                                                                              \
        TARGET static void entered(const half* x, half* out, std::int64_t count) {                                     \
            entered_row<WIDTH>(x, out, count);                                                                         \
        }                                                                                                              \
        TARGET static reduction_sum sum(const half* x, std::int64_t count) { return sum_of_row<WIDTH>(x, count); }     \
        TARGET static void column_sums(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns,   \
                                       reduction_sum* out) {                                                           \
            sums_of_columns<WIDTH>(x, count, stride, columns, out);                                                    \
        }                                                                                                              \
        TARGET static half extreme(const half* x, std::int64_t count, bool largest) {                                  \
            return extreme_of_row<WIDTH>(x, count, largest);                                                           \
        }                                                                                                              \
        TARGET static void column_extremes(const half* x, std::int64_t count, std::int64_t stride,                     \
                                           std::int64_t columns, bool largest, half* out) {                            \
            extremes_of_columns<WIDTH>(x, count, stride, columns, largest, out);                                       \
        }                                                                                                              \
        TARGET static void store_means(const datapath& path, const reduction_sum* sums, std::int64_t divisor,          \
                                       half* out, std::int64_t count) {                                                \
            means_of<WIDTH>(sums, divisor, out, count, path.reduction_ties == tie_rule::half_away);                    \
        }                                                                                                              \
    };
ANEMONE_ISA_LEVELS(ANEMONE_ROW_LOOPS)
#undef ANEMONE_ROW_LOOPS
#undef ANEMONE_PATTERN_ROW
#undef ANEMONE_VALUE_ROW

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

// Each calls the loop of its name.
#define ANEMONE_ROW_CALL(NAME, ...)                                                                                    \
    ane::detail::at_level(level, [&]<isa_level Level>() { return detail::row_loops<Level>::NAME(__VA_ARGS__); })
ANEMONE_BODY void row_kernels::add(const datapath& path, row_operand a, row_operand b, half* out,
                                   std::int64_t count) const {
    return ANEMONE_ROW_CALL(add, path, a, b, out, count);
}
ANEMONE_BODY void row_kernels::subtract(const datapath& path, row_operand a, row_operand b, half* out,
                                        std::int64_t count) const {
    return ANEMONE_ROW_CALL(subtract, path, a, b, out, count);
}
ANEMONE_BODY void row_kernels::multiply(const datapath& path, row_operand a, row_operand b, half* out,
                                        std::int64_t count) const {
    return ANEMONE_ROW_CALL(multiply, path, a, b, out, count);
}
ANEMONE_BODY void row_kernels::minimum(const datapath& path, row_operand a, row_operand b, half* out,
                                       std::int64_t count) const {
    return ANEMONE_ROW_CALL(minimum, path, a, b, out, count);
}
ANEMONE_BODY void row_kernels::maximum(const datapath& path, row_operand a, row_operand b, half* out,
                                       std::int64_t count) const {
    return ANEMONE_ROW_CALL(maximum, path, a, b, out, count);
}
ANEMONE_BODY void row_kernels::prelu(const datapath& path, row_operand a, row_operand b, half* out,
                                     std::int64_t count) const {
    return ANEMONE_ROW_CALL(prelu, path, a, b, out, count);
}
ANEMONE_BODY std::int64_t row_kernels::scale_offset(const datapath& path, row_operand x, row_operand scale,
                                                    row_operand offset, half* out, std::int64_t count) const {
    return ANEMONE_ROW_CALL(scale_offset, path, x, scale, offset, out, count);
}
ANEMONE_BODY void row_kernels::order(row_operand a, row_operand b, std::int8_t* out, std::int64_t count) const {
    return ANEMONE_ROW_CALL(order, a, b, out, count);
}
ANEMONE_BODY void row_kernels::entered(const half* x, half* out, std::int64_t count) const {
    return ANEMONE_ROW_CALL(entered, x, out, count);
}
ANEMONE_BODY reduction_sum row_kernels::sum(const half* x, std::int64_t count) const {
    return ANEMONE_ROW_CALL(sum, x, count);
}
ANEMONE_BODY void row_kernels::column_sums(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns,
                                           reduction_sum* out) const {
    return ANEMONE_ROW_CALL(column_sums, x, count, stride, columns, out);
}
ANEMONE_BODY half row_kernels::extreme(const half* x, std::int64_t count, bool largest) const {
    return ANEMONE_ROW_CALL(extreme, x, count, largest);
}
ANEMONE_BODY void row_kernels::column_extremes(const half* x, std::int64_t count, std::int64_t stride,
                                               std::int64_t columns, bool largest, half* out) const {
    return ANEMONE_ROW_CALL(column_extremes, x, count, stride, columns, largest, out);
}
ANEMONE_BODY void row_kernels::store_means(const datapath& path, const reduction_sum* sums, std::int64_t divisor,
                                           half* out, std::int64_t count) const {
    return ANEMONE_ROW_CALL(store_means, path, sums, divisor, out, count);
}
#undef ANEMONE_ROW_CALL

ANEMONE_BODY row_kernels row_kernels_for(isa_level level) {
    ane::detail::require_loops(level, "rows");
    return {level};
}

ANEMONE_BODY row_kernels best_row_kernels() { return {ane::detail::best_loops()}; }

} // namespace ane::numerics::inline ANEMONE_WAY
