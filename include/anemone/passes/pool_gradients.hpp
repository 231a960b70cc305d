#pragma once

#include "fused_layers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// The derivative of a max pool, which gradient/pooling.hpp writes as a comparison for each place of the window and a transposed
/// convolution that puts what each window gives where it belongs: where a host computes it at once.
namespace ane {

/// result[n, c, row, column]: the sum of the cotangents of those windows whose largest element, or the first of several, is
/// that of x there. A window's values are those of x and, beside it, `border`.
struct pool_gradient {
    int result = -1; ///< a node [N, C, H, W], perhaps without the last rows and columns of x, which no window reaches
    int cotangent = -1; ///< a node [N, C, H', W']
    int largest = -1;   ///< the pool's own result, of the same extents
    int x = -1;         ///< a node [N, C, H, W]
    size2 kernel = 1;
    size2 stride = 1;
    std::int64_t top = 0; ///< rows of the border before x, and columns
    std::int64_t left = 0;
    double border = 0;
    sequence<int> inside{}; ///< the nodes between: nobody else reads them
};

namespace detail {

/// Looks for them, from their results back.
class pool_gradient_search {
public:
    constexpr explicit pool_gradient_search(const graph_view& g)
        : g_(g), readers_(g.nodes.size(), 0), member_(g.nodes.size(), -1), known_(constant_nodes(g)) {
        for (int i = 0; i < g.size(); ++i) {
            for (const int o : g.operands(i)) {
                ++readers_[static_cast<std::size_t>(o)];
            }
        }
        for (const output_port& port : g.outputs) {
            readers_[static_cast<std::size_t>(port.node)] += 1;
        }
    }

    /// The one that ends in a node; without a result where there is none.
    constexpr pool_gradient ending_in(int result) {
        pool_gradient found;
        const node& n = g_[result];
        if (n.kind != op::conv_transpose2d || n.type != dtype::f16 || n.operands.count != 2) {
            return {};
        }
        const conv_transpose& c = n.get<conv_transpose>();
        const int stacked = g_.operands(result)[0];
        const extents& w = g_[g_.operands(result)[1]].shape;
        if (!(c.dilation == size2(1)) || c.groups != n.shape[1] || g_[stacked].kind != op::reshape || w[1] != 1) {
            return {};
        }
        found.kernel = {static_cast<int>(w[2]), static_cast<int>(w[3])};
        found.stride = c.stride;
        found.top = c.padding.top;
        found.left = c.padding.left;
        const std::int64_t count = w[2] * w[3];
        const int parts = g_.operands(stacked)[0];
        if (count < 2 || w[0] != c.groups * count || !gives_each_its_place(g_.operands(result)[1], count) ||
            g_[parts].kind != op::concat || g_[parts].get<axis>().index != 2 || g_[parts].operands.count != count) {
            return {};
        }
        found.result = result;
        found.inside.push_back(stacked);
        found.inside.push_back(parts);
        int open = -1; // 1 where no place before was the largest
        for (int k = 0; k < static_cast<int>(count); ++k) {
            const int part = g_.operands(parts)[static_cast<std::size_t>(k)];
            if (!takes_part(part, k, open, found)) {
                return {};
            }
        }
        return nobody_else_reads(found) ? found : pool_gradient{};
    }

private:
    constexpr bool is(int index, op kind) const {
        return g_[index].kind == kind && known_[static_cast<std::size_t>(index)] == 0;
    }
    constexpr bool is_number(int index, double value) const {
        const node& n = g_[index];
        return n.kind == op::constant && n.shape.count() == 1 && static_cast<double>(g_.value(n, 0)) == value;
    }
    constexpr int operand(int index, int position) const {
        return g_.operands(index)[static_cast<std::size_t>(position)];
    }

    /// Channel k of each channel's `count` goes to place k of the window.
    constexpr bool gives_each_its_place(int weight, std::int64_t count) const {
        const node& n = g_[weight];
        if (n.kind != op::constant || n.shape.rank != 4) {
            return false;
        }
        const std::span<const float> values = g_.values(n);
        if (static_cast<std::int64_t>(values.size()) != n.shape.count()) {
            return false;
        }
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            if (values[static_cast<std::size_t>(i)] != (i % count == i / count % count ? 1.0F : 0.0F)) {
                return false;
            }
        }
        return true;
    }

