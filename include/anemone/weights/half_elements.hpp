#pragma once

#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/in_blocks.hpp"
#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"
#include "formats/eight_lanes.hpp"
#include "formats/elements.hpp"
#include "store.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Elements of stored tensors to fp16, piece by piece. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

using weight_formats::e4m3fn;
using weight_formats::e5m2;
using weight_formats::truth;

/// A number of fp16, rounded once, half to even; it must stay finite.
ANEMONE_INLINE half finite_element(const std::string& tensor, std::size_t index, double wide) {
    if (!std::isfinite(wide)) {
        throw error(errc::weights, tensor, formatted("element {} is {}, weights must be finite", index, wide));
    }
    const half result(wide);
    if (!is_finite(result)) {
        throw error(errc::weights, tensor,
                    formatted("element {} is {}, above the largest fp16 value {}", index, wide, half_max));
    }
    return result;
}

/// An integer, which must stay exact: the nearest number of fp16, or an error. Every integer that fp16 holds is far inside
/// the range where double is exact, so that `wide` decides.
template <std::integral Integer> half exact_element(const std::string& tensor, std::size_t index, Integer value) {
    const half result(static_cast<double>(value));
    if (!is_finite(result) || static_cast<double>(result) != static_cast<double>(value)) {
        throw error(
            errc::weights, tensor,
            formatted("element {} is {}, which fp16 does not hold exactly (all integers to 2048 are)", index, value));
    }
    return result;
}

/// One element to fp16; the name and the index are for errors.
template <class Source> half converted_element(const std::string& tensor, std::size_t index, const std::byte* at) {
    Source value;
    std::memcpy(&value, at, sizeof(Source));
    if constexpr (std::is_unsigned_v<Source>) {
        return exact_element(tensor, index, std::uint64_t{value});
    } else if constexpr (std::is_integral_v<Source>) {
        return exact_element(tensor, index, std::int64_t{value});
    } else if constexpr (std::is_same_v<Source, double>) {
        return finite_element(tensor, index, value);
    } else {
        return finite_element(tensor, index, static_cast<double>(static_cast<float>(value)));
    }
}

ANEMONE_INLINE void refuse_type [[noreturn]] (const stored_tensor& tensor) {
    throw error(errc::weights, tensor.name,
                formatted("type {} has no conversion to fp16", facts_of(tensor.type).safetensors));
}

template <class Source>
inline constexpr bool has_fp16_values =
    !std::is_same_v<Source, truth> && !std::is_same_v<Source, e4m3fn> && !std::is_same_v<Source, e5m2>;

/// Calls `visitor` with the type of the elements.
template <class Visitor> auto visit_elements(const stored_tensor& tensor, const Visitor& visitor) {
    using result = decltype(visitor.template operator()<truth>());
    return weight_formats::with_element(tensor.type, [&]<class Element>() -> result {
        if constexpr (std::is_void_v<Element>) {
            throw error(errc::weights, tensor.name, "has an element type of no meaning");
        } else {
            return visitor.template operator()<Element>();
        }
    });
}

#if defined(__x86_64__)
/// Floats or their upper halves to fp16, as many as eight at a time go; says how many.
template <class Source>
__attribute__((target("avx2,f16c"))) std::size_t narrow_f16c(const std::byte* from, std::span<half> to) {
    using eight = weight_formats::eight_lanes;
    std::size_t i = 0;
    for (; i + eight::count <= to.size(); i += eight::count) {
        eight::floats x;
        if constexpr (std::is_same_v<Source, float>) {
            eight::of_floats(from + i * sizeof(Source), x);
        } else {
            eight::of_bfloats(from + i * sizeof(Source), x);
        }
        eight::halves y;
        eight::narrow(x, y);
        std::memcpy(static_cast<void*>(to.data() + i), &y, sizeof y);
    }
    return i;
}
#endif

/// Whether all are finite: of another one the exponent and one overflow into the sign.
ANEMONE_INLINE bool all_finite(std::span<const half> values) {
    const half* const all = values.data();
    std::uint16_t any = 0;
    in_blocks(values.size(),
              [&](std::size_t i) { any = static_cast<std::uint16_t>(any | ((all[i].bits & 0x7C00U) + 0x400U)); });
    return (any & 0x8000U) == 0;
}

