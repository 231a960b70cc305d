#pragma once

#include "../../base/way.hpp"
#include "../../graph/constants.hpp"
#include "../../graph/graph.hpp"
#include "../../graph/op_set.hpp"
#include "../../passes/layouts.hpp"
#include "../node_shapes.hpp"
#include "kernels/algorithms.hpp"
#include "kernels/kernel_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Collects what the steps of a graph need. Whatever may happen in a run is in it: any number of threads, either rule of
/// rounding, Winograd's tiles wanted or not.
class needed_algorithms {
public:
    constexpr explicit needed_algorithms(const graph_view& g) : g_(g), known_(constant_nodes(g)) {
        for (const node& n : g.nodes) {
            chooses_layouts_ =
                chooses_layouts_ || n.kind == op::conv2d || n.kind == op::max_pool || n.kind == op::avg_pool;
        }
        for (int i = 0; i < g.size(); ++i) {
            if (may_be_nhwc(i)) {
                all_.insert(algorithm::nhwc);
            }
        }
        std::size_t long_values = 0;
        for (int i = 0; i < g.size(); ++i) {
            if (!is_known(i)) {
                add(i);
                long_values += !is_source(g[i].kind) && g[i].shape.count() >= least_strip_elements ? 1 : 0;
            }
        }
        if (long_values >= least_strip_nodes) {
            all_.insert(algorithm::strips);
        }
    }

    constexpr const algorithm_set& all() const { return all_; }

private:
    /// A value whose layout passes/layouts.hpp may choose.
    constexpr bool may_be_nhwc(int index) const {
        const node& n = g_[index];
        return chooses_layouts_ && !is_source(n.kind) && n.type == dtype::f16 && n.shape.rank == 4 &&
               n.shape[1] >= least_nhwc_channels && !has_one_layout(n.shape);
    }

    constexpr bool is_known(int node) const { return known_[static_cast<std::size_t>(node)] != 0; }

    /// What a step may take besides the one algorithm that its operation brings itself.
    constexpr void add(int index) {
        const node& n = g_[index];
        if (n.kind == op::conv2d) {
            const auto operands = g_.operands(index);
            add_convolution(ane::detail::convolution_shape_of<conv>(g_, n),
                            may_be_nhwc(index) || may_be_nhwc(operands[0]),
                            !is_known(operands[1]) || (operands.size() == 3 && !is_known(operands[2])));
        } else if (n.kind == op::cross_correlation) {
            add_convolution(ane::detail::correlation_shape_of(g_, n), false, true);
        } else if (n.kind == op::conv_transpose2d) {
            const auto s = ane::detail::convolution_shape_of<conv_transpose>(g_, n);
            all_.insert(algorithm::windows);
            add_tiles(s.out_channels / s.groups, false);
        } else if (n.kind == op::linear) {
            const extents& x = g_.operand(n, 0).shape;
            add_product(x.count() / std::max<std::int64_t>(x.width(), 1), g_.operands(index)[1], true);
        } else if (n.kind == op::matmul) {
            const extents& b = g_.operand(n, 1).shape;
            const transposed& form = n.get<transposed>();
            const bool together = b.count() == b.height() * b.width() && !form.a;
            add_product(together ? n.shape.count() / std::max<std::int64_t>(n.shape.width(), 1) : n.shape.height(),
                        g_.operands(index)[1], form.b);
        } else if (n.kind == op::attention) {
            all_.insert({algorithm::few_rows, algorithm::many_rows, algorithm::turned_columns});
        } else if (n.kind == op::softmax) {
            add_norm(n.shape, n.get<axis>().index);
        } else if (n.kind == op::minmax_norm || n.kind == op::layer_norm || n.kind == op::rms_norm ||
                   n.kind == op::l2_norm) {
            add_norm(n.shape, n.get<stabilizer>().axis);
        }
    }

    constexpr void add_convolution(const numerics::convolution_shape& s, bool nhwc, bool computed) {
        if (computed) {
            all_.insert(algorithm::computed_filters);
        }
        if (nhwc && s.groups > 1 && s.groups == s.in_channels && s.groups == s.out_channels) {
            all_.insert(algorithm::places);
            add_window(s, s.dilation_width == 1, s.stride_width);
        }
        if (convolves_planes(s)) {
            all_.insert(algorithm::planes);
            add_window(s, s.dilation_height == 1, s.stride_height);
            add_columns(s);
            return;
        }
        if (has_one_tap(s)) {
            all_.insert({algorithm::pointwise, algorithm::many_rows});
            if (std::min(s.out_channels / s.groups, s.batch * s.out_height * s.out_width) <= most_few_rows) {
                all_.insert({algorithm::few_rows, algorithm::turned_columns});
            }
            if (is_worth_a_product(s)) {
                return;
            }
        }
        all_.insert(algorithm::windows);
        add_tiles(s.out_channels / s.groups, nhwc);
        add_columns(s);
        if (may_take_winograd(s)) {
            all_.insert(algorithm::winograd);
        }
    }

    constexpr void add_tiles(std::int64_t rows, bool nhwc) {
        all_.insert(algorithm::channel_tiles);
        if (rows < least_nhwc_channels && !nhwc) {
            all_.insert(algorithm::position_tiles);
        }
    }

    /// The copies of rows whose columns are apart by the stride.
    constexpr void add_columns(const numerics::convolution_shape& s) {
        if (s.stride_width == 2) {
            all_.insert(algorithm::even_columns);
        } else if (s.stride_width == 4) {
            all_.insert(algorithm::fourth_columns);
        }
    }

    constexpr void add_window(const numerics::convolution_shape& s, bool dense, std::int64_t stride) {
        const std::int64_t size = s.kernel_height == s.kernel_width && dense ? s.kernel_height : 0;
        if (size == 3) { // of one row of outputs the stride does not matter
            all_.insert(algorithm::window_of_3);
            all_.insert(stride == 2 ? algorithm::window_of_3_by_2 : algorithm::window_of_3);
        } else if (size == 5) {
            all_.insert(algorithm::window_of_5);
            all_.insert(stride == 2 ? algorithm::window_of_5_by_2 : algorithm::window_of_5);
        }
        if ((size != 3 && size != 5) || stride > 2) {
            all_.insert(algorithm::other_window);
        }
    }

    constexpr void add_norm(const extents& x, int along) {
        if (x.count() / std::max<std::int64_t>(x[normalized_axis(along, x.rank)], 1) >= rows_at_once) {
            all_.insert(algorithm::several_rows);
        }
    }

    /// `turned`: the right operand is stored by columns.
    constexpr void add_product(std::int64_t rows, int right, bool turned) {
        const bool few = rows <= most_few_rows;
        all_.insert(rows == 1 ? algorithm::one_row : few ? algorithm::few_rows : algorithm::many_rows);
        if (!is_known(right)) { // what the loops of few rows leave of its columns goes through the others
            all_.insert(algorithm::many_rows);
            all_.insert(few && turned ? algorithm::turned_columns : algorithm::many_rows);
        }
        if (g_[right].kind == op::compressed) {
            all_.insert(algorithm::codes);
        }
    }

    graph_view g_;
    sequence<char> known_;
    bool chooses_layouts_ = false; ///< whether it has operations for which it does
    algorithm_set all_;
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// What the programs of a graph need.
constexpr kernel_needs needs_of(const graph_view& g) { return {operations_of(g), detail::needed_algorithms(g).all()}; }

} // namespace ane::cpu::inline ANEMONE_WAY
