#pragma once

#include "../passes/rewriter.hpp"

/// Trained convolutions as patches and a product. The engine takes no convolution by a weight that is computed at run time
/// above batch 1 (R044), but products of any two values; and the product sums over all positions of the batch at once, both
/// forward and for the gradient of the weight.
namespace ane::detail::training {

/// The window of each row, then of each column, of x [N, C, H, W], as [kW kH C, N W' H']: no slice begins inside the last
/// axis, nor does its derivative pad any but the axis before the last. On M1 and M2 such slices are infinite above 4094
/// (R090), and scaled gradients are what exceeds it (R154). The batch moves in rank 3 only (R189).
constexpr int patches_of(rewriter& r, int x, const conv& c, const extents& kernel, const extents& out) {
    const extents given = r.shape(x);
    const std::int64_t rows = (out[2] - 1) * c.stride.height + std::int64_t{c.dilation.height} * (kernel[2] - 1) + 1;
    const std::int64_t columns = (out[3] - 1) * c.stride.width + std::int64_t{c.dilation.width} * (kernel[3] - 1) + 1;
    pads border{{0, 0, c.padding.top, c.padding.left}, {0, 0, 0, 0}};
    border.after[2] = rows > given[2] + c.padding.top ? rows - given[2] - c.padding.top : 0;
    border.after[3] = columns > given[3] + c.padding.left ? columns - given[3] - c.padding.left : 0;
    if (border.before[2] + border.before[3] + border.after[2] + border.after[3] > 0) {
        x = r.emit(op::pad, border, {x, r.scalar(0)});
    }
    const auto windows = [&](int value, std::int64_t extent, std::int64_t size, int stride, int dilation) {
        sequence<int> parts;
        for (std::int64_t k = 0; k < size; ++k) {
            if (stride == 1) {
                parts.push_back(r.slice(value, 2, k * dilation, extent));
                continue;
            }
            extents wanted = r.shape(value);
            wanted[2] = extent;
            const strided_window part{{0, 0, k * dilation, 0}, {1, 1, stride, 1}};
            parts.push_back(r.emit(op::strided_slice, part, {value}, wanted));
        }
        return parts.size() == 1 ? parts[0]
                                 : r.emit(op::concat, axis{1}, std::span<const int>(parts.data(), parts.size()));
    };
    x = windows(x, out[2], kernel[2], c.stride.height, c.dilation.height); // [N, kH C, H', W]
    x = r.emit(op::transpose, permutation{0, 1, 3, 2}, {x});               // [N, kH C, W, H']
    x = windows(x, out[3], kernel[3], c.stride.width, c.dilation.width);   // [N, kW kH C, W', H']
    const std::int64_t rows_of_patches = r.shape(x)[1];
    x = r.reshape(x, {out[0], rows_of_patches, out[2] * out[3]});
    x = r.emit(op::transpose, permutation{1, 0, 2}, {x});
    return r.reshape(x, {rows_of_patches, out[0] * out[2] * out[3]});
}

/// A convolution of the source, as a product.
constexpr int unfolded(rewriter& r, int index) {
    const node& n = r.source()[index];
    const conv c = n.get<conv>();
    const extents out = n.shape;
    const int w = r.operand(n, 1);
    const extents kernel = r.shape(w);
    const std::int64_t taps = kernel[2] * kernel[3];
    const std::int64_t groups = c.groups;
    const std::int64_t inner = kernel[1];
    const std::int64_t outer = kernel[0] / groups;
    const std::int64_t positions = out[0] * out[2] * out[3];
    int patches = patches_of(r, r.operand(n, 0), c, kernel, out);
    int rows = r.emit(op::transpose, permutation{0, 3, 2, 1}, {w}); // [O, kW, kH, I]
    if (groups == 1) {
        rows = r.reshape(rows, {outer, taps * inner});
    } else {
        patches = r.reshape(patches, {taps, groups, inner * positions});
        patches = r.emit(op::transpose, permutation{1, 0, 2}, {patches});
        patches = r.reshape(patches, {groups, taps * inner, positions});
        rows = r.reshape(rows, {groups, outer, taps * inner});
    }
    int y = r.emit(op::matmul, transposed{}, {rows, patches});
    y = r.reshape(y, {out[1], out[0], out[2] * out[3]});
    y = r.emit(op::transpose, permutation{1, 0, 2}, {y});
    y = r.reshape(y, {out[0], out[1], out[3], out[2]});
    y = r.emit(op::transpose, permutation{0, 1, 3, 2}, {y});
    if (n.operands.count > 2) {
        y = r.emit(op::add, no_attributes{}, {y, r.along(r.operand(n, 2), 1, 4)});
    }
    return y;
}

/// A transposed convolution of the source: a product gives what each element spreads, [O kH kW] for each position, and a
/// transposed convolution by constants of one place puts it there. x is transposed in rank 3, as above.
constexpr int unfolded_transpose(rewriter& r, int index) {
    const node& n = r.source()[index];
    const conv_transpose c = n.get<conv_transpose>();
    const int w = r.operand(n, 1);
    const extents kernel = r.shape(w); // [I, O / groups, kH, kW]
    int x = r.operand(n, 0);
    const extents given = r.shape(x);
    const std::int64_t taps = kernel[2] * kernel[3];
    const std::int64_t outputs = n.shape[1];
    const std::int64_t groups = c.groups;
    const std::int64_t inner = given[1] / groups;
    const std::int64_t positions = given[2] * given[3];
    x = r.reshape(x, {given[0], given[1], positions});
    x = r.emit(op::transpose, permutation{1, 0, 2}, {x});
    const extents columns =
        groups == 1 ? extents{inner, given[0] * positions} : extents{groups, inner, given[0] * positions};
    const extents rows = groups == 1 ? extents{inner, outputs * taps} : extents{groups, inner, outputs / groups * taps};
    x = r.reshape(x, columns);
    int y = r.emit(op::matmul, transposed{.a = true}, {r.reshape(w, rows), x}); // [O kH kW, N H W]
    y = r.reshape(y, {outputs * taps, given[0], positions});
    y = r.emit(op::transpose, permutation{1, 0, 2}, {y});
    y = r.reshape(y, {given[0], outputs * taps, given[2], given[3]});
    sequence<float> to_place;
    for (std::int64_t k = 0; k < outputs * taps; ++k) {
        for (std::int64_t place = 0; place < taps; ++place) {
            to_place.push_back(place == k % taps ? 1.0F : 0.0F);
        }
    }
    const int places =
        r.constant({outputs * taps, 1, kernel[2], kernel[3]}, std::span<const float>(to_place.data(), to_place.size()));
    conv_transpose spreads = c;
    spreads.groups = static_cast<int>(outputs);
    y = r.emit(op::conv_transpose2d, spreads, {y, places});
    if (n.operands.count > 2) {
        y = r.emit(op::add, no_attributes{}, {y, r.along(r.operand(n, 2), 1, 4)});
    }
    return y;
}

/// A model whose convolutions by trained weights are products, and where its nodes went.
struct unfolded_model {
    dynamic_graph graph;
    sequence<int> renamed; ///< of each node of the model
};
constexpr unfolded_model unfold_convolutions(const graph_view& g, std::span<const int> trained) {
    sequence<char> depends(g.nodes.size(), 0);
    for (const int weight : trained) {
        depends[static_cast<std::size_t>(weight)] = 1;
    }
    rewriter r(g);
    unfolded_model result;
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        r.visit(i);
        for (const int operand : g.operands(i)) {
            depends[static_cast<std::size_t>(i)] |= depends[static_cast<std::size_t>(operand)];
        }
        const bool is_convolution = n.kind == op::conv2d || n.kind == op::conv_transpose2d;
        const bool by_trained = is_convolution && depends[static_cast<std::size_t>(g.operands(i)[1])] != 0;
        r.rename(i, !by_trained ? r.copy(i) : n.kind == op::conv2d ? unfolded(r, i) : unfolded_transpose(r, i));
        result.renamed.push_back(r.renamed(i));
    }
    for (const output_port& port : g.outputs) {
        r.add_output(r.renamed(port.node), port);
    }
    result.graph = r.result();
    return result;
}

} // namespace ane::detail::training