/// Real elements to fp16: each rounds once, and nothing is said of one that becomes infinite.
template <class Source> void narrow_elements(std::span<const std::byte> from, std::span<half> to) {
    std::size_t i = 0;
#if defined(__x86_64__)
    i = is_available(isa_level::avx2) ? narrow_f16c<Source>(from.data(), to) : 0;
#endif
    for (; i < to.size(); ++i) {
        Source value{};
        std::memcpy(&value, from.data() + i * sizeof value, sizeof value);
        to[i] = half(static_cast<float>(value));
    }
}

/// Elements to fp16: `from` has those from number `first` on.
template <class Source>
void convert_elements(const std::string& tensor, std::size_t first, std::span<const std::byte> from,
                      std::span<half> to) {
    const auto checked = [&](std::size_t i) {
        return converted_element<Source>(tensor, first + i, from.data() + i * sizeof(Source));
    };
    if constexpr (std::is_same_v<Source, half>) {
        if (!to.empty()) { // nothing may lie at null
            std::memcpy(static_cast<void*>(to.data()), from.data(), to.size() * sizeof(half));
        }
    } else if constexpr (std::is_same_v<Source, float> || std::is_same_v<Source, weight_formats::bfloat16>) {
        narrow_elements<Source>(from, to);
    } else {
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = checked(i);
        }
        return;
    }
    if (!all_finite(to)) {
        for (std::size_t i = 0; i < to.size(); ++i) {
            checked(i); // says what is wrong with it
        }
    }
}

/// How many elements are 0 in the tensor itself.
template <class Source> std::int64_t count_zeros(std::span<const std::byte> from) {
    std::int64_t zeros = 0;
    in_blocks(from.size() / sizeof(Source), [&](std::size_t i) {
        Source value;
        std::memcpy(&value, from.data() + i * sizeof(Source), sizeof(Source));
        if constexpr (std::is_same_v<Source, half> || std::is_same_v<Source, weight_formats::bfloat16>) {
            zeros += (value.bits & 0x7FFFU) == 0 ? 1 : 0;
        } else {
            zeros += weight_formats::number_of(value) == 0 ? 1 : 0;
        }
    });
    return zeros;
}

/// What the elements of a tensor become fp16 by, whatever they are: a file pays for little else of each type.
struct half_conversion {
    std::size_t size; ///< bytes of an element
    void (*convert)(const std::string& tensor, std::size_t first, std::span<const std::byte> from, std::span<half> to);
};
ANEMONE_INLINE half_conversion half_conversion_of(const stored_tensor& tensor) {
    return visit_elements(tensor, [&]<class Source>() -> half_conversion {
        if constexpr (has_fp16_values<Source>) {
            return {sizeof(Source), convert_elements<Source>};
        } else {
            refuse_type(tensor);
        }
    });
}

/// Calls `take(first, bytes)` with the elements, of `size` bytes each, piece after piece, from number `first` on: all of what is
/// in memory at once; of what is in a file no more than a piece comes there.
template <class Take> void each_elements(const stored_tensor& tensor, std::size_t size, const Take& take) {
    if (tensor.bytes.is_in_memory()) {
        take(std::size_t{0}, std::span<const std::byte>(tensor.bytes));
        return;
    }
    constexpr std::size_t piece = std::size_t{1} << 20U;
    std::vector<std::byte> some(std::min(piece, tensor.bytes.size()));
    for (std::size_t at = 0; at < tensor.bytes.size(); at += some.size()) {
        some.resize(std::min(piece, tensor.bytes.size() - at));
        stop_if_cancelled();
        tensor.bytes.read(at, some);
        take(at / size, std::span<const std::byte>(some));
    }
}

/// Calls `take(elements, zeros)` with the values as fp16, piece after piece, and how many of them are 0 in the tensor. Throws
/// as `to_half` does.
template <class Take> void each_half(const stored_tensor& tensor, const Take& take) {
    const half_conversion source = half_conversion_of(tensor);
    const auto zeros = visit_elements(
        tensor, []<class Source>() -> std::int64_t (*)(std::span<const std::byte>) { return count_zeros<Source>; });
    constexpr std::size_t piece = 16384;
    std::vector<half> elements;
    each_elements(tensor, source.size, [&](std::size_t first, std::span<const std::byte> all) {
        for (std::size_t at = 0; at < all.size();) {
            const std::span<const std::byte> from = all.subspan(at, std::min(piece * source.size, all.size() - at));
            elements.resize(from.size() / source.size);
            source.convert(tensor.name, first + at / source.size, from, elements);
            take(std::span<const half>(elements), zeros(from));
            at += from.size();
        }
    });
}

} // namespace ane::detail::inline ANEMONE_WAY
