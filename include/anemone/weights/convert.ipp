#pragma once

#include "convert.hpp"
#include "half_elements.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace ane::detail::inline ANEMONE_WAY {

/// The nearest float or double.
template <class Number, class Source> std::vector<Number> widened(const stored_tensor& tensor) {
    std::vector<Number> result(tensor.bytes.size() / sizeof(Source));
    Number* to = result.data();
    each_elements(tensor, sizeof(Source), [&](std::size_t, std::span<const std::byte> from) {
        for (std::size_t i = 0; i < from.size(); i += sizeof(Source)) {
            Source value;
            std::memcpy(&value, from.data() + i, sizeof(Source));
            if constexpr (std::is_arithmetic_v<Source>) {
                *to++ = static_cast<Number>(value);
            } else {
                *to++ = static_cast<Number>(static_cast<float>(value)); // exact
            }
        }
    });
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<half> to_half(const stored_tensor& tensor) {
    const detail::half_conversion source = detail::half_conversion_of(tensor);
    std::vector<half> result(tensor.bytes.size() / source.size);
    detail::each_elements(tensor, source.size, [&](std::size_t first, std::span<const std::byte> from) {
        source.convert(tensor.name, first, from, std::span(result).subspan(first, from.size() / source.size));
    });
    return result;
}

ANEMONE_BODY std::vector<float> to_float(const stored_tensor& tensor) {
    return detail::visit_elements(tensor, [&]<class Source>() { return detail::widened<float, Source>(tensor); });
}

ANEMONE_BODY std::vector<double> to_double(const stored_tensor& tensor) {
    return detail::visit_elements(tensor, [&]<class Source>() { return detail::widened<double, Source>(tensor); });
}

} // namespace ane::inline ANEMONE_WAY
