#pragma once

#include "../catalogue/mixing.hpp"
#include "../graph/op_facet.hpp"
#include "../graph/uses.hpp"
#include "../numerics/comparison.hpp"
#include "padding_axes.hpp"
#include "padding_verdict.hpp"
#include "ranges.hpp"

#include <cstdint>
#include <vector>

/// Whether the elements that pad a sequence to the length of a model can change those of the sequence. A model of one
/// length is compared with the same model of another: the axes whose extents differ run along the sequence. From the
/// inputs, which are padded with zeros (or what is nearest to it in their promise), the pass follows for each value along
/// which axes padding lies, where it is still zero, and where a `select` made it so low that its exponential is nothing.
namespace ane {

namespace detail {

/// What a movement makes of the axes of its first operand.
enum class axes_path : std::uint8_t {
    other,     ///< what lies along one axis may come anywhere
    kept,      ///< each stays
    cut,       ///< each stays, longer or shorter
    permuted,  ///< each goes somewhere else
    regrouped, ///< those that stay whole keep their elements
    joined,    ///< several operands, one behind the other along one of them
    looked_up  ///< one is replaced by those of indices
};
inline constexpr op_facet<axes_path> axes_paths{
    {op::cast, axes_path::kept},          {op::identity, axes_path::kept},     {op::slice, axes_path::cut},
    {op::strided_slice, axes_path::cut},  {op::pad, axes_path::cut},           {op::tile, axes_path::cut},
    {op::transpose, axes_path::permuted}, {op::reshape, axes_path::regrouped}, {op::concat, axes_path::joined},
    {op::gather, axes_path::looked_up}};

class padding_search {
public:
    constexpr padding_search(const graph_view& g, const graph_view& other, std::int64_t length,
                             std::int64_t other_length)
        : g_(g), other_(other), length_(length), other_length_(other_length) {}

    constexpr padding_verdict run() {
        if (!same_structure(g_, other_)) {
            return {padding_rule::the_lengths_are_different_graphs};
        }
        ranges_ = ranges(g_);
        ports_ = node_ports(g_);
        at_.resize(g_.nodes.size());
        for (int i = 0; i < g_.size() && verdict_.ok(); ++i) {
            const padded_axes found = is_source(g_[i].kind) ? source(i) : computed(i);
            at_[static_cast<std::size_t>(i)] = found;
            if (verdict_.ok() && found.along != grown(i)) {
                refuse(padding_rule::an_extent_is_not_the_length, i, 0);
            }
        }
        return verdict_;
    }

    constexpr const padded_axes& at(int index) const { return at_[static_cast<std::size_t>(index)]; }
    constexpr const std::vector<padding_mask>& masks() const { return masks_; }

private:
    constexpr int operand(int index, int position) const {
        return g_.operand_pool.data()[g_[index].operands.first + position];
    }
    constexpr padded_axes of(int index, int position) const { return at(operand(index, position)); }
    constexpr const extents& shape(int index, int position) const { return g_[operand(index, position)].shape; }
    constexpr bool bounded(int index, int position) const {
        return ranges_[static_cast<std::size_t>(operand(index, position))].bounded();
    }

    /// The axes of a node whose extents differ between the two lengths.
    constexpr std::uint32_t grown(int index) const {
        std::uint32_t bits = 0;
        for (int k = 0; k < g_[index].shape.rank; ++k) {
            bits |= g_[index].shape[k] != other_[index].shape[k] ? 1U << static_cast<unsigned>(k) : 0U;
        }
        return bits;
    }
    constexpr padded_axes refuse(padding_rule why, int index, std::uint32_t axes) {
        int axis = -1;
        for (int k = 0; k < extents::capacity && axis < 0; ++k) {
            axis = ((axes >> static_cast<unsigned>(k)) & 1U) != 0 ? k : -1;
        }
        if (verdict_.ok()) {
            verdict_ = {why, index, axis};
        }
        return {};
    }

    constexpr padded_axes source(int index) {
        const std::uint32_t along = grown(index);
        for (int k = 0; k < g_[index].shape.rank; ++k) {
            const bool is_length = g_[index].shape[k] == length_ && other_[index].shape[k] == other_length_;
            if (((along >> static_cast<unsigned>(k)) & 1U) != 0 && !is_length) {
                return refuse(padding_rule::an_extent_is_not_the_length, index, 1U << static_cast<unsigned>(k));
            }
        }
        if (g_[index].kind == op::constant) {
            return {along, 0, 0}; // its values there are as good as any
        }
        if (g_[index].kind == op::weight) {
            return along != 0 ? refuse(padding_rule::a_weight_depends_on_the_length, index, along) : padded_axes{};
        }
        const bool kept = ports_[static_cast<std::size_t>(index)].next >= 0;
        const bool by_zeros = padding_value(g_[index].get<contract>()) == 0;
        return kept ? refuse(padding_rule::the_model_keeps_a_state, index, 0)
                    : padded_axes{along, by_zeros ? along : 0U, 0};
    }

