#pragma once

#include "../passes/lowering.hpp"
#include "attention.hpp"
#include "rewrite.hpp"

namespace ane::detail {

/// Whether the last axes of a transpose are these of its operand, and the others stay.
template <class... Axis> constexpr bool has_order(const node& n, Axis... last) {
    const indices& order = n.get<permutation>().order;
    const int ends[] = {last...};
    const int stay = order.rank - static_cast<int>(sizeof...(last));
    for (int k = 0; k < order.rank; ++k) {
        if (order[k] != (k < stay ? k : ends[k - stay])) {
            return false;
        }
    }
    return stay >= 0;
}

/// Whether a node exchanges the last two axes of its operand, and moves no other.
constexpr bool is_turned(const node& n) {
    const int rank = n.shape.rank;
    return n.kind == op::transpose && rank >= 2 && has_order(n, rank - 1, rank - 2);
}

/// Whether a transpose leaves the elements in their order: it moves axes of one element alone.
constexpr bool is_view(const node& n, const extents& from) {
    std::int64_t last = -1;
    for (int k = 0; k < n.shape.rank; ++k) {
        const std::int64_t axis = n.get<permutation>().order[k];
        if (from[static_cast<int>(axis)] == 1) {
            continue;
        }
        if (axis < last) {
            return false;
        }
        last = axis;
    }
    return true;
}

/// Two permutations in a row as one, or as none; one that moves nothing as a reshape; one of an operand of a product as
/// the product's own.
constexpr rewritten cancel_transposes(const graph_view& g, const target_description&) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind == op::matmul) {
            const transposed how = n.get<transposed>();
            const bool a = is_turned(g.operand(n, 0));
            const bool b = is_turned(g.operand(n, 1));
            const int left = a ? w.operand(g.operand(n, 0), 0) : w.operand(n, 0);
            const int right = b ? w.operand(g.operand(n, 1), 0) : w.operand(n, 1);
            return a || b ? w.emit(op::matmul, transposed{.a = how.a != a, .b = how.b != b}, {left, right}) : -1;
        }
        if (n.kind != op::transpose) {
            return -1;
        }
        if (is_view(n, g.operand(n, 0).shape)) {
            return w.reshape(w.operand(n, 0), n.shape);
        }
        if (g.operand(n, 0).kind != op::transpose) {
            return -1;
        }
        const node& inner = g.operand(n, 0);
        permutation both;
        bool moves = false;
        for (int k = 0; k < n.shape.rank; ++k) {
            const std::int64_t from = inner.get<permutation>().order[static_cast<int>(n.get<permutation>().order[k])];
            both.order.append(from);
            moves = moves || from != k;
        }
        const int x = w.operand(inner, 0);
        return moves ? w.emit(op::transpose, both, {x}) : x;
    });
}

/// Values of a graph with their last two axes exchanged: channels before positions. What is computed so stays so until
/// something needs the other order.
class channels_first_form {
public:
    constexpr explicit channels_first_form(const graph_view& g)
        : g_(g), w_(g), flipped_(g.nodes.size(), -1), computed_(g.nodes.size(), 0), known_(constant_nodes(g)),
          wanted_(g.nodes.size(), 0) {
        find_wanted();
    }

    constexpr rewritten make() {
        for (int i = 0; i < g_.size(); ++i) {
            w_.visit(i);
            const bool may = known_[static_cast<std::size_t>(i)] == 0;
            if (const int made = may ? flip_of(i) : -1; made >= 0) {
                flipped_[static_cast<std::size_t>(i)] = made;
                ++places_;
                computed_[static_cast<std::size_t>(i)] = 1;
            } else if (const int straight = may ? plain_of(i) : -1; straight >= 0) {
                w_.rename(i, straight);
                ++places_;
            } else {
                for (const int o : g_.operands(i)) {
                    static_cast<void>(plain(o));
                }
                w_.rename(i, w_.copy(i));
            }
        }
        for (const output_port& port : g_.outputs) {
            w_.add_output(plain(port.node), port);
        }
        return {prune(w_.result()), places_};
    }

private:
    constexpr bool is_known(int old) const { return known_[static_cast<std::size_t>(old)] != 0; }
    constexpr bool is_wanted(int old) const { return wanted_[static_cast<std::size_t>(old)] != 0; }

