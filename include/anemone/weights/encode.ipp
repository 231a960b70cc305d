#pragma once

#include "../base/formatted.hpp"
#include "../ops/quantization.hpp"
#include "encode.hpp"
#include "formats/palette.hpp"
#include "formats/scaled_integers.hpp"
#include "formats/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void refuse_stored [[noreturn]] (const compression& c, const std::string& what) {
    throw error(errc::weights, formatted("{} weight", name(c.form)), what);
}

constexpr bool has_mask(weight_form f) {
    return f == weight_form::sparse || f == weight_form::sparse_palette || f == weight_form::sparse_blockwise;
}
constexpr bool has_table(weight_form f) { return f == weight_form::palette || f == weight_form::sparse_palette; }
constexpr bool has_scales(weight_form f) {
    return f == weight_form::affine || f == weight_form::blockwise || f == weight_form::sparse_blockwise;
}

/// The sizes of the parts, which follow from form and shape. Counts are in elements.
struct stored_layout {
    std::int64_t count = 0;   ///< elements of the weight
    std::int64_t columns = 1; ///< elements of one row (all axes but the first)
    std::int64_t group = 1;   ///< consecutive elements that share a scale
    std::int64_t groups = 0;
};

/// Throws `error` (errc::weights) for what has no stored form.
ANEMONE_INLINE stored_layout layout_of(const compression& c, const extents& shape) {
    constexpr auto last = static_cast<unsigned>(weight_form::sparse_blockwise);
    if (static_cast<unsigned>(c.form) > last) { // first: the other refusals name the form
        throw error(errc::weights, "stored weight",
                    formatted("form {} is none, the last is {}", static_cast<unsigned>(c.form), last));
    }
    std::int64_t count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] < 0 || __builtin_mul_overflow(count, shape[i], &count) || count > std::int64_t{1} << 48) {
            refuse_stored(c, formatted("extent {} of axis {} is negative or makes the size absurd", shape[i], i));
        }
    }
    if (const inferred r = shape_rule(c, shape); !r.ok()) {
        refuse_stored(c, formatted("{} (got {}, want {})", sentence(r.broken), r.got, r.want));
    }
    stored_layout l;
    l.count = count;
    l.columns = shape[0] > 0 ? count / shape[0] : 0;
    l.group = c.block > 0 ? c.block : l.columns;
    l.groups = l.group > 0 ? count / l.group : 0;
    return l;
}

/// Indices of a palette over `count` elements in rows of `columns`.
ANEMONE_INLINE std::int64_t index_count(const compression& c, std::int64_t count, std::int64_t columns) {
    const std::int64_t rows = columns > 0 ? count / columns : 0;
    return (rows + c.vector - 1) / c.vector * columns;
}

ANEMONE_INLINE void encode_palette(encoded_weight& to, std::span<const half> values, std::int64_t columns) {
    const auto codes = weight_formats::make_palette(values, columns, to.form.bits, to.form.vector);
    to.data = weight_formats::pack(std::span<const std::uint8_t>(codes.indices), to.form.bits);
    to.table = weight_formats::pack_halves(codes.table);
}

/// Integers of the kept elements; the scales are of the groups of all.
ANEMONE_INLINE void encode_integers(encoded_weight& to, std::span<const half> values, const stored_layout& l,
                                    std::span<const std::uint8_t> mask) {
    const auto integers = weight_formats::quantize_groups(values, l.group, to.form.bits, to.form.zero_point);
    std::vector<std::int8_t> kept;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0) {
            kept.push_back(integers.values[i]);
        }
    }
    const std::span<const std::int8_t> stored = mask.empty() ? std::span(integers.values) : std::span(kept);
    to.data = weight_formats::pack(stored, to.form.bits);
    to.scales = weight_formats::pack_halves(integers.scales);
    to.zeros = weight_formats::pack(std::span<const std::int8_t>(integers.zeros), to.form.bits);
}

ANEMONE_INLINE bool same_bits(std::span<const half> a, std::span<const half> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](half x, half y) { return x.bits == y.bits; });
}