    constexpr padded_axes computed(int index) {
        const node& n = g_[index];
        std::uint32_t any = 0;
        for (int k = 0; k < n.operands.count; ++k) {
            any |= of(index, k).along;
        }
        if (any == 0) {
            return {};
        }
        switch (signature(n.kind).group) {
        case op_group::unary:
        case op_group::binary:
        case op_group::comparison:
        case op_group::logic: return n.kind == op::select ? chosen(index) : elementwise(index);
        case op_group::reduction: return reduced(index);
        case op_group::normalization:
            return n.kind == op::softmax ? shared_out(index) : with_constants(index, mixed_axes(n));
        case op_group::movement: return moved(index);
        case op_group::quantization:
        case op_group::parametric: return with_constants(index, 0);
        case op_group::scan: {
            const cumulation& c = n.get<cumulation>();
            const std::uint32_t along = 1U << static_cast<unsigned>(normalized_axis(c.axis, n.shape.rank));
            return c.reverse ? with_constants(index, along) : padded_axes{of(index, 0).along, 0, 0};
        }
        case op_group::contraction:
            return n.kind == op::matmul   ? product(index)
                   : n.kind == op::linear ? with_constants(index, 1U << static_cast<unsigned>(n.shape.rank - 1))
                                          : with_constants(index, ~1U);
        case op_group::window: return with_constants(index, ~1U); // the batch alone stays apart
        case op_group::native:
            if (n.kind == op::dropout) {
                return of(index, 0);
            }
            break;
        case op_group::source:
        case op_group::arg_reduction:
        case op_group::texture:
        case op_group::attention:
        case op_group::rank: break;
        }
        return refuse(padding_rule::padding_reaches_other_elements, index, any);
    }

    /// The first operand's padding stays where it is, unless it lies along a mixed axis; the others have none.
    constexpr padded_axes with_constants(int index, std::uint32_t mixed) {
        std::uint32_t wrong = of(index, 0).along & mixed;
        for (int k = 1; k < g_[index].operands.count; ++k) {
            wrong |= of(index, k).along;
        }
        return wrong != 0 ? refuse(padding_rule::padding_reaches_other_elements, index, wrong)
                          : padded_axes{of(index, 0).along, 0, 0};
    }

    /// The padding of an operand along the axes of the result.
    constexpr padded_axes spread(int index, int position) const {
        const padded_axes x = of(index, position);
        const int from = shape(index, position).rank;
        const int to = g_[index].shape.rank;
        return {broadcast_axes(x.along, from, to), broadcast_axes(x.zero, from, to),
                broadcast_axes(x.hidden, from, to)};
    }

    /// Whether an operand is a constant of one value.
    constexpr bool is_number(int index, int position, double& value) const {
        const node& n = g_[operand(index, position)];
        return n.kind == op::constant && detail::is_number(g_.values(n), value);
    }

    /// Where padding is zero in the result too: the range of the result is zero alone where those of some operands are.
    constexpr padded_axes elementwise(int index) {
        const node& n = g_[index];
        const padded_axes a = spread(index, 0);
        if (n.operands.count == 1) {
            return {a.along, gives_zero(index, true, false) ? a.zero : 0U, 0};
        }
        const padded_axes b = spread(index, 1);
        padded_axes r{a.along | b.along, 0, 0};
        double number = 0;
        if (!is_comparison(n.kind)) {
            r.zero |= gives_zero(index, true, true) ? a.zero & b.zero : 0U;
            r.zero |= bounded(index, 1) && gives_zero(index, true, false) ? a.zero : 0U;
            r.zero |= bounded(index, 0) && gives_zero(index, false, true) ? b.zero : 0U;
        } else if (is_number(index, 1, number) && number == number) { // NOLINT(misc-redundant-expression): no NaN
            r.zero = numerics::holds(n.kind, number > 0 ? -1 : number < 0 ? 1 : 0) ? 0U : a.zero;
        }
        return r;
    }

