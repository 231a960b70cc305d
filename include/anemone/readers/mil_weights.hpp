#pragma once

#include "element_count.hpp"
#include "mil_scaled_weights.hpp"
#include "mil_table.hpp"

#include <algorithm>
#include <bit>

/// Constants, compressed weights, and integers between operations. Facts: weights sections 2 and 3. Only bodies include
/// this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A value has the type that is declared; numbers without one take it.
ANEMONE_INLINE std::vector<mil_value> read_const(mil_call& c) {
    mil_value& v = c.value("val");
    const mil_type& type = c.declared();
    if (v.form == value_form::known && v.bare && v.constant.count() == element_count(type.shape)) {
        std::vector<double> values;
        for (std::int64_t i = 0; i < v.constant.count(); ++i) {
            values.push_back(v.constant.at(i));
        }
        return c.result(folding::known(type.element, type.shape, values));
    }
    if (v.form == value_form::known && v.element != type.element) {
        c.refuse(formatted("is declared {}, its value is {}", mil_name(type.element), mil_name(v.element)));
    }
    return c.result(v);
}

/// The iOS 16 forms say the shape in an argument and pack data into bytes; the iOS 18 forms have tensors of narrow
/// integers. As the latter.
ANEMONE_INLINE known_tensor unpacked(mil_call& c, const known_tensor& data, int bits) {
    const known_tensor& list = c.known("shape");
    known_tensor result = data;
    result.shape = {};
    if (list.count() > extents::capacity) {
        c.refuse(formatted("has a shape of {} axes", list.count()));
    }
    for (std::int64_t i = 0; i < list.count(); ++i) {
        result.shape.append(static_cast<std::int64_t>(list.at(i)));
    }
    const element_type narrow[] = {element_type::uint1, element_type::uint2, element_type::uint3,
                                   element_type::uint4, element_type::uint6, element_type::uint8};
    bool found = false;
    for (const element_type e : narrow) {
        if (facts_of(e).bits == bits) {
            result.type = e;
            found = true;
        }
    }
    const std::int64_t count = element_count(result.shape);
    if (!found || count < 0 ||
        weight_formats::packed_bytes(count, bits) > static_cast<std::int64_t>(data.size_in_bytes())) {
        c.refuse(formatted("has {} bytes for {} of {} bits", data.size_in_bytes(), print(result.shape), bits));
    }
    return result;
}

ANEMONE_INLINE int bits_of_table(mil_call& c, std::int64_t entries) {
    const bool power = entries >= 2 && entries <= 256 && std::has_single_bit(static_cast<std::uint64_t>(entries));
    if (!power) {
        c.refuse(formatted("has a table of {} entries", entries));
    }
    return std::countr_zero(static_cast<std::uint64_t>(entries));
}

/// The table of a palette, iOS 18: [groups..., 2^bits, vector].
struct palette_table {
    const known_tensor* lut;
    extents groups;
    std::int64_t entries;
    std::int64_t vector;
};
ANEMONE_INLINE palette_table table_of(mil_call& c, const extents& indices_shape) {
    palette_table t{&c.known("lut"), {}, 0, 1};
    const extents& s = t.lut->shape;
    if (s.rank == 1 || s.rank != indices_shape.rank + 2) {
        t.entries = s.count();
        for (int i = 0; i < indices_shape.rank; ++i) {
            t.groups.append(1);
        }
        if (s.rank != 1) {
            c.refuse(formatted("has a table {} for indices {}", print(s), print(indices_shape)));
        }
        return t;
    }
    t.groups = s;
    t.groups.rank = indices_shape.rank;
    t.entries = s[s.rank - 2];
    t.vector = s[s.rank - 1];
    return t;
}

ANEMONE_INLINE std::vector<mil_value> read_palette(mil_call& c) {
    static_cast<void>(c.read_once("indices"));
    known_tensor codes = c.known("indices");
    if (c.has("shape")) {
        codes = unpacked(c, codes, bits_of_table(c, c.known("lut").count()));
    }
    const palette_table t = table_of(c, codes.shape);
    const int bits = bits_of_table(c, t.entries);
    const int along = t.vector > 1 ? c.axis_of(c.integer("vector_axis"), codes.shape.rank) : 0;
    c.ignore("vector_axis");
    extents shape = codes.shape;
    if (shape.rank > 0) {
        const checked_integer wide = checked_integer(shape[along]) * t.vector;
        shape[along] = wide.is_known() ? wide.value() : -1;
        if (element_count(shape) < 0) {
            c.refuse(formatted("has vectors of {} for indices {}", t.vector, print(codes.shape)));
        }
    }
    const block_index group(c, codes.shape, t.groups, "a table");
    const extents strides = row_major_strides(shape);
    const extents index_strides = row_major_strides(codes.shape);
    const auto value = [&](std::int64_t i) {
        std::int64_t at = 0; // of the index, and which of its vector's elements
        std::int64_t inside = 0;
        for (int a = 0; a < shape.rank; ++a) {
            std::int64_t k = i / strides[a] % shape[a];
            if (a == along) {
                inside = k % t.vector;
                k /= t.vector;
            }
            at += k * index_strides[a];
        }
        const auto code = static_cast<std::int64_t>(codes.at(at));
        return t.lut->at((group(at) * t.entries + std::min(code, t.entries - 1)) * t.vector + inside);
    };
    const bool plain = t.vector == 1 && t.groups.count() == 1;
    const auto form = plain ? std::optional(compression{.form = weight_form::palette, .bits = bits}) : std::nullopt;
    return expanded_weight(c, shape).of(c, value, form);
}