/// A part must have exactly the bytes that its elements take.
ANEMONE_INLINE void require_bytes(const encoded_weight& w, const char* part, std::size_t got, std::int64_t want) {
    if (std::cmp_not_equal(got, want)) {
        refuse_stored(w.form, formatted("the {} take {} bytes, the shape needs {}", part, got, want));
    }
}

/// The values that the bytes stand for; `dequantized(q, zero, scale)` is that of an integer.
template <class Number, class Dequantized>
std::vector<Number> decoded(const encoded_weight& w, const Dequantized& dequantized) {
    const compression& c = w.form;
    const stored_layout l = layout_of(c, w.shape);
    const bool masked = has_mask(c.form);
    require_bytes(w, "mask bits", w.mask.size(), masked ? weight_formats::packed_bytes(l.count, 1) : 0);
    const std::int64_t kept = masked ? weight_formats::kept_count(w.mask, l.count) : l.count;
    const bool indexed = has_table(c.form);
    const bool scaled = has_scales(c.form);
    const std::int64_t columns = masked ? 1 : l.columns; // kept elements are a list
    const std::int64_t stored = indexed ? index_count(c, kept, columns) : kept;
    const int width = c.form == weight_form::sparse ? 16 : c.bits;
    require_bytes(w, "elements", w.data.size(), weight_formats::packed_bytes(stored, width));
    require_bytes(w, "table entries", w.table.size(), indexed ? (std::int64_t{2} << c.bits) * c.vector : 0);
    require_bytes(w, "scales", w.scales.size(), scaled ? 2 * l.groups : 0);
    require_bytes(w, "zero points", w.zeros.size(),
                  scaled && c.zero_point ? weight_formats::packed_bytes(l.groups, c.bits) : 0);
    // The value of stored element `at`, which is element `element` of the weight.
    const auto value = [&](std::int64_t at, std::int64_t element) -> Number {
        if (c.form == weight_form::sparse) {
            return static_cast<Number>(weight_formats::half_at(w.data, at));
        }
        if (indexed) {
            const std::int64_t row = at / columns;
            const std::int64_t index =
                weight_formats::packed_at(w.data, row / c.vector * columns + at % columns, c.bits);
            return static_cast<Number>(weight_formats::half_at(w.table, index * c.vector + row % c.vector));
        }
        const std::int64_t group = element / l.group;
        const int zero = c.zero_point ? weight_formats::packed_signed_at(w.zeros, group, c.bits) : 0;
        return dequantized(weight_formats::packed_signed_at(w.data, at, c.bits), zero,
                           weight_formats::half_at(w.scales, group));
    };
    if (masked) {
        return weight_formats::scatter<Number>(w.mask, l.count, value);
    }
    std::vector<Number> result;
    result.reserve(static_cast<std::size_t>(l.count));
    for (std::int64_t i = 0; i < l.count; ++i) {
        result.push_back(value(i, i));
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::size_t encoded_weight::bytes() const {
    return data.size() + mask.size() + table.size() + scales.size() + zeros.size();
}

ANEMONE_BODY encoded_weight encode_weight(std::span<const half> values, const extents& shape, const compression& form) {
    const detail::stored_layout l = detail::layout_of(form, shape);
    if (std::cmp_not_equal(values.size(), l.count)) {
        detail::refuse_stored(form, formatted("{} values are given, the shape has {}", values.size(), l.count));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!is_finite(values[i])) {
            detail::refuse_stored(
                form, formatted("element {} is {}, weights must be finite", i, static_cast<double>(values[i])));
        }
    }
    encoded_weight result;
    result.form = form;
    result.shape = shape;
    weight_formats::kept_elements kept;
    if (detail::has_mask(form.form)) {
        kept = weight_formats::keep_nonzero(values);
        result.mask = weight_formats::pack(std::span<const std::uint8_t>(kept.mask), 1);
    }
    switch (form.form) {
    case weight_form::palette: detail::encode_palette(result, values, l.columns); break;
    case weight_form::sparse_palette: detail::encode_palette(result, kept.values, 1); break;
    case weight_form::sparse: result.data = weight_formats::pack_halves(kept.values); break;
    default: detail::encode_integers(result, values, l, kept.mask); break;
    }
    return result;
}

ANEMONE_BODY std::vector<half> decode_weight(const encoded_weight& w) {
    return detail::decoded<half>(w, weight_formats::dequantized);
}

ANEMONE_BODY std::vector<double> decode_weight_unrounded(const encoded_weight& w) {
    return detail::decoded<double>(w,
                                   [](int q, int zero, half scale) { return (q - zero) * static_cast<double>(scale); });
}

ANEMONE_BODY std::optional<half> scale_of_palette(const encoded_weight& w) {
    if (w.form.form != weight_form::palette || w.form.vector != 1) {
        return std::nullopt;
    }
    const double most = std::ldexp(1.0, w.form.bits - 1);
    std::vector<double> entries;
    double least = 0;
    for (std::size_t i = 0; 2 * i < w.table.size(); ++i) {
        entries.push_back(static_cast<double>(weight_formats::half_at(w.table, static_cast<std::int64_t>(i))));
        const double magnitude = std::fabs(entries.back());
        least = magnitude > 0 && (least == 0 || magnitude < least) ? magnitude : least;
    }
    for (int smallest = 1; least > 0 && smallest <= static_cast<int>(most); ++smallest) {
        const half scale(least / smallest);
        const auto s = static_cast<double>(scale);
        const bool fits = s > 0 && std::all_of(entries.begin(), entries.end(), [&](double v) {
                              const double code = std::nearbyint(v / s);
                              return std::fabs(code) <= most && static_cast<double>(half(code * s)) == v;
                          });
        if (fits) {
            return scale;
        }
    }
    return std::nullopt;
}

ANEMONE_BODY std::vector<half> decode_codes(const encoded_weight& w, double unit) {
    const std::optional<half> of_palette = scale_of_palette(w);
    std::vector<half> codes = detail::decoded<half>(w, [unit](int q, int, half) { return half(q * unit); });
    if (of_palette) {
        for (half& code : codes) {
            code = half(std::nearbyint(static_cast<double>(code) / static_cast<double>(*of_palette)) * unit);
        }
    }
    return codes;
}

ANEMONE_BODY std::vector<half> stored_values(std::span<const half> values, const extents& shape,
                                             const compression& form) {
    return decode_weight(encode_weight(values, shape, form));
}

ANEMONE_BODY bool keeps_values(std::span<const half> values, const extents& shape, const compression& form) {
    const detail::stored_layout l = detail::layout_of(form, shape);
    if (detail::has_mask(form.form) || detail::has_table(form.form) || std::cmp_not_equal(values.size(), l.count) ||
        l.group == 0) {
        return detail::same_bits(stored_values(values, shape, form), values);
    }
    const auto group = static_cast<std::size_t>(l.group);
    for (std::size_t begin = 0; begin < values.size();
         begin += group) { // group by group: most files differ in the first
        const std::span<const half> given = values.subspan(begin, std::min(group, values.size() - begin));
        const auto at = std::find_if_not(given.begin(), given.end(), [](half h) { return is_finite(h); });
        if (at != given.end()) {
            detail::refuse_stored(form, formatted("element {} is {}, weights must be finite",
                                                  begin + static_cast<std::size_t>(at - given.begin()),
                                                  static_cast<double>(*at)));
        }
        const auto integers = weight_formats::quantize_groups(given, l.group, form.bits, form.zero_point);
        const int zero = integers.zeros.empty() ? 0 : integers.zeros[0];
        unsigned differs = 0;
        for (std::size_t i = 0; i < given.size(); ++i) {
            differs |= weight_formats::dequantized(integers.values[i], zero, integers.scales[0]).bits ^ given[i].bits;
        }
        if (differs != 0) {
            return false;
        }
    }
    return true;
}

} // namespace ane::inline ANEMONE_WAY
