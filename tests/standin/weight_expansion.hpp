#pragma once

#include "mil_shapes.hpp"
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

/// scale[axis] * data; the zero point must be 0, since A13 takes no other.
inline std::vector<half> affine(const program& p, const node& n) {
    const value& data = p.at(p.id(n, "quantized_data"));
    const value& zero = p.at(p.id(n, "zero_point"));
    const value& scale = p.at(p.id(n, "scale"));
    if ((data.type.type != element::int8 && data.type.type != element::uint8) || zero.type.type != data.type.type) {
        shapes::bad(n, "quantized_data must be int8 or uint8, and zero_point of the same type");
    }
    for (const std::int64_t z : zero.data->integers) {
        if (z != 0) {
            shapes::bad(n, "zero_point " + std::to_string(z) + " is not 0");
        }
    }
    const dimensions& shape = data.type.shape;
    const std::size_t along = shapes::axis(n, p.integer(n, "axis"), shape.size());
    const bool per_tensor = scale.type.shape.empty();
    if (!per_tensor && scale.type.shape != dimensions{shape[along]}) {
        shapes::bad(n, "scale must have one entry per slice of the axis");
    }
    std::vector<half> result(data.data->integers.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto where = coordinates(static_cast<std::int64_t>(i), shape);
        const std::size_t slot = per_tensor ? 0 : static_cast<std::size_t>(where[along]);
        result[i] = scaled(data.data->integers[i], scale.data->halves[slot]);
    }
    return result;
}

/// lut[group of the element][index]; 4-bit and 8-bit indices everywhere, 6-bit and 3-bit from A14, vectors of one.
inline std::vector<half> palette(const program& p, const node& n) {
    const value& indices = p.at(p.id(n, "indices"));
    const value& lut = p.at(p.id(n, "lut"));
    const element type = indices.type.type;
    const bool narrow = type == element::uint3 || type == element::uint6;
    if (type != element::uint4 && type != element::uint8 &&
        !(narrow && at_least(p.built_for.generation, family::a14))) {
        shapes::bad(n, "indices of type " + std::string(name(type)) + " are not accepted");
    }
    const dimensions& shape = indices.type.shape;
    const dimensions& table = lut.type.shape;
    const std::int64_t entries = std::int64_t{1} << bits(type);
    if (table.size() != shape.size() + 2 || table[shape.size()] != entries || table.back() != 1) {
        shapes::bad(n, "lut must have two axes more than indices, ending in " + std::to_string(entries) + ", 1");
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] % table[d] != 0) {
            shapes::bad(n, "a lut axis does not divide that of indices");
        }
    }
    std::vector<half> result(indices.data->integers.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto where = coordinates(static_cast<std::int64_t>(i), shape);
        std::int64_t group = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            group = group * table[d] + where[d] / (shape[d] / table[d]);
        }
        result[i] = lut.data->halves[static_cast<std::size_t>(group * entries + indices.data->integers[i])];
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

inline std::vector<half> blockwise(const program& p, const node& n) {
    const value& data = p.at(p.id(n, "data"));
    const value& scale = p.at(p.id(n, "scale"));
    const dimensions& shape = data.type.shape;
    const dimensions& blocks = scale.type.shape;
    if (data.type.type != element::int8 && data.type.type != element::uint8 && data.type.type != element::int4 &&
        data.type.type != element::uint4) {
        shapes::bad(n, "data must be 4-bit or 8-bit integers");
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
    std::vector<half> result(data.data->integers.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto where = coordinates(static_cast<std::int64_t>(i), shape);
        std::int64_t block = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            block = block * blocks[d] + where[d] / (shape[d] / blocks[d]);
        }
        const auto slot = static_cast<std::size_t>(block);
        const std::int64_t shift = shifted ? p.integers(n, "offset")[slot] : 0;
        result[i] = scaled(data.data->integers[i] - shift, scale.data->halves[slot]);
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
    default: return expansion::blockwise(p, n);
    }
}

} // namespace ane::standin
