#pragma once

#include "../../graph/attributes_of.hpp"
#include "../../graph/op_table.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "epilogue.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Where a transpose puts the rows of its operand.
ANEMONE_INLINE row_places places_of_rows(const graph_view& g, int transpose) {
    const extents& from = g.operand(g[transpose], 0).shape;
    const extents& to = g[transpose].shape;
    const indices strides = row_major_strides(to);
    row_places places{from.width(), {}};
    for (int axis = from.rank - 2; axis >= 0; --axis) {
        for (int k = 0; k < to.rank; ++k) {
            if (g[transpose].get<permutation>().order[k] == axis) {
                places.axes.push_back({from[axis], strides[k]});
            }
        }
    }
    return places;
}

/// Makes the stages of one layer.
class stage_maker {
public:
    ANEMONE_INLINE stage_maker(const binding_context& c, int end, int operands)
        : g_(c.graph), numbers_(c.numbers), order_(c.layout_of(end)), host_(c.layers->host_of(end)),
          operands_(operands) {
        for (int i = end; i >= 0; i = c.layers->before_node(i)) {
            if (i != host_) {
                members_.push_back({i});
            }
        }
        if (host_ >= 0) {
            members_.push_back(
                {host_}); // functions of other operands may stand before it, but its sums are there first
        }
        std::reverse(members_.begin(), members_.end());
        for (int k = 0; k < size(); ++k) {
            for (const int o : is_stage(k) ? g_.operands(at(k).node) : std::span<const int>{}) {
                if (const int from = find(origin(o)); from >= 0) {
                    at(from).last = k;
                }
            }
        }
        at(find(origin(end))).last = size();
    }

    ANEMONE_INLINE layer_program made(int end) {
        sequence<fused_stage> stages;
        for (int k = 0; k < size(); ++k) {
            if (is_stage(k)) {
                stages.push_back(stage(k));
            }
        }
        row_places places = g_[end].kind == op::transpose ? places_of_rows(g_, end) : row_places{};
        return {epilogue(std::move(stages), at(find(origin(end))).number, std::move(places)), std::move(reads_)};
    }

private:
    struct member {
        int node;
        int last = -1;  ///< the member that reads its value last
        int number = 0; ///< of its value
    };

    ANEMONE_INLINE int size() const { return static_cast<int>(members_.size()); }
    ANEMONE_INLINE member& at(int k) { return members_[static_cast<std::size_t>(k)]; }

    ANEMONE_INLINE bool is_stage(int k) { return at(k).node != host_ && !passes_on(at(k).node); }

    /// Whether a node of the layer has the values of its operand: only the places of its rows differ, at most.
    ANEMONE_INLINE bool passes_on(int node) const {
        return ane::detail::keeps_elements(g_[node].kind) || g_[node].kind == op::transpose;
    }

    /// The member that is a node, or -1.
    ANEMONE_INLINE int find(int node) {
        for (int k = 0; k < size(); ++k) {
            if (at(k).node == node) {
                return k;
            }
        }
        return -1;
    }

    /// The node whose elements a node has: that of a reshape in the layer is what it reshapes.
    ANEMONE_INLINE int origin(int node) {
        while (node != host_ && passes_on(node) && find(node) >= 0) {
            node = g_.operands(node)[0];
        }
        return node;
    }

    ANEMONE_INLINE fused_stage stage(int k) {
        const node& n = g_[at(k).node];
        const auto operands = g_.operands(n);
        fused_stage made;
        made.kind = n.kind;
        made.binary = is_binary(n.kind);
        made.a = source(operands[0], n.shape);
        if (made.binary) {
            made.b = source(operands[1], n.shape);
        } else {
            const ane::detail::unary_numbers numbers = numbers_(n);
            made.first = numbers.first;
            made.second = numbers.second;
        }
        at(k).number = free_number(k);
        made.to = at(k).number;
        return made;
    }

    ANEMONE_INLINE fused_stage::source source(int node, const extents& shape) {
        fused_stage::source from;
        const int read = origin(node);
        if (const int k = find(read); k >= 0) {
            from.value = at(k).number;
            return from;
        }
        from.repeats = repetition_of(in_layout(g_[node].shape, order_), in_layout(shape, order_));
        const auto found = std::find(reads_.begin(), reads_.end(), read);
        from.operand = operands_ + static_cast<int>(found - reads_.begin());
        if (found == reads_.end()) {
            reads_.push_back(read);
        }
        return from;
    }

    /// The lowest number of which no value is read after member k, whose operands may end there.
    ANEMONE_INLINE int free_number(int k) {
        for (int number = 0;; ++number) {
            bool taken = false;
            for (int other = 0; other < k; ++other) {
                taken = taken || (at(other).last > k && at(other).number == number);
            }
            if (!taken) {
                return number;
            }
        }
    }

    const graph_view& g_;
    stage_numbers numbers_;
    layout order_;
    int host_;
    int operands_;
    sequence<member> members_; ///< the host, then the others in the order of the graph
    sequence<int> reads_;
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY layer_program program_of_layer(const binding_context& c, int end, int operands) {
    return c.layers->alone(end) ? layer_program{} : detail::stage_maker(c, end, operands).made(end);
}

} // namespace ane::cpu::inline ANEMONE_WAY
