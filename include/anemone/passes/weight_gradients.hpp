#pragma once

#include "fused_layers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// The derivative of a convolution's weight, which gradient/windows.hpp writes as a product for each place of the kernel over
/// slices of the operand: where a host computes it at once.
namespace ane {

/// result[o, c, place] = sum over n, i, j of cotangent[n, o, i, j] * x[n, c, i * stride.height + row of the place,
/// j * stride.width + column of the place], 0 where that is not on x. Of one group.
struct weight_gradient {
    struct place {
        std::int64_t row = 0;
        std::int64_t column = 0;
    };

    int result = -1;    ///< a node of O * C * places elements
    int cotangent = -1; ///< a node of N * O * H' * W' elements
    int x = -1;         ///< [N, C, H, W]
    std::int64_t rows = 0;
    std::int64_t out_height = 0;
    std::int64_t out_width = 0;
    size2 stride = 1;
    sequence<place> places{};
    sequence<int> inside{}; ///< the nodes between: nobody else reads them
};

namespace detail {

/// Looks for them, from their results back.
class weight_gradient_search {
public:
    constexpr explicit weight_gradient_search(const graph_view& g)
        : g_(g), readers_(g.nodes.size(), 0), known_(constant_nodes(g)) {
        for (int i = 0; i < g.size(); ++i) {
            for (const int o : g.operands(i)) {
                ++readers_[static_cast<std::size_t>(o)];
            }
        }
        for (const output_port& port : g.outputs) {
            readers_[static_cast<std::size_t>(port.node)] += 2;
        }
    }

    /// The one that ends in a node; without a result where there is none. `is_zero(node)` tells of a constant of one element
    /// whether it is 0.
    template <class IsZero> constexpr weight_gradient ending_in(int result, const IsZero& is_zero) const {
        weight_gradient found;
        const node& n = g_[result];
        if (n.type != dtype::f16 || known_[static_cast<std::size_t>(result)] != 0) {
            return {};
        }
        if (n.kind == op::concat) {
            if (n.shape.rank != 4 || n.get<axis>().index != 2) {
                return {};
            }
            for (const int part : g_.operands(result)) {
                if (!is_inside(part, op::reshape)) {
                    return {};
                }
                found.inside.push_back(part);
                if (!takes(g_.operands(part)[0], true, found)) {
                    return {};
                }
            }
        } else if (n.kind != op::reduce_sum || !takes(result, false, found)) {
            return {};
        }
        const extents& x = g_[found.x].shape;
        const extents whole = n.kind == op::concat
                                  ? extents{found.rows, x[1], static_cast<std::int64_t>(found.places.size()), 1}
                                  : extents{1, 1, found.rows, x[1]};
        if (!(n.shape == whole) || !leaves_border(found, is_zero)) {
            return {};
        }
        found.result = result;
        return found;
    }

private:
    constexpr bool is_inside(int index, op kind) const {
        const auto at = static_cast<std::size_t>(index);
        return g_[index].kind == kind && readers_[at] == 1 && known_[at] == 0;
    }

    /// The product of one place, summed over the batch.
    constexpr bool takes(int index, bool inside, weight_gradient& found) const {
        if (g_[index].kind == op::reduce_sum) {
            const indices& over = g_[index].get<axes>().list;
            if ((inside && !is_inside(index, op::reduce_sum)) || over.rank != 1 || over[0] != 0) {
                return false;
            }
            if (inside) {
                found.inside.push_back(index);
            }
            index = g_.operands(index)[0];
        }
        if (!is_inside(index, op::matmul)) {
            return false;
        }
        const transposed& form = g_[index].get<transposed>();
        const int left = g_.operands(index)[0];
        const int columns = g_.operands(index)[1];
        if (form.a || !form.b || !is_inside(columns, op::reshape) ||
            (found.cotangent >= 0 && found.cotangent != left)) {
            return false;
        }
        found.cotangent = left;
        found.inside.push_back(index);
        found.inside.push_back(columns);
        return cuts(g_.operands(columns)[0], g_[columns].shape, found);
    }

