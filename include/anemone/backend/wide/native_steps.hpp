#pragma once

#include "../../base/way.hpp"
#include "../kernels/distance.hpp"
#include "../kernels/quantization.hpp"
#include "../kernels/scaled.hpp"
#include "step.hpp"
#include "wide_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ane::wide_reference::inline ANEMONE_WAY {

ANEMONE_INLINE void scaled_elementwise(evaluation& e, int index) {
    kernels::scaled_elementwise(wide_arithmetic{}, e.at(index).get<scaling>(), e.input(index, 0), e.input(index, 1),
                                e.count(index), e.result(index));
}

ANEMONE_INLINE void cross_product(evaluation& e, int index) {
    kernels::cross_product(wide_arithmetic{}, e.input(index, 0), e.input(index, 1), e.shape(index)[0], e.result(index));
}

ANEMONE_INLINE void cost_volume(evaluation& e, int index) {
    kernels::cost_volume(wide_arithmetic{}, e.input(index, 0), e.operand_shape(index, 0), e.input(index, 1),
                         e.operand_shape(index, 1)[3], e.at(index).get<item_count>().count, e.result(index));
}

ANEMONE_INLINE void furthest_point_sampling(evaluation& e, int index) {
    kernels::furthest_point_sampling(wide_arithmetic{}, e.input(index, 0), e.operand_shape(index, 0)[3],
                                     e.shape(index)[3], e.result(index));
}

ANEMONE_INLINE void radius_search(evaluation& e, int index) {
    kernels::radius_search(wide_arithmetic{}, e.at(index).get<search_radius>().radius, e.input(index, 0),
                           e.operand_shape(index, 0)[3], e.input(index, 1), e.operand_shape(index, 1)[3],
                           e.result_bytes(index));
}

/// The scale and the zero point of an element of quantize or dequantize.
class wide_scales {
public:
    ANEMONE_INLINE wide_scales(const evaluation& e, int index)
        : scale_(e.input(index, 1)), zero_(e.operand_count(index) == 3 ? e.input(index, 2) : nullptr) {
        const int along = e.at(index).get<quantization>().axis;
        scale_at_ = kernels::scale_places_of(e.shape(index), along, e.operand_shape(index, 1));
        if (zero_ != nullptr) {
            zero_at_ = kernels::scale_places_of(e.shape(index), along, e.operand_shape(index, 2));
        }
    }
    double scale(std::int64_t element) const { return scale_[scale_at_.of(element)]; }
    double zero(std::int64_t element) const { return zero_ == nullptr ? 0 : zero_[zero_at_.of(element)]; }

private:
    const double* scale_;
    const double* zero_;
    kernels::scale_places scale_at_;
    kernels::scale_places zero_at_;
};

/// clamp(round(x / scale) + zero), halves to even (ONNX QuantizeLinear); a NaN becomes the zero point.
ANEMONE_INLINE void quantize(evaluation& e, int index) {
    const wide_scales by(e, index);
    for (std::int64_t i = 0; i < e.count(index); ++i) {
        const double ratio = e.input(index, 0)[i] / by.scale(i);
        // Wide enough that the zero point moves what is clamped here back into the type's range.
        const double whole = std::isnan(ratio) ? 0 : std::nearbyint(std::clamp(ratio, -0x1p20, 0x1p20));
        e.result_bytes(index)[i] = static_cast<std::byte>(kernels::saturated(whole + by.zero(i), e.at(index).type));
    }
}

/// (q - zero) scale.
ANEMONE_INLINE void dequantize(evaluation& e, int index) {
    const wide_scales by(e, index);
    const dtype type = e.operand_type(index, 0);
    for (std::int64_t i = 0; i < e.count(index); ++i) {
        const double q =
            type == dtype::f16 ? e.input(index, 0)[i] : kernels::integer_at(type, e.input_bytes(index, 0), i);
        e.result(index)[i] = (q - by.zero(i)) * by.scale(i);
    }
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
