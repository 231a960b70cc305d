#pragma once

#include "mil_shapes.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The shape rules of layers: what is normalised, rearranged, sampled, quantised or ranked.
namespace ane::standin::shapes {

inline const dimensions& image(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    if (x.size() != 4) {
        bad(n, "x must have rank 4");
    }
    return x;
}

inline void expect_word(const program& p, const node& n, const char* argument, const std::string& wanted) {
    if (p.text(n, argument) != wanted) {
        bad(n, std::string(argument) + " '" + p.text(n, argument) + "' is not " + wanted);
    }
}

inline dimensions select(const program& p, const node& n) {
    return broadcast(n, p.shape(p.id(n, "cond")), broadcast(n, p.shape(p.id(n, "a")), p.shape(p.id(n, "b"))));
}

inline void expect_vector(const program& p, const node& n, const char* argument, std::int64_t length) {
    if (p.has(n, argument) && p.shape(p.id(n, argument)) != dimensions{length}) {
        bad(n, std::string(argument) + " does not have " + std::to_string(length) + " entries");
    }
}

inline dimensions per_channel(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    if (x.size() < 3) {
        bad(n, "x must have rank 3 or more");
    }
    expect_vector(p, n, "alpha", x[1]);
    expect_vector(p, n, "beta", x[1]);
    return x;
}

inline dimensions normalized(const program& p, const node& n) {
    if (n.rule->kind == op::layer_norm) {
        const dimensions& x = p.shape(p.id(n, "x"));
        const auto over = axes(n, p.integers(n, "axes"), x.size());
        if (over.size() != 1) {
            bad(n, "one axis is modelled");
        }
        expect_vector(p, n, "gamma", x[over.front()]);
        expect_vector(p, n, "beta", x[over.front()]);
        return x;
    }
    const dimensions& x = image(p, n);
    if (n.rule->kind == op::instance_norm) {
        expect_vector(p, n, "gamma", x[1]);
        expect_vector(p, n, "beta", x[1]);
    } else if (p.integer(n, "size") < 1) {
        bad(n, "size must be 1 or more");
    }
    return x;
}

inline dimensions attention(const program& p, const node& n) {
    const dimensions& q = p.shape(p.id(n, "query"));
    const dimensions& k = p.shape(p.id(n, "key"));
    if (q.size() < 3 || k.size() != q.size() || p.shape(p.id(n, "value")) != k || q.back() != k.back() ||
        !std::equal(q.begin(), q.end() - 2, k.begin())) {
        bad(n, "query, key and value do not fit");
    }
    dimensions scores = q;
    scores.back() = k[k.size() - 2];
    if (p.has(n, "attn_mask") && broadcast(n, p.shape(p.id(n, "attn_mask")), scores) != scores) {
        bad(n, "attn_mask does not have the shape of the scores");
    }
    return q;
}

/// The factors of an operation on blocks of pixels.
inline dimensions factors(const program& p, const node& n) {
    for (const char* const one : {"upscale_factor", "downscale_factor", "block_size"}) {
        if (p.has(n, one)) {
            return {p.integer(n, one), p.integer(n, one)};
        }
    }
    expect_integers(p, n, "block_shape", 2, 1);
    for (const char* const border : {"paddings", "crops"}) {
        if (p.has(n, border)) {
            const auto& amounts = p.integers(n, border);
            if (amounts.size() != 4 || std::any_of(amounts.begin(), amounts.end(), [](auto a) { return a != 0; })) {
                bad(n, std::string(border) + " other than zeros are not modelled");
            }
        }
    }
    return p.integers(n, "block_shape");
}

inline dimensions sliced_by_index(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "x"));
    for (const char* const mask : {"begin_mask", "end_mask", "squeeze_mask"}) {
        const auto& flags = p.integers(n, mask);
        if (flags.size() != x.size() || std::any_of(flags.begin(), flags.end(), [](auto f) { return f != 0; })) {
            bad(n, std::string(mask) + " must be false for each axis");
        }
    }
    const auto& begin = p.integers(n, "begin");
    const auto& end = p.integers(n, "end");
    const auto& stride = p.integers(n, "stride");
    if (begin.size() != x.size() || end.size() != x.size() || stride.size() != x.size()) {
        bad(n, "begin, end and stride must have one entry per axis");
    }
    dimensions result;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (stride[i] < 1 || begin[i] < 0 || end[i] <= begin[i] || end[i] > x[i]) {
            bad(n, "begin, end and stride do not fit axis " + std::to_string(i));
        }
        result.push_back((end[i] - begin[i] + stride[i] - 1) / stride[i]);
    }
    return result;
}

