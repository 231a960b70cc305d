#pragma once

#include "../analysis/convolution_geometry.hpp"
#include "products.hpp"

#include <optional>

/// Convolutions that a target refuses for the extent of their kernel or for their stride, in polyphase form: filters over
/// a signal, short-time Fourier transforms, patches of an image.
namespace ane::detail {

/// One axis of a convolution, `block` results at a time: with S = stride * block, the input as rows of S elements has S
/// channels more, a kernel of `taps` rows goes over them at stride 1, and gives `block` neighbouring results as channels.
/// y[block i + j] = sum_k w[k] x[stride (block i + j) + k] = sum_m sum_p w[S m + p - stride j] x[S (i + m) + p].
struct polyphase_axis {
    std::int64_t block = 1;
    std::int64_t step = 1; ///< S: elements of a row
    std::int64_t taps = 1; ///< rows that a kernel covers
    std::int64_t rows = 1; ///< of results

    constexpr std::int64_t kernel() const { return taps * step; }
    constexpr std::int64_t extent() const { return (rows + taps - 1) * step; }
};

inline constexpr std::int64_t most_polyphase_weights = std::int64_t{1} << 24; ///< elements, of one layer

/// The smallest block with which a kernel of `reach` elements becomes one of at most `most_taps` rows.
constexpr std::optional<polyphase_axis> polyphase_of(std::int64_t reach, std::int64_t stride, std::int64_t results,
                                                     std::int64_t most_taps) {
    if (results == 1) {
        return polyphase_axis{.step = reach}; // nothing strides
    }
    for (std::int64_t block = 1; block <= most_parts; ++block) {
        const std::int64_t step = stride * block;
        const std::int64_t taps = (reach + (block - 1) * stride + step - 1) / step;
        if (taps <= most_taps) {
            return polyphase_axis{block, step, taps, (results + block - 1) / block};
        }
    }
    return {};
}

/// The convolution at a node by axes 2 and 3; an axis that the target takes as it is has no form.
struct polyphase_layer {
    std::optional<polyphase_axis> axes[2];

    constexpr bool any() const { return axes[0].has_value() || axes[1].has_value(); }
};

constexpr polyphase_layer polyphase_layer_of(const graph_view& g, const node& n, const target_description& t) {
    polyphase_layer layer;
    if (n.kind != op::conv2d || g.operand(n, 1).kind == op::compressed || g.operand(n, 0).type != dtype::f16 ||
        n.shape.rank != 4 || !is_known_when_compiled(g, g.operands(n)[1])) {
        return layer;
    }
    const convolution_geometry c = geometry_of(g, n);
    const target_limits& most = t.limits;
    const bool is_large = c.kernel_width > most.kernel_width_fp16_small || c.kernel_height > most.kernel_height_small;
    const bool is_plain = !c.dilated() && (c.groups == 1 || c.depthwise()); // R036
    const auto form = [&](std::int64_t kernel, std::int64_t limit, std::int64_t small, int stride, int dilation,
                          std::int64_t results, bool only_small) {
        const bool is_refused = kernel > limit || stride_steps(stride, t) < 0 || (only_small && kernel > small);
        return is_refused ? polyphase_of((kernel - 1) * dilation + 1, stride, results, small) : std::nullopt;
    };
    const auto find = [&](bool only_small) {
        layer.axes[0] = form(c.kernel_height, most.kernel_height, most.kernel_height_small, c.stride.height,
                             c.dilation.height, n.shape[2], only_small);
        layer.axes[1] = form(c.kernel_width, most.kernel_width_fp16, most.kernel_width_fp16_small, c.stride.width,
                             c.dilation.width, n.shape[3], only_small);
    };
    find(is_large && !is_plain);
    if (layer.any() && c.groups > 1) {
        find(true); // one channel for each group becomes several, which a large kernel of the other axis does not take
    }
    const auto fits = [](std::int64_t count, std::int64_t factor, std::int64_t limit) {
        return factor <= limit && count <= limit / factor;
    };
    std::int64_t channels = c.in_channels, outputs = c.out_channels, weights = c.in_channels / c.groups;
    for (int k = 0; k < 2; ++k) {
        const auto& axis = layer.axes[k];
        const std::int64_t step = axis ? axis->step : 1, block = axis ? axis->block : 1;
        const std::int64_t kernel = axis ? axis->kernel() : (k == 0 ? c.kernel_height : c.kernel_width);
        if (!fits(channels, step, most.tensor_c) || !fits(outputs, block, most.tensor_c) ||
            !fits(weights, kernel, most_polyphase_weights)) {
            return {};
        }
        channels *= step;
        outputs *= block;
        weights *= kernel;
    }
    return fits(weights, outputs, most_polyphase_weights) ? layer : polyphase_layer{};
}

/// How many convolutions of a model a target refuses that have a polyphase form there.
constexpr int refused_convolutions(const graph_view& g, const target_description& t) {
    int refused = 0;
    for (const node& n : g.nodes) {
        refused += polyphase_layer_of(g, n, t).any() ? 1 : 0;
    }
    return refused;
}

/// Writes one convolution in polyphase form.
class polyphase_form {
public:
    constexpr polyphase_form(rewriter& w, const node& n, const polyphase_layer& layer) : w_(w), n_(n), layer_(layer) {}

