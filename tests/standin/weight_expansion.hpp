#pragma once

#include "indexing.hpp"
#include "mil_layer_shapes.hpp"
#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::standin {

/// The dense fp16 weights behind a compressed form (facts: weights, sections 2 and 3), each product rounded once.
namespace expansion {

inline std::vector<std::int64_t> coordinates(std::int64_t linear, const dimensions& shape) {
    std::vector<std::int64_t> result(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        result[i] = linear % shape[i];
        linear /= shape[i];
    }
    return result;
}

inline half scaled(std::int64_t quantized, half scale) {
    return half(static_cast<double>(quantized) * static_cast<double>(scale));
}

/// scale[axis] * (data - zero point); A13 takes no zero point but 0.
inline std::vector<half> affine(const program& p, const node& n) {
    const value& data = p.at(p.id(n, "quantized_data"));
    const value& zero = p.at(p.id(n, "zero_point"));
    const value& scale = p.at(p.id(n, "scale"));
    if ((data.type.type != element::int8 && data.type.type != element::uint8) || zero.type.type != data.type.type) {
        shapes::bad(n, "quantized_data must be int8 or uint8, and zero_point of the same type");
    }
    for (const std::int64_t z : zero.data->integers) {
        if (z != 0 && !at_least(p.built_for.generation, family::a14)) {
            shapes::bad(n, "zero_point " + std::to_string(z) + " is not 0");
        }
    }
    const dimensions& shape = data.type.shape;
    const std::size_t along = shapes::axis(n, p.integer(n, "axis"), shape.size());
    const bool per_tensor = scale.type.shape.empty();
    if (!per_tensor && scale.type.shape != dimensions{shape[along]}) {
        shapes::bad(n, "scale must have one entry per slice of the axis");
    }
    if (!zero.type.shape.empty() && zero.type.shape != scale.type.shape) {
        shapes::bad(n, "zero_point must be a scalar or have the shape of scale");
    }
    std::vector<half> result(data.data->integers.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto where = coordinates(static_cast<std::int64_t>(i), shape);
        const std::size_t slot = per_tensor ? 0 : static_cast<std::size_t>(where[along]);
        const std::int64_t shift = zero.data->integers[zero.type.shape.empty() ? 0 : slot];
        result[i] = scaled(data.data->integers[i] - shift, scale.data->halves[slot]);
    }
    return result;
}

/// The integers of signed weights whose scales lie along the first axis, and these, one for each index; none of others.
inline void keep_codes(const program& p, const node& n, value& to) {
    const value& data = p.at(p.id(n, "quantized_data"));
    const std::vector<half>& scale = p.data(n, "scale").halves;
    const dimensions& shape = data.type.shape;
    const bool by_channel = scale.size() == 1 || shapes::axis(n, p.integer(n, "axis"), shape.size()) == 0;
    for (const std::int64_t z : p.integers(n, "zero_point")) {
        if (z != 0) {
            return;
        }
    }
    if (data.type.type != element::int8 || !by_channel) {
        return;
    }
    for (const std::int64_t q : data.data->integers) {
        to.codes.emplace_back(static_cast<double>(q));
    }
    for (std::int64_t c = 0; c < shape[0]; ++c) {
        to.scales.push_back(scale[scale.size() == 1 ? 0 : static_cast<std::size_t>(c)]);
    }
}

/// 4-bit and 8-bit indices everywhere, the others from A14.
inline void expect_indices(const program& p, const node& n, element type) {
    const bool later =
        type == element::uint1 || type == element::uint2 || type == element::uint3 || type == element::uint6;
    if (type != element::uint4 && type != element::uint8 && !(later && at_least(p.built_for.generation, family::a14))) {
        shapes::bad(n, "indices of type " + std::string(name(type)) + " are not accepted");
    }
}

/// lut[group of the element][index][place in the vector].
inline std::vector<half> palette(const program& p, const node& n) {
    const value& indices = p.at(p.id(n, "indices"));
    const value& lut = p.at(p.id(n, "lut"));
    expect_indices(p, n, indices.type.type);
    const dimensions& shape = indices.type.shape;
    const dimensions& table = lut.type.shape;
    const std::int64_t entries = std::int64_t{1} << bits(indices.type.type);
    if (table.size() != shape.size() + 2 || table[shape.size()] != entries) {
        shapes::bad(n, "lut must have two axes more than indices, ending in " + std::to_string(entries) + ", 1");
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] % table[d] != 0) {
            shapes::bad(n, "a lut axis does not divide that of indices");
        }
    }
    const std::int64_t vector = table.back();
    const std::size_t along = vector > 1 ? shapes::axis(n, p.integer(n, "vector_axis"), shape.size()) : 0;
    const dimensions whole = shapes::of_palette(p, n);
    const dimensions strides = strides_of(shape);
    std::vector<half> result(static_cast<std::size_t>(element_count(whole)));
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto where = coordinates(static_cast<std::int64_t>(i), whole);
        const std::int64_t place = where[along] % vector;
        where[along] /= vector;
        std::int64_t group = 0;
        std::int64_t from = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            group = group * table[d] + where[d] / (shape[d] / table[d]);
            from += where[d] * strides[d];
        }
        const std::int64_t index = indices.data->integers[static_cast<std::size_t>(from)];
        result[i] = lut.data->halves[static_cast<std::size_t>((group * entries + index) * vector + place)];
    }
    return result;
}