/// Values where the mask is 1, zeros elsewhere.
ANEMONE_INLINE std::vector<mil_value> read_sparse(mil_call& c) {
    mil_value& nonzero = c.value("nonzero_data");
    const known_tensor& kept = c.known("nonzero_data");
    known_tensor mask = c.known("mask");
    if (c.has("shape")) {
        mask = unpacked(c, mask, 1);
    }
    const std::int64_t count = element_count(mask.shape);
    std::int64_t ones = 0;
    for (std::int64_t i = 0; !mask.is_missing && i < count; ++i) {
        ones += mask.at(i) != 0 ? 1 : 0;
    }
    if (mask.is_missing) { // as many as it keeps: where they stand is open
        c.scope().note("of sparse weights whose masks are not there the elements that are kept are counted alone");
    } else if (ones != kept.count()) {
        c.refuse(formatted("keeps {} elements, its mask {}", kept.count(), ones));
    }
    std::int64_t next = 0; // elements are asked for in order
    compression form = nonzero.stored.value_or(compression{.form = weight_form::sparse, .bits = 16});
    std::vector<mil_value> weight =
        expanded_weight(c, mask.shape)
            .of(
                c, [&](std::int64_t i) { return mask.at(i) != 0 ? kept.at(next++) : 0.0; }, form);
    weight[0].has_blocks = nonzero.has_blocks;
    return weight;
}

/// Both halves of a sparse weight whose kept elements are stored smaller: the mask, and the kept elements in fp16.
template <class Value>
std::vector<mil_value> kept_elements(mil_call& c, const known_tensor& mask, const known_tensor& kept,
                                     const Value& value, const std::optional<compression>& form) {
    if (c.reads_missing()) {
        c.scope().note("of sparse weights whose masks are not there the elements that are kept are counted alone");
        std::vector<mil_value> both = c.result(mask);
        both[0].constant.is_missing = true;
        both.push_back(c.result(c.scope().blobs.gaps.tensor(element_type::f16, {kept.count()}))[0]);
        both[1].stored = form;
        return both;
    }
    std::vector<double> values;
    const std::int64_t count = element_count(mask.shape);
    c.scope().spend(10 * kept.count());
    for (std::int64_t i = 0; i < count; ++i) {
        if (mask.at(i) != 0) {
            if (static_cast<std::int64_t>(values.size()) == kept.count()) {
                c.refuse("keeps fewer elements than its mask");
            }
            values.push_back(value(i, static_cast<std::int64_t>(values.size())));
        }
    }
    if (static_cast<std::int64_t>(values.size()) != kept.count()) {
        c.refuse(formatted("keeps {} elements, its mask {}", kept.count(), values.size()));
    }
    std::vector<mil_value> both = c.result(mask);
    both.push_back(c.result(folding::known(element_type::f16, {kept.count()}, values))[0]);
    both[1].stored = form;
    return both;
}

ANEMONE_INLINE std::vector<mil_value> read_sparse_palette(mil_call& c) {
    const known_tensor& mask = c.known("indices_mask");
    const known_tensor& kept = c.known("indices_nonzero_data");
    const palette_table t = table_of(c, mask.shape);
    const int bits = bits_of_table(c, t.entries);
    c.ignore("vector_axis");
    if (t.vector != 1) {
        c.refuse("has a sparse palette of vectors");
    }
    const block_index group(c, mask.shape, t.groups, "a table");
    const auto value = [&](std::int64_t i, std::int64_t k) {
        return t.lut->at(group(i) * t.entries + std::min(static_cast<std::int64_t>(kept.at(k)), t.entries - 1));
    };
    return kept_elements(c, mask, kept, value, compression{.form = weight_form::sparse_palette, .bits = bits});
}