inline dimensions rearranged(const program& p, const node& n) {
    if (n.rule->kind == op::strided_slice) {
        return sliced_by_index(p, n);
    }
    dimensions x = p.shape(p.id(n, "x"));
    if (n.rule->kind == op::reverse) {
        static_cast<void>(axes(n, p.integers(n, "axes"), x.size()));
        return x;
    }
    if (n.rule->kind == op::tile) {
        expect_integers(p, n, "reps", x.size(), 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] *= p.integers(n, "reps")[i];
        }
        return x;
    }
    static_cast<void>(image(p, n));
    const dimensions by = factors(p, n);
    const bool batch = n.rule->kind == op::space_to_batch || n.rule->kind == op::batch_to_space;
    std::int64_t& packed = x[batch ? 0 : 1];
    const bool outwards =
        n.rule->kind == op::pixel_shuffle || n.rule->kind == op::depth_to_space || n.rule->kind == op::batch_to_space;
    const bool fits = outwards ? packed % (by[0] * by[1]) == 0 : x[2] % by[0] == 0 && x[3] % by[1] == 0;
    if (by[0] < 1 || by[1] < 1 || !fits) {
        bad(n, "the factors do not divide x");
    }
    packed = outwards ? packed / (by[0] * by[1]) : packed * by[0] * by[1];
    x[2] = outwards ? x[2] * by[0] : x[2] / by[0];
    x[3] = outwards ? x[3] * by[1] : x[3] / by[1];
    return x;
}

inline dimensions resized(const program& p, const node& n) {
    dimensions x = image(p, n);
    if (n.rule->name == "upsample_nearest_neighbor") {
        x[2] *= p.integer(n, "scale_factor_height");
        x[3] *= p.integer(n, "scale_factor_width");
        return x;
    }
    if (n.rule->name == "resize_bilinear") {
        const std::string& mode = p.text(n, "sampling_mode");
        if (mode != "DEFAULT" && mode != "ALIGN_CORNERS" && mode != "UNALIGN_CORNERS") {
            bad(n, "sampling_mode '" + mode + "' is not modelled");
        }
    }
    return {x[0], x[1], p.integer(n, "target_size_height"), p.integer(n, "target_size_width")};
}

inline dimensions mapped(const program& p, const node& n) {
    const dimensions& x = image(p, n);
    expect_word(p, n, "sampling_mode", "bilinear");
    expect_word(p, n, "padding_mode", "constant");
    expect_word(p, n, "coordinates_mode", "normalized_minus_one_to_one");
    const dimensions& matrix = p.shape(p.id(n, "transform_matrix"));
    if (matrix.size() != 2 || matrix[1] != 6 || (matrix[0] != 1 && matrix[0] != x[0])) {
        bad(n, "transform_matrix must be [N, 6] or [1, 6]");
    }
    if (p.number(n, "padding_value").bits != 0) {
        bad(n, "a padding_value other than 0 is not modelled");
    }
    return {x[0], x[1], p.integer(n, "output_height"), p.integer(n, "output_width")};
}

inline dimensions quantized(const program& p, const node& n) {
    const dimensions& x = p.shape(p.id(n, "input"));
    const dimensions& scale = p.shape(p.id(n, "scale"));
    if (scale.empty() == p.has(n, "axis")) {
        bad(n, "axis is given with a vector of scales, and only then");
    }
    if (!scale.empty() && scale != dimensions{x[axis(n, p.integer(n, "axis"), x.size())]}) {
        bad(n, "scale must have one entry per index of the axis");
    }
    if (p.has(n, "output_dtype") && p.text(n, "output_dtype") != "int8" && p.text(n, "output_dtype") != "uint8") {
        bad(n, "output_dtype must be int8 or uint8");
    }
    if (p.has(n, "zero_point")) {
        const value& zero = p.at(p.id(n, "zero_point"));
        const element type = p.has(n, "output_dtype")
                                 ? (p.text(n, "output_dtype") == "uint8" ? element::uint8 : element::int8)
                                 : p.at(p.id(n, "input")).type.type;
        if (zero.type != tensor_type{type, scale}) {
            bad(n, "zero_point must have the type of the integers and the shape of scale");
        }
    }
    return x;
}

inline std::vector<dimensions> top_k(const program& p, const node& n) {
    dimensions x = p.shape(p.id(n, "x"));
    const std::size_t along = axis(n, p.integer(n, "axis"), x.size());
    expect_word(p, n, "output_indices_dtype", "int32");
    if (p.integer(n, "k") < 1 || p.integer(n, "k") > x[along] || !p.flag(n, "sort")) {
        bad(n, "k of " + std::to_string(p.integer(n, "k")) + ", or without sort");
    }
    x[along] = p.integer(n, "k");
    return std::vector<dimensions>(p.flag(n, "return_indices") ? 2 : 1, x);
}

/// Each index stands for as many elements of the vector axis as an entry of the table has.
inline dimensions of_palette(const program& p, const node& n) {
    dimensions shape = p.shape(p.id(n, "indices"));
    const std::int64_t vector = p.shape(p.id(n, "lut")).empty() ? 1 : p.shape(p.id(n, "lut")).back();
    if (p.has(n, "vector_axis") != (vector > 1)) {
        bad(n, "vector_axis is given with a table of vectors, and only then");
    }
    if (vector > 1) {
        shape[axis(n, p.integer(n, "vector_axis"), shape.size())] *= vector;
    }
    return shape;
}

/// The elements that a mask keeps.
inline dimensions kept(const program& p, const node& n, const char* mask) {
    const auto& bits = p.integers(n, mask);
    return {std::count_if(bits.begin(), bits.end(), [](auto b) { return b != 0; })};
}

} // namespace ane::standin::shapes