    constexpr int make() {
        int x = padded_input();
        int weight = w_.operand(n_, 1);
        conv how = n_.get<conv>();
        std::int64_t block = 1;
        for (const int along : {3, 2}) {
            if (const auto& form = layer_.axes[along - 2]) {
                x = rows_as_channels(x, along, form->step);
                weight = rows_as_channels(shifted(weight, along, *form), along, form->step);
                block *= form->block;
                (along == 3 ? how.stride.width : how.stride.height) = 1;
                (along == 3 ? how.dilation.width : how.dilation.height) = 1;
            }
        }
        how.padding = outer_padding();
        int y = n_.operands.count == 3 ? w_.emit(op::conv2d, how, {x, weight, repeated_bias(block)})
                                       : w_.emit(op::conv2d, how, {x, weight});
        for (const int along : {2, 3}) {
            if (const auto& form = layer_.axes[along - 2]; form && form->block > 1) {
                y = channels_as_rows(y, along, form->block);
            }
        }
        return cut(y, n_.shape);
    }

private:
    constexpr padding2 outer_padding() const {
        padding2 p = n_.get<conv>().padding;
        if (layer_.axes[0]) {
            p.top = p.bottom = 0;
        }
        if (layer_.axes[1]) {
            p.left = p.right = 0;
        }
        return p;
    }
    /// The beginning of each axis.
    constexpr int cut(int value, const extents& wanted) {
        window part{{}, wanted};
        for (int k = 0; k < wanted.rank; ++k) {
            part.begin.append(0);
        }
        return w_.shape(value) == wanted ? value : w_.emit(op::slice, part, {value});
    }
    /// The input with its padding, in whole rows; what no result reads is cut off or zero.
    constexpr int padded_input() {
        int x = w_.operand(n_, 0);
        const padding2& p = n_.get<conv>().padding;
        for (const int along : {3, 2}) {
            const auto& form = layer_.axes[along - 2];
            if (!form) {
                continue;
            }
            const std::int64_t before = along == 3 ? p.left : p.top;
            const std::int64_t rest = form->extent() - before - w_.shape(x)[along];
            x = w_.padded(x, along, before, rest > 0 ? rest : 0);
            extents wanted = w_.shape(x);
            wanted[along] = form->extent();
            x = cut(x, wanted);
        }
        return x;
    }
    /// [A, C, rows S, W] as [A, C S, rows, W], or the same of the width.
    constexpr int rows_as_channels(int value, int along, std::int64_t step) {
        const extents v = w_.shape(value);
        const std::int64_t rows = v[along] / step;
        const extents split =
            along == 3 ? extents{v[0] * v[1], v[2], rows, step} : extents{v[0] * v[1], rows, step, v[3]};
        const permutation turned = along == 3 ? permutation{0, 3, 1, 2} : permutation{0, 2, 1, 3};
        extents wanted = v;
        wanted[1] *= step;
        wanted[along] = rows;
        return w_.reshape(w_.emit(op::transpose, turned, {w_.reshape(value, split)}), wanted);
    }
    /// [A, O block, rows, W] as [A, O, rows block, W], or the same of the width.
    constexpr int channels_as_rows(int value, int along, std::int64_t block) {
        const extents v = w_.shape(value);
        const permutation turned = along == 3 ? permutation{0, 2, 3, 1} : permutation{0, 2, 1, 3};
        extents wanted = v;
        wanted[1] /= block;
        wanted[along] *= block;
        const int split = w_.reshape(value, {v[0] * wanted[1], block, v[2], v[3]});
        return w_.reshape(w_.emit(op::transpose, turned, {split}), wanted);
    }
    /// The kernel with zeros between its elements where it is dilated, once for each result of a block: a stride later.
    constexpr int shifted(int weight, int along, const polyphase_axis& form) {
        const conv& a = n_.get<conv>();
        weight = spread(weight, along, along == 3 ? a.dilation.width : a.dilation.height);
        const extents kernel = w_.shape(weight);
        const std::int64_t stride = along == 3 ? a.stride.width : a.stride.height;
        const std::int64_t rest = form.kernel() - kernel[along];
        sequence<int> made;
        for (std::int64_t k = 0; k < form.block; ++k) {
            const int later = w_.padded(weight, along, k * stride, rest - k * stride);
            made.push_back(w_.reshape(later, {kernel[0], 1, w_.shape(later).count() / kernel[0]}));
        }
        extents wanted = kernel;
        wanted[0] *= form.block;
        wanted[along] = form.kernel();
        return w_.reshape(
            form.block == 1 ? made[0] : w_.emit(op::concat, axis{1}, std::span<const int>(made.data(), made.size())),
            wanted);
    }
    constexpr int spread(int weight, int along, std::int64_t dilation) {
        if (dilation == 1) {
            return weight;
        }
        extents wanted = w_.shape(weight);
        std::int64_t inner = 1;
        for (int k = along + 1; k < wanted.rank; ++k) {
            inner *= wanted[k];
        }
        const int apart = w_.reshape(weight, {wanted.count() / inner, 1, inner});
        const std::int64_t elements = wanted[along];
        wanted[along] *= dilation;
        const int filled = w_.reshape(w_.padded(apart, 1, 0, dilation - 1), wanted);
        wanted[along] = (elements - 1) * dilation + 1;
        return cut(filled, wanted);
    }
    constexpr int repeated_bias(std::int64_t block) {
        const int bias = w_.operand(n_, 2);
        const std::int64_t outputs = w_.shape(bias).count();
        sequence<int> copies(static_cast<std::size_t>(block), w_.reshape(bias, {outputs, 1}));
        return block == 1 ? bias
                          : w_.reshape(w_.emit(op::concat, axis{1}, std::span<const int>(copies.data(), copies.size())),
                                       {outputs * block});
    }

    rewriter& w_;
    const node& n_;
    const polyphase_layer& layer_;
};

/// A convolution whose kernel or stride a target refuses as one with a short kernel and stride 1: a row of the input that
/// is as long as the stride, or as several, becomes channels.
constexpr rewritten polyphase_filters(const graph_view& g, const target_description& t) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const polyphase_layer layer = polyphase_layer_of(g, g[i], t);
        return layer.any() ? polyphase_form(w, g[i], layer).make() : -1;
    });
}

} // namespace ane::detail
