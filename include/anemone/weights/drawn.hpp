#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../graph/op_facet.hpp"
#include "../numerics/random.hpp"
#include "../values/contract.hpp"
#include "../values/half.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Random tensors for a graph: what each should be drawn from, by what reads it, and the drawing.
namespace ane::detail::inline ANEMONE_WAY {

/// What the elements of a weight or an input are drawn from.
struct drawn {
    double low = -1;
    double high = 1;
    bool whole = false; ///< whole numbers only
};

inline constexpr drawn drawn_scale{.low = 0.5, .high = 1.5};
inline constexpr drawn drawn_offset{.low = -0.1, .high = 0.1};

/// The first node that reads each node, and as which operand; -1 where none does.
struct first_reader {
    int node = -1;
    int position = 0;
};
ANEMONE_INLINE std::vector<first_reader> first_readers(const graph_view& g) {
    std::vector<first_reader> all(g.nodes.size());
    for (int i = g.size() - 1; i >= 0; --i) {
        for (int k = g[i].operands.count - 1; k >= 0; --k) {
            all[static_cast<std::size_t>(g.operands(i)[static_cast<std::size_t>(k)])] = {i, k};
        }
    }
    return all;
}

inline constexpr op_set rectifiers{op::relu,         op::relu6, op::leaky_relu, op::thresholded_relu,
                                   op::clamped_relu, op::elu,   op::gelu,       op::gelu_sigmoid,
                                   op::silu,         op::prelu};

/// The weight of the product `product`, each of whose results adds up `terms` products.
ANEMONE_INLINE drawn drawn_for_product(const graph_view& g, const std::vector<first_reader>& readers, int product,
                                       double terms) {
    int next = readers[static_cast<std::size_t>(product)].node;
    if (next >= 0 && (g[next].kind == op::add || g[next].kind == op::batch_norm)) {
        next = readers[static_cast<std::size_t>(next)].node;
    }
    const double power = next >= 0 && rectifiers.contains(g[next].kind) ? 6 : 3;
    const double width = std::sqrt(power / std::max(terms, 1.0));
    return {.low = -width, .high = width};
}

/// Indices of `extent` places.
ANEMONE_INLINE drawn drawn_index(std::int64_t extent) {
    return {.low = 0, .high = static_cast<double>(std::clamp<std::int64_t>(extent, 1, 2048) - 1), .whole = true};
}

inline constexpr op_set arithmetic{op::add, op::sub, op::mul, op::div};
inline constexpr op_set rearrangements{op::reshape, op::transpose, op::concat,   op::slice,     op::strided_slice,
                                       op::tile,    op::reverse,   op::identity, op::compressed};

/// Whether a node passes on the elements of this operand, so that its own reader decides what they mean.
ANEMONE_INLINE bool hands_on(const graph_view& g, const first_reader& by) {
    const node& n = g[by.node];
    if (arithmetic.contains(n.kind)) {
        return g.operand(n, 1 - by.position).kind == op::constant;
    }
    return rearrangements.contains(n.kind);
}

/// A value that is to be drawn, and where it is read first.
struct drawing_site {
    const graph_view& g;
    const std::vector<first_reader>& readers;
    const first_reader by;
    const extents& shape; ///< of the value

