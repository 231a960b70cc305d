#pragma once

#include "../base/isa_dispatch.hpp"
#include "contraction_wide.hpp"
#include "row_kernels.hpp"
#include "row_lanes.hpp"
#include "row_sums.hpp"

namespace ane::numerics::detail::inline ANEMONE_WAY {

struct sum_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void lanes_of(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y,
                                            bool half_away, std::uint32_t sign_of_second) {
        using l = lanes<Width>;
        typename l::real a;
        typename l::real b;
        l::enter(x);
        l::enter(y);
        y = y ^ sign_of_second;
        l::value(x, a);
        l::value(y, b);
        l::round(a + b, half_away, x);
    }
};

struct add_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y,
                                         bool away) {
        sum_step::lanes_of<Width>(x, y, away, 0);
    }
};
struct subtract_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y,
                                         bool away) {
        sum_step::lanes_of<Width>(x, y, away, 0x8000U);
    }
};
struct multiply_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y,
                                         bool away) {
        using l = lanes<Width>;
        typename l::real a;
        typename l::real b;
        l::enter(x);
        l::enter(y);
        l::ordinary(x, a);
        l::ordinary(y, b);
        l::round(a * b, away, x);
    }
};
struct prelu_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y,
                                         bool away) {
        typename lanes<Width>::natural v = x;
        lanes<Width>::enter(v);
        multiply_step::apply<Width>(x, y, away);
        x = (v & 0x8000U) != 0U ? x : v;
    }
};
template <bool Largest> struct extreme_step {
    template <int Width>
    ANEMONE_CPU_INLINE static void apply(typename lanes<Width>::natural& x, typename lanes<Width>::natural& y, bool) {
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
ANEMONE_CPU_INLINE void binary_row(row_operand a, row_operand b, half* out, std::int64_t count, bool half_away) {
    using l = lanes<Width>;
    typename l::natural x{};
    typename l::natural y{};
    std::int64_t i = 0;
    for (; i + Width <= count; i += Width) {
        l::load(a.data, i, a.step, x);
        l::load(b.data, i, b.step, y);
        Step::template apply<Width>(x, y, half_away);
        l::store(x, out + i);
    }
    if (i < count) {
        load_some<Width>(a, i, count - i, x);
        load_some<Width>(b, i, count - i, y);
        Step::template apply<Width>(x, y, half_away);
        store_some<Width>(x, count - i, out + i);
    }
}

/// x scale + offset as add_to_odd has it: the product is exact, the sum rounds to odd and then to fp16.
template <int Width>
ANEMONE_CPU_INLINE void scale_offset_lanes(typename lanes<Width>::natural& x, const typename lanes<Width>::natural& s,
                                           const typename lanes<Width>::natural& o, bool half_away) {
    using l = lanes<Width>;
    typename l::real a;
    typename l::real b;
    typename l::real c;
    l::ordinary(x, a);
    l::ordinary(s, b);
    l::ordinary(o, c);
    const typename l::real p = a * b;
    const typename l::real sum = p + c;
    const typename l::real part = sum - p;
    const typename l::real rest = (p - (sum - part)) + (c - part);
    const auto bits = reinterpret_cast<typename l::natural>(sum);
    // Integers in place of a combination of comparisons, which g++ 12 splits into single elements at 512 bits.
    const typename l::natural inward = (reinterpret_cast<typename l::natural>(rest) ^ bits) >> 31U;
    const typename l::natural even = (bits & 1U) - 1U;
    const typename l::natural odd = bits + ((1U - 2U * inward) & even);
    l::round(reinterpret_cast<typename l::real>(rest != 0.0F ? odd : bits), half_away, x);
}

template <int Width>
ANEMONE_CPU_INLINE std::int64_t scale_offset_row(row_operand x, row_operand scale, row_operand offset, half* out,
                                                 std::int64_t count, bool half_away) {
    using l = lanes<Width>;
    typename l::natural a{};
    typename l::natural s{};
    typename l::natural o{};
    for (std::int64_t first = 0; first < count; first += scale_offset_block) {
        const std::int64_t end = count - first < scale_offset_block ? count : first + scale_offset_block;
        typename l::natural special{};
        for (std::int64_t i = first; i < end; i += Width) {
            if (end - i >= Width) {
                l::load(x.data, i, x.step, a);
                l::load(scale.data, i, scale.step, s);
                l::load(offset.data, i, offset.step, o);
            } else {
                load_some<Width>(x, i, end - i, a);
                load_some<Width>(scale, i, end - i, s);
                load_some<Width>(offset, i, end - i, o);
            }
            special |= ((a & 0x7C00U) + 0x400U) | ((s & 0x7C00U) + 0x400U) | ((o & 0x7C00U) + 0x400U);
            scale_offset_lanes<Width>(a, s, o, half_away);
            if (end - i >= Width) {
                l::store(a, out + i);
            } else {
                store_some<Width>(a, end - i, out + i);
            }
        }
        std::uint32_t found[Width];
        std::memcpy(found, &special, sizeof found);
        std::uint32_t any = 0;
        for (const std::uint32_t f : found) {
            any |= f;
        }
        if ((any & 0x8000U) != 0) {
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
#define ANEMONE_ROW_STEP(NAME, WIDTH, TARGET, STEP)                                                                    \
    TARGET static void NAME(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) {       \
        binary_row<WIDTH, STEP>(a, b, out, count, path.elementwise_ties == tie_rule::half_away);                       \
    }
#define ANEMONE_ROW_LOOPS(LEVEL, WIDTH, TARGET, ...)                                                                   \
    template <class Lazy> struct row_loops<isa_level::LEVEL, Lazy> {                                                   \
        ANEMONE_ROW_STEP(add, WIDTH, TARGET, add_step)                                                                 \
        ANEMONE_ROW_STEP(subtract, WIDTH, TARGET, subtract_step)                                                       \
        ANEMONE_ROW_STEP(multiply, WIDTH, TARGET, multiply_step)                                                       \
        ANEMONE_ROW_STEP(minimum, WIDTH, TARGET, extreme_step<false>)                                                  \
        ANEMONE_ROW_STEP(maximum, WIDTH, TARGET, extreme_step<true>)                                                   \
        ANEMONE_ROW_STEP(prelu, WIDTH, TARGET, prelu_step)                                                             \
        TARGET static std::int64_t scale_offset(const datapath& path, row_operand x, row_operand scale,                \
                                                row_operand offset, half* out, std::int64_t count) {                   \
            return scale_offset_row<WIDTH>(x, scale, offset, out, count,                                               \
                                           path.elementwise_ties == tie_rule::half_away);                              \
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
        static constexpr row_kernels table{                                                                            \
            isa_level::LEVEL, add, subtract,    multiply, minimum,         maximum,    prelu, scale_offset, order,     \
            entered,          sum, column_sums, extreme,  column_extremes, store_means};                               \
    };
ANEMONE_ISA_LEVELS(ANEMONE_ROW_LOOPS)
struct row_levels {
    template <isa_level Level> using at = row_loops<Level>;
};
#undef ANEMONE_ROW_LOOPS
#undef ANEMONE_ROW_STEP

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

ANEMONE_BODY const row_kernels& row_kernels_for(isa_level level) {
    return ane::detail::table_for<detail::row_levels>(level);
}

ANEMONE_BODY const row_kernels& best_row_kernels() {
    static const row_kernels& best = row_kernels_for(best_level());
    return best;
}

} // namespace ane::numerics::inline ANEMONE_WAY
