#pragma once

#include "../../base/in_blocks.hpp"
#include "../../base/way.hpp"
#include "elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

/// Searches through the elements of whole tensors, as loops that become vector code. Only bodies include this header.
namespace ane::weight_formats::inline ANEMONE_WAY {

/// The number of the first of `count` elements for which `holds`, which gets the element as C++ has it (`half`, `float`,
/// `std::int8_t`). Most tensors have none: a piece is looked through without asking where, and again only if there is one.
template <class Element, class Holds>
std::optional<std::int64_t> first_where(std::span<const std::byte> bytes, std::int64_t count, const Holds& holds) {
    constexpr std::int64_t piece = 4096;
    const auto element = [&](std::int64_t i) {
        Element value;
        std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
        return value;
    };
    for (std::int64_t begin = 0; begin < count; begin += piece) {
        const std::int64_t end = std::min(begin + piece, count);
        unsigned any = 0;
        ane::detail::in_blocks(static_cast<std::size_t>(end - begin), [&](std::size_t i) {
            any |= holds(element(begin + static_cast<std::int64_t>(i))) ? 1U : 0U;
        });
        for (std::int64_t i = begin; any != 0 && i < end; ++i) {
            if (holds(element(i))) {
                return i;
            }
        }
    }
    return std::nullopt;
}

/// From the midpoint above 65504 on a number is infinite in fp16.
struct beyond_fp16 {
    template <class Element> constexpr bool operator()(Element element) const noexcept {
        if constexpr (std::is_same_v<Element, half>) {
            return (element.bits & 0x7FFFU) == 0x7C00U;
        } else if constexpr (sizeof(Element) == 1) {
            return false;
        } else {
            const auto value = number_of(element);
            using number = std::conditional_t<std::is_same_v<decltype(value), const float>, float, double>;
            const auto exact = static_cast<number>(value);
            return (exact < number{} ? -exact : exact) >= number{65520};
        }
    }
};

/// NaN.
struct not_a_number {
    template <class Element> constexpr bool operator()(Element element) const noexcept {
        if constexpr (std::is_same_v<Element, half>) {
            return is_nan(element);
        } else {
            const auto value = number_of(element);
            return value != value; // NOLINT(misc-redundant-expression): of a NaN alone
        }
    }
};

/// Infinity or NaN.
struct not_finite {
    constexpr bool operator()(half element) const noexcept { return (element.bits & 0x7C00U) == 0x7C00U; }
};

/// An integer that is another one in fp16; those up to 2048 are not.
struct inexact_in_fp16 {
    template <class Integer> constexpr bool operator()(Integer value) const noexcept {
        if constexpr (sizeof(Integer) == 1) {
            return false;
        } else {
            const auto wide = static_cast<double>(value);
            return (wide > 2048 || wide < -2048) && static_cast<double>(half(wide)) != wide;
        }
    }
};

} // namespace ane::weight_formats::inline ANEMONE_WAY