    /// Whether nothing but zero comes out where the first operand, the second or both are zero, whatever the other is.
    constexpr bool gives_zero(int index, bool first, bool second) const {
        const auto range_of = [&](int position, bool zero) {
            return zero || position >= g_[index].operands.count
                       ? interval{0, 0, true}
                       : ranges_[static_cast<std::size_t>(operand(index, position))];
        };
        const interval in[] = {range_of(0, first), range_of(1, second)};
        const interval out = range_of_node(g_, g_[index], catalogue::operand_ranges(in));
        return out.low == 0 && out.high == 0;
    }

    constexpr padded_axes chosen(int index) {
        const padded_axes where = spread(index, 0);
        const padded_axes a = spread(index, 1);
        const padded_axes b = spread(index, 2);
        padded_axes r{where.along | a.along | b.along, 0, 0};
        double number = 0;
        if (is_number(index, 2, number)) {
            const interval& kept = ranges_[static_cast<std::size_t>(operand(index, 1))];
            r.zero = number == 0 ? where.zero : 0U;
            r.hidden = kept.bounded() && kept.low - number >= hidden_below ? where.zero : 0U;
            remember_mask(index);
        } else {
            r.zero = (where.zero | a.zero) & b.zero;
        }
        return r;
    }

    /// The input behind the condition of a select, where it is compared or converted and no more.
    constexpr void remember_mask(int index) {
        int at = operand(index, 0);
        while (!is_source(g_[at].kind) && (is_comparison(g_[at].kind) || g_[at].kind == op::cast)) {
            at = operand(at, 0);
        }
        const int last = g_[at].shape.rank - 1;
        if (g_[at].kind == op::input && g_[at].type == dtype::uint8 && last >= 0 &&
            ((this->at(at).along >> static_cast<unsigned>(last)) & 1U) != 0) {
            masks_.push_back({at, last});
        }
    }

    constexpr padded_axes reduced(int index) {
        const node& n = g_[index];
        const indices& list = n.get<axes>().list;
        std::uint32_t over = list.rank == 0 ? ~0U : 0U;
        for (int k = 0; k < list.rank; ++k) {
            over |= 1U << static_cast<unsigned>(normalized_axis(static_cast<int>(list[k]), n.shape.rank));
        }
        const padded_axes x = of(index, 0);
        const bool sums = n.kind == op::reduce_sum || n.kind == op::reduce_sum_square || n.kind == op::reduce_l1_norm ||
                          n.kind == op::reduce_l2_norm;
        const std::uint32_t wrong = x.along & over & ~(sums ? x.zero : 0U);
        if (wrong != 0) {
            return refuse(sums ? padding_rule::padding_is_summed_and_is_not_zero
                               : padding_rule::padding_reaches_other_elements,
                          index, wrong);
        }
        return {x.along & ~over, x.zero & ~over, 0};
    }

    constexpr padded_axes shared_out(int index) {
        const std::uint32_t over = mixed_axes(g_[index]);
        const padded_axes x = of(index, 0);
        if ((x.along & over & ~x.hidden) != 0) {
            return refuse(padding_rule::padding_takes_part_in_a_softmax_and_is_not_masked, index, over);
        }
        return {x.along, x.along & over, 0};
    }

    constexpr padded_axes product(int index) {
        const transposed& t = g_[index].get<transposed>();
        const int rank = g_[index].shape.rank;
        const int left_rank = shape(index, 0).rank;
        const int right_rank = shape(index, 1).rank;
        const auto bit = [](int at) { return at >= 0 ? 1U << static_cast<unsigned>(at) : 0U; };
        const std::uint32_t left_inner = bit(left_rank - (t.a ? 2 : 1));
        const std::uint32_t right_inner = bit(right_rank - (t.b ? 1 : 2));
        const padded_axes a = of(index, 0);
        const padded_axes b = of(index, 1);
        const bool sums_padding = (a.along & left_inner) != 0 || (b.along & right_inner) != 0;
        const bool by_left = (a.zero & left_inner) != 0 && bounded(index, 1);
        const bool by_right = (b.zero & right_inner) != 0 && bounded(index, 0);
        if (sums_padding && !by_left && !by_right) {
            return refuse(padding_rule::padding_is_summed_and_is_not_zero, index, (a.along & left_inner) | 0U);
        }
        // The outer axes in the places that they have in the result.
        const auto outer = [&](std::uint32_t bits, int operand_rank, bool turned, bool left) {
            const std::uint32_t last = bit(operand_rank - 1);
            const std::uint32_t before = bit(operand_rank - 2);
            const std::uint32_t own = bits & (left ? (turned ? last : before) : (turned ? before : last));
            const std::uint32_t batch = bits & (before - 1U) & ~last;
            return broadcast_axes(batch, operand_rank, rank) | (own != 0 ? bit(rank - (left ? 2 : 1)) : 0U);
        };
        return {outer(a.along, left_rank, t.a, true) | outer(b.along, right_rank, t.b, false), 0, 0};
    }