    /// What place k gets: the cotangent where its element is the largest and none before it was.
    constexpr bool takes_part(int part, int k, int& open, pool_gradient& found) const {
        if (!is(part, op::reshape) || !is(operand(part, 0), op::mul)) {
            return false;
        }
        const int product = operand(part, 0);
        const int cotangent = operand(product, 0);
        const int first = operand(product, 1);
        if ((found.cotangent >= 0 && found.cotangent != cotangent) || g_[cotangent].type != dtype::f16) {
            return false;
        }
        found.cotangent = cotangent;
        int hit = first;
        if (open >= 0) {
            if (!is(first, op::mul) || operand(first, 1) != open) {
                return false;
            }
            found.inside.push_back(first);
            hit = operand(first, 0);
        }
        if (!is(hit, op::select) || !is_number(operand(hit, 1), 1) || !is_number(operand(hit, 2), 0) ||
            !is(operand(hit, 0), op::equal)) {
            return false;
        }
        const int equal = operand(hit, 0);
        const int largest = operand(equal, 1);
        if ((found.largest >= 0 && found.largest != largest) || !(g_[largest].shape == g_[cotangent].shape) ||
            !cuts(operand(equal, 0), k, found)) {
            return false;
        }
        found.largest = largest;
        found.inside.push_back(part);
        found.inside.push_back(product);
        found.inside.push_back(hit);
        found.inside.push_back(equal);
        // What is open behind it: read by the next place, if there is one.
        const int next = next_open(first, open);
        if (next >= 0) {
            found.inside.push_back(next);
        }
        open = next;
        return true;
    }
    constexpr int next_open(int first, int open) const {
        for (int i = first + 1; i < g_.size(); ++i) {
            if (is(i, op::sub) && operand(i, 1) == first &&
                (open >= 0 ? operand(i, 0) == open : is_number(operand(i, 0), 1))) {
                return i;
            }
        }
        return -1;
    }

    /// The slice of x, or of x with its border, at place k.
    constexpr bool cuts(int index, int k, pool_gradient& found) const {
        const bool strided = g_[index].kind == op::strided_slice;
        if (!is(index, strided ? op::strided_slice : op::slice)) {
            return false;
        }
        const indices begin = strided ? g_[index].get<strided_window>().begin : g_[index].get<window>().begin;
        const indices step = strided ? g_[index].get<strided_window>().stride : indices{1, 1, 1, 1};
        const extents& part = g_[index].shape;
        if (part.rank != 4 || begin[0] != 0 || begin[1] != 0 || step[0] != 1 || step[1] != 1 ||
            begin[2] != k / found.kernel.width || begin[3] != k % found.kernel.width ||
            step[2] != found.stride.height || step[3] != found.stride.width || !(part == g_[found.cotangent].shape)) {
            return false;
        }
        int from = operand(index, 0);
        const bool is_new = found.x < 0;
        if (is(from, op::pad)) {
            const pads& border = g_[from].get<pads>();
            const node& value = g_[operand(from, 1)];
            if (border.before[0] != 0 || border.before[1] != 0 || border.after[0] != 0 || border.after[1] != 0 ||
                border.before[2] != found.top || border.before[3] != found.left || value.kind != op::constant ||
                value.shape.count() != 1) {
                return false;
            }
            if (is_new) {
                found.border = static_cast<double>(g_.value(value, 0));
                found.inside.push_back(from);
            }
            from = operand(from, 0);
        } else if (found.top != 0 || found.left != 0) {
            return false;
        }
        const extents& x = g_[from].shape;
        const extents& to = g_[found.result].shape;
        if ((!is_new && found.x != from) || g_[from].type != dtype::f16 || x[0] != part[0] || x[1] != part[1] ||
            to[0] != x[0] || to[1] != x[1] || to[2] > x[2] || to[3] > x[3]) {
            return false;
        }
        found.x = from;
        found.inside.push_back(index);
        return true;
    }

    /// Whether all nodes between are read by others of them and by the result alone.
    constexpr bool nobody_else_reads(const pool_gradient& found) {
        sequence<int> left(found.inside.size(), 0);
        for (std::size_t k = 0; k < found.inside.size(); ++k) {
            const int i = found.inside[k];
            member_[static_cast<std::size_t>(i)] = found.result;
            left[k] = readers_[static_cast<std::size_t>(i)];
        }
        const auto reads = [&](int i) {
            for (const int o : g_.operands(i)) {
                if (member_[static_cast<std::size_t>(o)] == found.result) {
                    const auto at = std::find(found.inside.begin(), found.inside.end(), o) - found.inside.begin();
                    --left[static_cast<std::size_t>(at)];
                }
            }
        };
        reads(found.result);
        for (const int i : found.inside) {
            reads(i);
        }
        return std::all_of(left.begin(), left.end(), [](int count) { return count == 0; });
    }

    const graph_view& g_;
    sequence<int> readers_; ///< how many, a caller among them
    sequence<int> member_;  ///< by node, the result that it was looked at for
    sequence<char> known_;
};

} // namespace detail

/// The gradients of max pools in a graph, in the order of their results.
constexpr sequence<pool_gradient> find_pool_gradients(const graph_view& g) {
    detail::pool_gradient_search search(g);
    sequence<pool_gradient> all;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::conv_transpose2d) {
            const pool_gradient found = search.ending_in(i);
            if (found.result >= 0) {
                all.push_back(found);
            }
        }
    }
    return all;
}

} // namespace ane
