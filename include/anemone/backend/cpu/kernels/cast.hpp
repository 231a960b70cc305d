#pragma once

#include "../../../dtype.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace ane::cpu {

namespace detail {

/// 2^digits of an integer type, exact in double: the first value above its range.
template <class Integer> constexpr double above() {
    return 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<Integer>::digits - 1));
}

template <class To, class From> To cast_element(From value, std::int64_t index) {
    if constexpr (std::is_same_v<To, half>) {
        return half(static_cast<double>(value));
    } else if constexpr (std::is_same_v<To, float>) {
        return static_cast<float>(value);
    } else if constexpr (std::is_integral_v<From>) {
        if (!std::in_range<To>(value)) {
            throw error(errc::argument, "cast",
                        fmt::format("element {} is {}, outside {} to {}", index, +value,
                                    +std::numeric_limits<To>::min(), +std::numeric_limits<To>::max()));
        }
        return static_cast<To>(value);
    } else {
        const double whole = std::trunc(static_cast<double>(value));
        if (!(whole >= static_cast<double>(std::numeric_limits<To>::min()) && whole < above<To>())) {
            throw error(errc::argument, "cast",
                        fmt::format("element {} is {}, outside {} to {}", index, static_cast<double>(value),
                                    +std::numeric_limits<To>::min(), +std::numeric_limits<To>::max()));
        }
        return static_cast<To>(whole);
    }
}

} // namespace detail

/// out[i] = To(x[i]) for half, float and the integers of 8 to 64 bits. To floating: rounded half to even, overflow to
/// infinity. To integers: truncated towards zero. Throws errc::argument, naming the element, on a NaN or a value
/// outside the range of an integer type.
template <class From, class To> void cast(const From* x, To* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<From, To>) {
            out[i] = x[i];
        } else {
            out[i] = detail::cast_element<To>(x[i], i);
        }
    }
}

namespace detail {

/// Calls visit(pointer) with a null pointer to the C++ type of a dtype.
template <class Visit> void with_element_type(dtype type, Visit visit) {
    switch (type) {
    case dtype::uint8: return visit(static_cast<std::uint8_t*>(nullptr));
    case dtype::int8: return visit(static_cast<std::int8_t*>(nullptr));
    case dtype::f16: return visit(static_cast<half*>(nullptr));
    case dtype::f32: return visit(static_cast<float*>(nullptr));
    case dtype::int16: return visit(static_cast<std::int16_t*>(nullptr));
    case dtype::uint16: return visit(static_cast<std::uint16_t*>(nullptr));
    case dtype::int32: return visit(static_cast<std::int32_t*>(nullptr));
    case dtype::uint32: return visit(static_cast<std::uint32_t*>(nullptr));
    case dtype::int64: return visit(static_cast<std::int64_t*>(nullptr));
    case dtype::uint64: return visit(static_cast<std::uint64_t*>(nullptr));
    case dtype::int4:
    case dtype::boolean: break;
    }
    throw error(errc::argument, "cast", std::string(mil_name(type)) + " has no element of its own in host memory");
}

} // namespace detail

/// The same by run-time types; f16 to f32 and back go through the table in bulk. Throws errc::argument on int4 and boolean.
inline void cast(const kernel_table& table, dtype from, const void* x, dtype to, void* out, std::int64_t count) {
    if (from == dtype::f16 && to == dtype::f32) {
        return table.to_float(static_cast<const half*>(x), static_cast<float*>(out), count);
    }
    if (from == dtype::f32 && to == dtype::f16) {
        return table.to_half(static_cast<const float*>(x), static_cast<half*>(out), count);
    }
    detail::with_element_type(from, [&](auto* source) {
        using source_type = std::remove_pointer_t<decltype(source)>;
        detail::with_element_type(to, [&](auto* target) {
            using target_type = std::remove_pointer_t<decltype(target)>;
            cast(static_cast<const source_type*>(x), static_cast<target_type*>(out), count);
        });
    });
}

} // namespace ane::cpu