    constexpr padded_axes moved(int index) {
        const node& n = g_[index];
        const padded_axes x = of(index, 0);
        switch (axes_paths[n.kind]) {
        case axes_path::kept: return x;
        case axes_path::permuted: {
            const indices& order = n.get<permutation>().order;
            padded_axes r;
            for (int k = 0; k < n.shape.rank; ++k) {
                const auto from = static_cast<unsigned>(order[k]);
                r.along |= ((x.along >> from) & 1U) << static_cast<unsigned>(k);
                r.zero |= ((x.zero >> from) & 1U) << static_cast<unsigned>(k);
                r.hidden |= ((x.hidden >> from) & 1U) << static_cast<unsigned>(k);
            }
            return r;
        }
        case axes_path::regrouped: return reshaped(index);
        case axes_path::joined: return joined(index);
        case axes_path::looked_up: return gathered(index);
        case axes_path::cut: {
            for (int k = 0; k < n.shape.rank; ++k) {
                const auto bit = 1U << static_cast<unsigned>(k);
                if ((x.along & bit) != 0 && n.shape[k] != shape(index, 0)[k]) {
                    return refuse(padding_rule::padding_reaches_other_elements, index, bit);
                }
            }
            return {x.along, n.kind == op::pad ? 0U : x.zero, 0};
        }
        case axes_path::other: break;
        }
        return refuse(padding_rule::padding_reaches_other_elements, index, x.along);
    }

    /// An axis stays where as many elements lie before it and it is as long (of several of one element, the one that
    /// grows with the length).
    constexpr padded_axes reshaped(int index) {
        const extents& from = shape(index, 0);
        const extents& to = g_[index].shape;
        const padded_axes x = of(index, 0);
        padded_axes r;
        std::int64_t before = 1;
        for (int k = 0; k < from.rank; before *= from[k], ++k) {
            if (((x.along >> static_cast<unsigned>(k)) & 1U) == 0) {
                continue;
            }
            std::int64_t there = 1;
            int place = 0;
            while (place < to.rank && (there != before || to[place] != from[k] ||
                                       ((grown(index) >> static_cast<unsigned>(place)) & 1U) == 0)) {
                there *= to[place++];
            }
            if (place == to.rank) {
                return refuse(padding_rule::padding_reaches_other_elements, index, 1U << static_cast<unsigned>(k));
            }
            r.along |= 1U << static_cast<unsigned>(place);
            r.zero |= ((x.zero >> static_cast<unsigned>(k)) & 1U) << static_cast<unsigned>(place);
            r.hidden |= ((x.hidden >> static_cast<unsigned>(k)) & 1U) << static_cast<unsigned>(place);
        }
        return r;
    }

    constexpr padded_axes joined(int index) {
        const node& n = g_[index];
        const auto over = 1U << static_cast<unsigned>(normalized_axis(n.get<axis>().index, n.shape.rank));
        padded_axes r{0, ~0U, ~0U};
        for (int k = 0; k < n.operands.count; ++k) {
            const padded_axes x = of(index, k);
            r = {r.along | x.along, r.zero & x.zero, r.hidden & x.hidden};
        }
        return (r.along & over) != 0 ? refuse(padding_rule::padding_reaches_other_elements, index, over) : r;
    }

    /// Rows of a table by indices: padding lies along the axes of the indices.
    constexpr padded_axes gathered(int index) {
        if (of(index, 0).along != 0) {
            return refuse(padding_rule::padding_reaches_other_elements, index, of(index, 0).along);
        }
        const int place = normalized_axis(g_[index].get<axis>().index, shape(index, 0).rank);
        return {of(index, 1).along << static_cast<unsigned>(place), 0, 0};
    }

    graph_view g_;
    graph_view other_;
    std::int64_t length_;
    std::int64_t other_length_;
    std::vector<interval> ranges_;
    sequence<node_port> ports_;
    std::vector<padded_axes> at_;
    std::vector<padding_mask> masks_;
    padding_verdict verdict_;
};

} // namespace detail

/// Whether inputs that are shorter than `length` may be padded to it (`padding_value`): then the elements of the outputs
/// that belong to the sequence are those that a model of just its length computes (up to the order of sums). `other` is
/// the same model with another length. Sound, not complete: what it does not know it refuses.
constexpr padding_verdict find_padding_leak(const graph_view& g, std::int64_t length, const graph_view& other,
                                            std::int64_t other_length) {
    return detail::padding_search(g, other, length, other_length).run();
}

} // namespace ane