/// The kept values of a sparse palette with one table.
inline std::vector<half> sparse_palette(const program& p, const node& n) {
    const value& indices = p.at(p.id(n, "indices_nonzero_data"));
    const value& lut = p.at(p.id(n, "lut"));
    expect_indices(p, n, indices.type.type);
    if (p.at(p.id(n, "indices_mask")).type.type != element::uint1 ||
        indices.type.shape != shapes::kept(p, n, "indices_mask")) {
        shapes::bad(n, "indices_mask must be uint1 and keep as many elements as there are indices");
    }
    if (element_count(lut.type.shape) != std::int64_t{1} << bits(indices.type.type)) {
        shapes::bad(n, "several tables, and vectors, are not modelled");
    }
    std::vector<half> result;
    for (const std::int64_t index : indices.data->integers) {
        result.push_back(lut.data->halves[static_cast<std::size_t>(index)]);
    }
    return result;
}

inline std::vector<half> sparse(const program& p, const node& n) {
    const value& mask = p.at(p.id(n, "mask"));
    const std::vector<half>& kept = p.data(n, "nonzero_data").halves;
    if (mask.type.type != element::uint1) {
        shapes::bad(n, "mask must be uint1");
    }
    std::vector<half> result(mask.data->integers.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (mask.data->integers[i] != 0) {
            if (next == kept.size()) {
                shapes::bad(n, "mask keeps more than the " + std::to_string(kept.size()) + " values given");
            }
            result[i] = kept[next++];
        }
    }
    if (next != kept.size()) {
        shapes::bad(n, "mask keeps " + std::to_string(next) + " of " + std::to_string(kept.size()) + " values");
    }
    return result;
}

/// scale[block] (data - offset[block]); of a sparse weight the data are the kept elements.
inline std::vector<half> blockwise(const program& p, const node& n) {
    const bool masked = n.rule->act == action::sparse_blockwise_weight;
    const value& data = p.at(p.id(n, masked ? "nonzero_data" : "data"));
    const value& scale = p.at(p.id(n, "scale"));
    const dimensions& shape = masked ? p.shape(p.id(n, "data_mask")) : data.type.shape;
    const dimensions& blocks = scale.type.shape;
    if (data.type.type != element::int8 && data.type.type != element::uint8 && data.type.type != element::int4 &&
        data.type.type != element::uint4) {
        shapes::bad(n, "data must be 4-bit or 8-bit integers");
    }
    if (masked && data.type.shape != shapes::kept(p, n, "data_mask")) {
        shapes::bad(n, "data_mask does not keep as many elements as there are");
    }
    if (blocks.size() != shape.size()) {
        shapes::bad(n, "data and scale differ in rank");
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] % blocks[d] != 0) {
            shapes::bad(n, "a scale axis does not divide that of data");
        }
    }
    const bool shifted = p.has(n, "offset");
    if (shifted && (p.shape(p.id(n, "offset")) != blocks || p.at(p.id(n, "offset")).type.type != data.type.type)) {
        shapes::bad(n, "offset must have the shape of scale and the type of data");
    }
    std::vector<half> result;
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
        if (masked && p.integers(n, "data_mask")[static_cast<std::size_t>(i)] == 0) {
            continue;
        }
        const auto where = coordinates(i, shape);
        std::int64_t block = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            block = block * blocks[d] + where[d] / (shape[d] / blocks[d]);
        }
        const auto slot = static_cast<std::size_t>(block);
        const std::int64_t shift = shifted ? p.integers(n, "offset")[slot] : 0;
        result.push_back(scaled(data.data->integers[result.size()] - shift, scale.data->halves[slot]));
    }
    return result;
}

} // namespace expansion

inline bool is_weight_form(action act) { return act >= action::affine_weight; }

inline std::vector<half> expanded_weight(const program& p, const node& n) {
    switch (n.rule->act) {
    case action::affine_weight: return expansion::affine(p, n);
    case action::palette_weight: return expansion::palette(p, n);
    case action::sparse_weight: return expansion::sparse(p, n);
    case action::sparse_palette_weight: return expansion::sparse_palette(p, n);
    default: return expansion::blockwise(p, n);
    }
}

} // namespace ane::standin