    /// Layers with weights at the right, which are exchanged for the left: channels first begins at them.
    constexpr bool begins(int i) const {
        const node& n = g_[i];
        if (n.kind == op::linear) {
            return n.shape.rank >= 2;
        }
        return n.kind == op::matmul && n.shape.rank >= 2 && !is_known(g_.operands(i)[0]) &&
               is_known(g_.operands(i)[1]) && g_.operand(n, 0).shape.rank >= 2 && g_.operand(n, 1).shape.rank == 2;
    }
    /// Whether an operation of one operand that is computed can as well be computed with it exchanged.
    constexpr bool hands_on(int i) const {
        const node& n = g_[i];
        return is_unary(n.kind) || n.kind == op::layer_norm || n.kind == op::rms_norm || keeps_rows(i) ||
               (is_binary(n.kind) && (is_known(g_.operands(i)[0]) || is_known(g_.operands(i)[1])));
    }
    /// A reshape of axes before the last two.
    constexpr bool keeps_rows(int i) const {
        const node& n = g_[i];
        if (n.kind != op::reshape) {
            return false;
        }
        const extents& from = g_.operand(n, 0).shape;
        return n.shape.rank >= 2 && from.rank >= 2 && n.shape.height() == from.height() &&
               n.shape.width() == from.width();
    }
    /// Which values all readers need exchanged: they are computed so.
    constexpr void find_wanted() {
        sequence<char> plainly(g_.nodes.size(), 0);
        for (const output_port& port : g_.outputs) {
            plainly[static_cast<std::size_t>(port.node)] = 1;
        }
        for (int i = g_.size() - 1; i >= 0; --i) {
            const auto at = static_cast<std::size_t>(i);
            wanted_[at] = wanted_[at] != 0 && plainly[at] == 0 ? 1 : 0;
            const bool exchanged = begins(i) || (is_wanted(i) && hands_on(i));
            for (const int o : g_.operands(i)) {
                (exchanged ? wanted_ : plainly)[static_cast<std::size_t>(o)] = 1;
            }
        }
    }

    constexpr int swap(int value) {
        permutation order;
        const int rank = w_.shape(value).rank;
        for (int i = 0; i < rank; ++i) {
            order.order.append(i < rank - 2 ? i : (i == rank - 2 ? rank - 1 : rank - 2));
        }
        return w_.emit(op::transpose, order, {value});
    }
    /// A value in the model's own order.
    constexpr int plain(int old) {
        if (w_.renamed(old) < 0) {
            w_.rename(old, swap(flipped_[static_cast<std::size_t>(old)]));
        }
        return w_.renamed(old);
    }
    /// A value with its last two axes exchanged.
    constexpr int flipped(int old) {
        int& made = flipped_[static_cast<std::size_t>(old)];
        if (made < 0) {
            made = swap(w_.renamed(old));
        }
        return made;
    }
    /// Whether a value was computed so: the other order costs a transpose.
    constexpr bool is_flipped(int old) const { return computed_[static_cast<std::size_t>(old)] != 0; }

    /// An operand that broadcasts against a flipped value.
    constexpr int flipped_operand(int old) {
        const extents& shape = g_[old].shape;
        if (shape.rank == 0) {
            return w_.renamed(old);
        }
        if (shape.rank == 1) {
            return w_.reshape(w_.renamed(old), {shape[0], 1});
        }
        return flipped(old);
    }
    constexpr int other_axis(int axis, int rank) const {
        const int at = axis < 0 ? axis + rank : axis;
        return at == rank - 1 ? rank - 2 : (at == rank - 2 ? rank - 1 : at);
    }

