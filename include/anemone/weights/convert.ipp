#pragma once

#include "../base/formatted.hpp"
#include "convert.hpp"
#include "formats/elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace ane::detail::inline ANEMONE_WAY {

using weight_formats::e4m3fn;
using weight_formats::e5m2;
using weight_formats::truth;

/// One element to fp16, rounded once, half to even. Floating values must stay finite, integers must stay exact.
template <class Source> half converted_element(const stored_tensor& tensor, std::size_t index) {
    Source value;
    std::memcpy(&value, tensor.bytes.data() + index * sizeof(Source), sizeof(Source));
    if constexpr (std::is_integral_v<Source>) {
        const half result(static_cast<double>(value));
        // Every integer that fp16 holds is far inside the range where double is exact, so this comparison decides.
        if (!is_finite(result) || static_cast<double>(result) != static_cast<double>(value)) {
            throw error(errc::weights, tensor.name,
                        formatted("element {} is {}, which fp16 does not hold exactly (all integers to 2048 are)",
                                  index, +value));
        }
        return result;
    } else {
        double wide = 0;
        if constexpr (std::is_same_v<Source, double>) {
            wide = value;
        } else {
            wide = static_cast<double>(static_cast<float>(value));
        }
        if (!std::isfinite(wide)) {
            throw error(errc::weights, tensor.name, formatted("element {} is {}, weights must be finite", index, wide));
        }
        const half result(wide);
        if (!is_finite(result)) {
            throw error(errc::weights, tensor.name,
                        formatted("element {} is {}, above the largest fp16 value {}", index, wide, half_max));
        }
        return result;
    }
}

/// The nearest float.
template <class Source> std::vector<float> widened(const stored_tensor& tensor) {
    std::vector<float> result(tensor.bytes.size() / sizeof(Source));
    for (std::size_t i = 0; i < result.size(); ++i) {
        Source value;
        std::memcpy(&value, tensor.bytes.data() + i * sizeof(Source), sizeof(Source));
        result[i] = static_cast<float>(value);
    }
    return result;
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

template <class Source> std::vector<half> converted(const stored_tensor& tensor) {
    std::vector<half> result(tensor.bytes.size() / sizeof(Source));
    if constexpr (std::is_same_v<Source, half>) {
        if (!result.empty()) { // nothing may lie at null
            std::memcpy(static_cast<void*>(result.data()), tensor.bytes.data(), result.size() * sizeof(half));
        }
    } else if constexpr (std::is_same_v<Source, float>) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            float value = 0;
            std::memcpy(&value, tensor.bytes.data() + i * sizeof(float), sizeof(float));
            result[i] = half(value);
        }
    } else {
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = converted_element<Source>(tensor, i);
        }
        return result;
    }
    const auto bad = std::find_if_not(result.begin(), result.end(), [](half h) { return is_finite(h); });
    if (bad != result.end()) {
        converted_element<Source>(tensor, static_cast<std::size_t>(bad - result.begin())); // says what is wrong with it
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<half> to_half(const stored_tensor& tensor) {
    return detail::visit_elements(tensor, [&]<class Source>() -> std::vector<half> {
        if constexpr (detail::has_fp16_values<Source>) {
            return detail::converted<Source>(tensor);
        } else {
            throw error(errc::weights, tensor.name,
                        formatted("type {} has no conversion to fp16", facts_of(tensor.type).safetensors));
        }
    });
}

ANEMONE_BODY std::vector<float> to_float(const stored_tensor& tensor) {
    return detail::visit_elements(tensor, [&]<class Source>() { return detail::widened<Source>(tensor); });
}

} // namespace ane::inline ANEMONE_WAY