    /// The slice of x, or of x with a border.
    constexpr bool cuts(int index, const extents& as_columns, weight_gradient& found) const {
        const bool strided = g_[index].kind == op::strided_slice;
        if (!is_inside(index, strided ? op::strided_slice : op::slice)) {
            return false;
        }
        const extents& part = g_[index].shape;
        const extents& rows = g_[found.cotangent].shape;
        const int from = g_.operands(index)[0];
        if (part.rank != 4 || rows.rank != 4 || as_columns.rank != 4 || g_[from].type != dtype::f16) {
            return false;
        }
        const extents one_group{part[0], 1, part[1], part[2] * part[3]};
        if (!(as_columns == one_group) || rows[0] != part[0] || rows[1] != 1 || rows[3] != one_group[3]) {
            return false;
        }
        const indices begin = strided ? g_[index].get<strided_window>().begin : g_[index].get<window>().begin;
        const indices step = strided ? g_[index].get<strided_window>().stride : indices{1, 1, 1, 1};
        const size2 stride{static_cast<int>(step[2]), static_cast<int>(step[3])};
        if (begin[0] != 0 || begin[1] != 0 || step[0] != 1 || step[1] != 1 || g_[from].shape[1] != part[1] ||
            g_[from].shape[0] != part[0]) {
            return false;
        }
        if (found.x >= 0 && (found.x != from || !(found.stride == stride) || found.out_height != part[2] ||
                             found.out_width != part[3])) {
            return false;
        }
        found.x = from;
        found.rows = rows[2];
        found.stride = stride;
        found.out_height = part[2];
        found.out_width = part[3];
        found.places.push_back({begin[2], begin[3]});
        found.inside.push_back(index);
        return true;
    }

    /// Takes the border of zeros off x, if it has one that only the slices read.
    template <class IsZero> constexpr bool leaves_border(weight_gradient& found, const IsZero& is_zero) const {
        const auto at = static_cast<std::size_t>(found.x);
        const node& n = g_[found.x];
        if (n.kind != op::pad || known_[at] != 0 || readers_[at] != static_cast<int>(found.places.size())) {
            return true;
        }
        const pads& border = n.get<pads>();
        if (border.before[0] != 0 || border.before[1] != 0 || border.after[0] != 0 || border.after[1] != 0 ||
            !is_zero(g_.operands(found.x)[1])) {
            return true; // a value as any other
        }
        found.inside.push_back(found.x);
        found.x = g_.operands(found.x)[0];
        for (weight_gradient::place& each : found.places) {
            each.row -= border.before[2];
            each.column -= border.before[3];
        }
        return true;
    }

    const graph_view& g_;
    sequence<int> readers_; ///< how many, and two more for a caller
    sequence<char> known_;
};

} // namespace detail

/// The weight gradients of a graph, in the order of their results.
template <class IsZero>
constexpr sequence<weight_gradient> find_weight_gradients(const graph_view& g, const IsZero& is_zero) {
    const detail::weight_gradient_search search(g);
    sequence<weight_gradient> all;
    sequence<char> taken(g.nodes.size(), 0); // a part of one that ends later
    for (int i = g.size() - 1; i >= 0; --i) {
        if (taken[static_cast<std::size_t>(i)] != 0 || (g[i].kind != op::concat && g[i].kind != op::reduce_sum)) {
            continue;
        }
        weight_gradient found = search.ending_in(i, is_zero);
        if (found.result >= 0) {
            for (const int each : found.inside) {
                taken[static_cast<std::size_t>(each)] = 1;
            }
            all.push_back(found);
        }
    }
    std::reverse(all.begin(), all.end());
    return all;
}

/// Makes each of them, or of what else is computed at once, a layer that ends in its result. Their nodes are layers of their own
/// before, or of others inside.
template <class Derivative> constexpr void join_derivatives(const sequence<Derivative>& all, fused_layers& layers) {
    for (const Derivative& each : all) {
        sequence<int> members = each.inside;
        std::sort(members.begin(), members.end());
        members.push_back(each.result);
        int before = -1;
        for (const int member : members) {
            const auto at = static_cast<std::size_t>(member);
            layers.ends[at] = each.result;
            layers.before[at] = before;
            layers.hosts[at] = member;
            before = member;
        }
    }
}

} // namespace ane