    /// The flipped value of a node whose operation can be computed so, and is worth it; or -1.
    constexpr int flip_of(int i) {
        const node& n = g_[i];
        const int rank = n.shape.rank;
        if (begins(i) && n.kind == op::linear) {
            const int x = flipped(g_.operands(i)[0]);
            const int y = w_.emit(op::matmul, transposed{}, {plain(g_.operands(i)[1]), x});
            return n.operands.count == 3
                       ? w_.emit(op::add, no_attributes{}, {y, w_.reshape(w_.operand(n, 2), {n.shape.width(), 1})})
                       : y;
        }
        if (begins(i)) { // x w, as w^T x^T
            const transposed how = n.get<transposed>();
            return w_.emit(op::matmul, transposed{.a = !how.b, .b = how.a},
                           {w_.operand(n, 1), flipped(g_.operands(i)[0])});
        }
        if (n.kind == op::reshape && !keeps_rows(i)) {
            return joined_heads(i);
        }
        if (n.kind == op::transpose) {
            return split_heads(i);
        }
        if (rank < 2 || (!reads_flipped(i) && !(is_wanted(i) && hands_on(i)))) {
            return -1;
        }
        if (n.kind == op::reshape) {
            extents wanted = n.shape;
            wanted[rank - 2] = n.shape.width();
            wanted[rank - 1] = n.shape.height();
            return w_.reshape(flipped(g_.operands(i)[0]), wanted);
        }
        if (is_unary(n.kind)) {
            return w_.emit(n.kind, n.attributes, {flipped(g_.operands(i)[0])});
        }
        if (is_binary(n.kind)) {
            const int a = flipped_operand(g_.operands(i)[0]);
            const int b = flipped_operand(g_.operands(i)[1]);
            return w_.emit(n.kind, n.attributes, {a, b});
        }
        if (n.kind == op::softmax) {
            return w_.emit(op::softmax, axis{other_axis(n.get<axis>().index, rank)}, {flipped(g_.operands(i)[0])});
        }
        if (n.kind == op::layer_norm || n.kind == op::rms_norm) {
            stabilizer how = n.get<stabilizer>();
            how.axis = other_axis(how.axis, rank);
            sequence<int> operands;
            operands.push_back(flipped(g_.operands(i)[0]));
            for (int k = 1; k < n.operands.count; ++k) {
                operands.push_back(w_.operand(n, k));
            }
            return w_.emit(n.kind, how, std::span<const int>(operands.data(), operands.size()));
        }
        if (n.kind == op::matmul) { // (a b)^T = b^T a^T
            const transposed how = n.get<transposed>();
            const int a = g_.operands(i)[0];
            const int b = g_.operands(i)[1];
            const bool a_flipped = is_flipped(a);
            const bool b_flipped = is_flipped(b);
            return w_.emit(op::matmul, transposed{.a = how.b == b_flipped, .b = how.a == a_flipped},
                           {b_flipped ? flipped(b) : plain(b), a_flipped ? flipped(a) : plain(a)});
        }
        return -1;
    }
    constexpr bool reads_flipped(int i) const {
        for (const int o : g_.operands(i)) {
            if (is_flipped(o)) {
                return true;
            }
        }
        return false;
    }
    /// What a transpose makes of a value whose channels are first, where that is a view of it; or -1.
    constexpr int plain_of(int i) {
        const node& n = g_[i];
        if (n.kind != op::transpose) {
            return -1;
        }
        const int rank = n.shape.rank;
        const int inner = g_.operands(i)[0];
        if (is_turned(n) && is_flipped(inner)) { // x^T
            return flipped(inner);
        }
        if (rank >= 3 && has_order(n, rank - 2, rank - 1, rank - 3)) { // [.., S, H, D] as [.., H, D, S]
            const int x = heads_of(inner);
            return x >= 0 ? w_.reshape(flipped(x), n.shape) : -1;
        }
        return -1;
    }
    /// [.., S, H D], if node `split` is that as [.., S, H, D] and it is exchanged; or -1.
    constexpr int heads_of(int split) const {
        const int rank = g_[split].shape.rank;
        if (g_[split].kind != op::reshape || rank < 3) {
            return -1;
        }
        const int x = g_.operands(split)[0];
        const extents& from = g_[x].shape;
        const extents& to = g_[split].shape;
        const bool fits = from.rank >= 2 && is_flipped(x) && from.height() == to[rank - 3] &&
                          from.width() == to[rank - 2] * to[rank - 1];
        return fits ? x : -1;
    }

    /// [.., S, H D] as [.., S, H, D] as [.., H, S, D]: with channels first a reshape.
    constexpr int split_heads(int i) {
        const node& n = g_[i];
        const int rank = n.shape.rank;
        const int x = rank >= 3 && swaps_heads(n) ? heads_of(g_.operands(i)[0]) : -1;
        if (x < 0) {
            return -1;
        }
        extents wanted = n.shape;
        wanted[rank - 2] = n.shape[rank - 1];
        wanted[rank - 1] = n.shape[rank - 2];
        return w_.reshape(flipped(x), wanted);
    }
    /// [.., H, S, D] as [.., S, H, D] as [.., S, H D].
    constexpr int joined_heads(int i) {
        const node& n = g_[i];
        const int inner = g_.operands(i)[0];
        if (n.shape.rank < 2 || g_[inner].kind != op::transpose || !swaps_heads(g_[inner])) {
            return -1;
        }
        const int x = g_.operands(inner)[0];
        const extents& from = g_[x].shape;
        const int rank = from.rank;
        if (!is_flipped(x) || n.shape.height() != from[rank - 2] ||
            n.shape.width() != from[rank - 3] * from[rank - 1]) {
            return -1;
        }
        extents wanted = n.shape;
        wanted[n.shape.rank - 2] = n.shape[n.shape.rank - 1];
        wanted[n.shape.rank - 1] = n.shape[n.shape.rank - 2];
        return w_.reshape(flipped(x), wanted);
    }
    /// Whether a transpose exchanges the second and the third axis from the last, and moves no other.
    static constexpr bool swaps_heads(const node& n) {
        const int rank = n.shape.rank;
        return rank >= 3 && has_order(n, rank - 2, rank - 3, rank - 1);
    }

    graph_view g_;
    rewriter w_;
    sequence<int> flipped_;   // new nodes, by the old one
    sequence<char> computed_; // by the old one
    sequence<char> known_;
    sequence<char> wanted_; // by the old one: read only by what needs it exchanged
    int places_ = 0;
};

/// Linear layers, norms, products and all that lies between them with channels before positions: heads are split and
/// joined by reshapes, and no value is turned round (guide chapter 18; a public thread: 33 and 5.7 ms for an encoder). A
/// bias that lies along the rows is no stage of a product, and is added to what was rounded.
constexpr rewritten channels_first(const graph_view& g, const target_description& t) {
    const dynamic_graph parts = attention_as_parts(g, t).graph;
    rewritten made = channels_first_form(parts).make();
    return made.places > 0 ? made : rewritten{dynamic_graph(), 0};
}

} // namespace ane::detail