ANEMONE_INLINE std::vector<mil_value> read_sparse_blockwise(mil_call& c) {
    const known_tensor& mask = c.known("data_mask");
    const known_tensor& kept = c.known("nonzero_data");
    const known_tensor& scale = c.known("scale");
    const known_tensor* const offset = c.has("offset") ? &c.known("offset") : nullptr;
    if (offset != nullptr && offset->shape != scale.shape) {
        c.refuse(formatted("has offsets {} and scales {}", print(offset->shape), print(scale.shape)));
    }
    const block_index at(c, mask.shape, scale.shape, "scales");
    const auto value = [&](std::int64_t i, std::int64_t k) {
        const std::int64_t b = at(i);
        return scale.at(b) * (kept.at(k) - (offset == nullptr ? 0 : offset->at(b)));
    };
    const int bits = facts_of(kept.type).bits;
    compression form{.form = weight_form::sparse_blockwise, .bits = bits, .zero_point = offset != nullptr};
    const std::int64_t row = mask.shape.rank > 0 ? mask.count() / mask.shape[0] : 0;
    const std::int64_t length = mask.count() / std::max<std::int64_t>(scale.count(), 1);
    form.block = length == row ? 0 : static_cast<int>(std::min<std::int64_t>(length, 1 << 30));
    std::vector<mil_value> both = kept_elements(c, mask, kept, value, form);
    both[1].has_blocks = are_of_blocks(scale.shape, mask.shape);
    return both;
}

ANEMONE_INLINE std::vector<mil_value> read_constexpr_cast(mil_call& c) {
    c.word("output_dtype", "");
    return c.result(c.value("source_val"));
}

/// Parameters as the graph takes them: one number, or a vector along the axis.
ANEMONE_INLINE dynamic_tensor scale_of(mil_call& c, std::string_view argument) {
    const dynamic_tensor t = c.tensor(argument);
    return t.shape().count() == 1 ? c.reshape(t, {}) : t;
}

ANEMONE_INLINE int quantized_axis(mil_call& c, const extents& x) {
    return c.has("axis") ? c.axis_of(c.integer("axis"), x.rank) : 0;
}

ANEMONE_INLINE std::vector<mil_value> read_quantize(mil_call& c) {
    const dynamic_tensor x = c.tensor("input");
    const std::string type = c.word("output_dtype", "");
    if (type != "int8" && type != "uint8") {
        c.refuse(formatted("output_dtype must be int8 or uint8, not {}", type));
    }
    const quantization q{.type = type == "int8" ? dtype::int8 : dtype::uint8, .axis = quantized_axis(c, x.shape())};
    std::vector<dynamic_tensor> operands{x, scale_of(c, "scale")};
    if (c.has("zero_point")) {
        operands.push_back(scale_of(c, "zero_point"));
    }
    return c.result(c.add(op::quantize, operands, q), q.type == dtype::int8 ? element_type::int8 : element_type::uint8);
}

/// Of a constant it is a weight, of bytes the operation; of other integers, which are fp16 here, a subtraction and a
/// product.
ANEMONE_INLINE std::vector<mil_value> read_dequantize(mil_call& c) {
    const dynamic_tensor q = c.raw("input");
    const int along = quantized_axis(c, q.shape());
    const dynamic_tensor scale = scale_of(c, "scale");
    if (q.type() == dtype::int8 || q.type() == dtype::uint8) {
        std::vector<dynamic_tensor> operands{q, scale};
        if (c.has("zero_point")) {
            operands.push_back(scale_of(c, "zero_point"));
        }
        return c.result(c.add(op::dequantize, operands, quantization{.type = q.type(), .axis = along}));
    }
    const auto along_axis = [&](const dynamic_tensor& v) {
        extents shape;
        for (int i = 0; i < q.shape().rank; ++i) {
            shape.append(i == along ? v.shape().count() : 1);
        }
        return v.shape().rank == 0 ? v : c.reshape(v, shape);
    };
    const dynamic_tensor x = c.has("zero_point") ? c.add(op::sub, {q, along_axis(scale_of(c, "zero_point"))}) : q;
    return c.result(c.add(op::mul, {x, along_axis(scale)}));
}

ANEMONE_INLINE void add_weights(statement_table& t) {
    t.insert({
        {"const", read_const},
        {"constexpr_affine_dequantize", read_affine_dequantize},
        {"constexpr_blockwise_shift_scale", read_blockwise},
        {"constexpr_lut_to_dense", read_palette},
        {"constexpr_sparse_to_dense", read_sparse},
        {"constexpr_lut_to_sparse", read_sparse_palette},
        {"constexpr_sparse_blockwise_shift_scale", read_sparse_blockwise},
        {"constexpr_cast", read_constexpr_cast},
        {"quantize", read_quantize},
        {"dequantize", read_dequantize},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
