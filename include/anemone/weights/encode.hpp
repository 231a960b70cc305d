#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/attributes.hpp"
#include "../values/half.hpp"
#include "../values/shape.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Weights as they are stored, and the fp16 values that the stored bytes stand for.
namespace ane::inline ANEMONE_WAY {

/// A weight in one of its stored forms, part by part; parts that a form does not have are empty. Integers are packed
/// low bits first, fp16 is little-endian, elements are in row-major order.
struct encoded_weight {
    compression form;
    extents shape;
    std::vector<std::byte> data;   ///< indices or integers, or the kept fp16 values of a plain sparse weight
    std::vector<std::byte> mask;   ///< sparse forms: one bit an element
    std::vector<std::byte> table;  ///< palettes: fp16 [2^bits][vector]
    std::vector<std::byte> scales; ///< affine and blockwise: fp16, one for each group
    std::vector<std::byte> zeros;  ///< asymmetric: one integer for each group

    /// All parts together.
    ANEMONE_API std::size_t bytes() const;
};

/// Stores finite fp16 values, row-major. Throws `error` (errc::weights) for a form that no target has, values that are
/// not those of the shape, or an element that is not finite (R006).
ANEMONE_API encoded_weight encode_weight(std::span<const half> values, const extents& shape, const compression& form);

/// The values that the bytes stand for, exactly as they say. Throws `error` (errc::weights) where a part has more or
/// fewer bytes than the form and the shape need; every bit pattern of the right length has a value.
ANEMONE_API std::vector<half> decode_weight(const encoded_weight& w);

/// The same without the rounding to fp16 of an integer times its scale.
ANEMONE_API std::vector<double> decode_weight_unrounded(const encoded_weight& w);

/// The scale of a palette of single values that are all whole numbers, of magnitude 2^(bits - 1) at most, times one number:
/// the largest such number, or nothing. A table of integers with a scale of its own is one of these.
ANEMONE_API std::optional<half> scale_of_palette(const encoded_weight& w);

/// The integers of a weight without mask and zero points, each times `unit`, a power of two: as the multiplier reads them
/// where their scales follow the sum (numerics::datapath::weight_scale). Of a palette they are its values over
/// `scale_of_palette`. Throws as `decode_weight` does.
ANEMONE_API std::vector<half> decode_codes(const encoded_weight& w, double unit);

/// What a weight stored in this form holds.
ANEMONE_API std::vector<half> stored_values(std::span<const half> values, const extents& shape,
                                            const compression& form);

/// Whether a weight stored in this form holds just these values, bit for bit. Throws as `encode_weight` does, if not yet a
/// value was found that changes.
ANEMONE_API bool keeps_values(std::span<const half> values, const extents& shape, const compression& form);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "encode.ipp"
#endif