    const node& reader() const { return g[by.node]; }
    const extents& x() const { return g.operand(reader(), 0).shape; }
    drawn product(double terms) const { return drawn_for_product(g, readers, by.node, terms); }
};

ANEMONE_INLINE drawn drawn_for_convolution(const drawing_site& s) {
    const std::int64_t terms = s.shape.count() / s.shape[0];
    return s.by.position == 1 ? s.product(static_cast<double>(terms)) : s.by.position == 2 ? drawn_offset : drawn{};
}

ANEMONE_INLINE drawn drawn_for_transposed_convolution(const drawing_site& s) {
    const conv_transpose& a = s.reader().get<conv_transpose>();
    const std::int64_t channels = s.shape[0] / a.groups;
    const double overlap = static_cast<double>(s.shape.height() * s.shape.width()) / (a.stride.height * a.stride.width);
    return s.by.position == 1   ? s.product(static_cast<double>(channels) * std::max(overlap, 1.0))
           : s.by.position == 2 ? drawn_offset
                                : drawn{};
}

ANEMONE_INLINE drawn drawn_for_linear(const drawing_site& s) {
    return s.by.position == 1   ? s.product(static_cast<double>(s.shape.width()))
           : s.by.position == 2 ? drawn_offset
                                : drawn{};
}

ANEMONE_INLINE drawn drawn_for_matmul(const drawing_site& s) {
    const transposed& a = s.reader().get<transposed>();
    const bool turned = s.by.position == 0 ? !a.a : a.b;
    return s.product(static_cast<double>(turned ? s.shape.width() : s.shape.height()));
}

ANEMONE_INLINE drawn drawn_for_norm(const drawing_site& s) {
    return s.by.position == 1 ? drawn_scale : s.by.position == 2 ? drawn_offset : drawn{};
}

ANEMONE_INLINE drawn drawn_for_quantization(const drawing_site& s) {
    return s.by.position == 1   ? drawn{.low = 0.0078125, .high = 0.015625}
           : s.by.position == 2 ? drawn{.low = 0, .high = 0, .whole = true}
                                : drawn{};
}

ANEMONE_INLINE drawn drawn_for_gather(const drawing_site& s) {
    return s.by.position == 1 ? drawn_index(s.x()[s.reader().get<axis>().index]) : drawn{};
}

ANEMONE_INLINE drawn drawn_for_gather_nd(const drawing_site& s) {
    std::int64_t least = 2048;
    for (int i = 0; i < s.shape.width() && i < s.x().rank; ++i) {
        least = std::min(least, s.x()[i]);
    }
    return s.by.position == 1 ? drawn_index(least) : drawn{};
}

ANEMONE_INLINE drawn drawn_for_dynamic_slice(const drawing_site& s) {
    std::int64_t places = 2048;
    for (int i = 0; i < s.x().rank; ++i) {
        const std::int64_t spare = s.x()[i] - s.reader().get<window>().size[i];
        places = spare > 0 ? std::min(places, spare + 1) : places;
    }
    return s.by.position == 1 ? drawn_index(places == 2048 ? 1 : places) : drawn{};
}

using drawing_rule = drawn (*)(const drawing_site& s);
inline constexpr drawing_rule as_scale = [](const drawing_site&) { return drawn_scale; };
inline constexpr drawing_rule as_offset = [](const drawing_site&) { return drawn_offset; };

/// What operations want to read; null for the others, which take anything. (Within a function, because a table would
/// compile all rules wherever it is seen.)
ANEMONE_INLINE drawing_rule drawing_rule_of(op kind) {
    static constexpr op_facet<drawing_rule> rules{
        {op::conv2d, drawn_for_convolution},
        {op::conv_transpose2d, drawn_for_transposed_convolution},
        {op::linear, drawn_for_linear},
        {op::matmul, drawn_for_matmul},
        {op::batch_norm,
         [](const drawing_site& s) { return s.by.position == 2 || s.by.position == 3 ? drawn_scale : drawn_offset; }},
        {op::layer_norm, drawn_for_norm},
        {op::instance_norm, drawn_for_norm},
        {op::group_norm, drawn_for_norm},
        {op::rms_norm, drawn_for_norm},
        {op::prelu, [](const drawing_site& s) { return s.by.position == 1 ? drawn{.low = 0, .high = 0.5} : drawn{}; }},
        {op::parametric_softplus, as_scale},
        {op::pow, as_scale},
        {op::add, as_offset},
        {op::sub, as_offset},
        {op::mul, as_scale},
        {op::div, [](const drawing_site& s) { return s.by.position == 1 ? drawn_scale : drawn{}; }},
        {op::sqrt, as_scale},
        {op::rsqrt, as_scale},
        {op::log, as_scale},
        {op::inverse, as_scale},
        {op::quantize, drawn_for_quantization},
        {op::dequantize, drawn_for_quantization},
        {op::gather, drawn_for_gather},
        {op::gather_along_axis, drawn_for_gather},
        {op::gather_nd, drawn_for_gather_nd},
        {op::gather_hw,
         [](const drawing_site& s) {
             return s.by.position == 1 ? drawn_index(std::min(s.x().height(), s.x().width())) : drawn{};
         }},
        {op::dynamic_slice, drawn_for_dynamic_slice}};
    return rules[kind];
}

/// What the value of node `index` should be drawn from, by what its first reader does with it.
ANEMONE_INLINE drawn drawn_for(const graph_view& g, const std::vector<first_reader>& readers, int index) {
    first_reader by = readers[static_cast<std::size_t>(index)];
    while (by.node >= 0 && hands_on(g, by)) {
        index = by.node;
        by = readers[static_cast<std::size_t>(index)];
    }
    const drawing_rule rule = by.node >= 0 ? drawing_rule_of(g[by.node].kind) : nullptr;
    return rule != nullptr ? rule({g, readers, by, g[index].shape}) : drawn{};
}

/// A nearby number of 24 bits, not larger in magnitude: products of two such numbers are exact, so it does not matter
/// whether a compiler fuses them with an addition.
ANEMONE_INLINE double shortened(double x) {
    const auto near = static_cast<float>(x);
    const bool beyond = std::fabs(static_cast<double>(near)) > std::fabs(x);
    return static_cast<double>(beyond ? std::nextafter(near, 0.0F) : near);
}

/// An fp16 value, the nearest that is finite.
ANEMONE_INLINE double finite_half(double x) { return static_cast<double>(half(std::clamp(x, -half_max, half_max))); }

/// The interval of fp16 values that a tensor is drawn from: what is usual, as far as its promise allows it.
ANEMONE_INLINE drawn allowed(drawn usual, const contract& promise) {
    if (promise.deviation > 0 && !usual.whole) {
        const double width = std::sqrt(3.0) * promise.deviation;
        usual = {.low = -width, .high = width};
    }
    const double low = finite_half(promise.low);
    const double high = finite_half(promise.high);
    drawn kept{.low = std::max(finite_half(usual.low), low),
               .high = std::min(finite_half(usual.high), high),
               .whole = usual.whole};
    if (kept.whole) {
        kept.low = std::ceil(kept.low);
        kept.high = std::floor(kept.high);
    }
    return kept.low <= kept.high ? kept : drawn{.low = low, .high = high};
}

/// A number of a text, to draw from a stream of its own (FNV-1a).
ANEMONE_INLINE std::uint64_t number_of(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    }
    return hash;
}

/// One value for each element; `zeros` of them are zero.
ANEMONE_INLINE std::vector<half> draw(std::size_t count, const drawn& from, double zeros, std::uint64_t stream,
                                      std::uint64_t seed) {
    const auto low_word = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high_word = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
    std::vector<half> values(count);
    std::array<std::uint32_t, 4> words{};
    const double span = shortened(from.high - from.low);
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 4 == 0) {
            words = numerics::philox({low_word(i / 4), high_word(i / 4), low_word(stream), high_word(stream)},
                                     {low_word(seed), high_word(seed)});
        }
        const std::uint32_t word = words[i % 4];
        const double u = static_cast<double>(word >> 8U) * 0x1p-24; // 24 bits: its product with the span is exact
        if (from.whole) {
            values[i] = half(from.low + std::floor((span + 1) * u));
        } else if (static_cast<double>(word & 0xFFU) >= zeros * 256) {
            values[i] = half(from.low + span * u);
        }
    }
    return values;
}

} // namespace ane::detail::inline ANEMONE_WAY
