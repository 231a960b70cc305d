#pragma once

#include "../passes/emitting.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace ane {

/// Why an operation has no derivative, and what to write instead; both are empty for one that has.
struct no_derivative {
    const char* why = "";
    const char* instead = "";
    constexpr bool any() const { return *why != '\0'; }
};

} // namespace ane

namespace ane::detail::gradients {

/// The backward pass under construction: the graph itself, to which it appends, and for each of its nodes the sum of the
/// cotangents that were found. A cotangent of a node has its shape: the derivative of the loss by each of its elements.
class tape : public emitting<tape> {
public:
    constexpr explicit tape(dynamic_graph& graph, int size)
        : graph_(&graph), cotangents_(static_cast<std::size_t>(size), -1),
          reached_(static_cast<std::size_t>(size), false) {}

    /// Whether the node depends on what the gradient is by.
    constexpr bool reached(int index) const { return reached_[static_cast<std::size_t>(index)]; }
    constexpr void reach(int index) { reached_[static_cast<std::size_t>(index)] = true; }

    /// The sum of the cotangents of a node, -1 while there is none.
    constexpr int cotangent(int index) const { return cotangents_[static_cast<std::size_t>(index)]; }
    /// Adds to it a value that broadcasts to the node's shape, or from which it was broadcast.
    constexpr void pull(int index, int value) {
        if (!reached(index)) {
            return;
        }
        const int shaped = to_shape_of(index, value);
        int& sum = cotangents_[static_cast<std::size_t>(index)];
        sum = sum < 0 ? shaped : add(sum, shaped);
    }

    /// What is appended from here on belongs to the derivative of a node.
    constexpr void visit(int index) { where_ = at(index).where; }

    constexpr int add(int a, int b) { return emit(op::add, no_attributes{}, {a, b}); }
    constexpr int sub(int a, int b) { return emit(op::sub, no_attributes{}, {a, b}); }
    constexpr int mul(int a, int b) { return emit(op::mul, no_attributes{}, {a, b}); }
    constexpr int mul(int a, int b, int c) { return mul(mul(a, b), c); }
    constexpr int scaled(int a, double factor) { return factor == 1 ? a : mul(a, number(factor)); }
    constexpr int plus(int a, double number_added) { return number_added == 0 ? a : add(a, number(number_added)); }
    /// 1 - a
    constexpr int rest(int a) { return sub(number(1), a); }
    constexpr int number(double value) { return scalar(static_cast<float>(value)); }
    constexpr int apply(op function, int a) { return emit(function, no_attributes{}, {a}); }
    constexpr int apply(op function, int a, int b) { return emit(function, no_attributes{}, {a, b}); }
    constexpr int inverse(int a, double epsilon = 0) {
        return emit(op::inverse, stabilizer{.epsilon = static_cast<float>(epsilon)}, {a});
    }
    constexpr int rsqrt(int a, double epsilon = 0) {
        return emit(op::rsqrt, stabilizer{.epsilon = static_cast<float>(epsilon)}, {a});
    }
    constexpr int clamp(int a, double low, double high) {
        return emit(op::clamp, clip_range{static_cast<float>(low), static_cast<float>(high)}, {a});
    }
    /// a where `compare(left, right)` holds, else b.
    constexpr int where(op compare, int left, int right, int a, int b) {
        return emit(op::select, no_attributes{}, {apply(compare, left, right), a, b});
    }
    /// The same with 0 for b.
    constexpr int only_where(op compare, int left, int right, int a) {
        return where(compare, left, right, a, number(0));
    }

    constexpr int sum(int a, const axes& over) { return emit(op::reduce_sum, over, {a}); }
    constexpr int mean(int a, const axes& over) { return emit(op::reduce_mean, over, {a}); }
    constexpr int transposed_to(int a, const indices& order) {
        permutation p;
        p.order = order;
        return emit(op::transpose, p, {a});
    }
    constexpr int concatenated(std::span<const int> parts, int along) {
        return parts.size() == 1 ? parts[0] : emit(op::concat, axis{along}, parts);
    }
    /// A value with the axes of a node's: summed where the node has fewer or extents of 1, repeated where it has more.
    constexpr int to_shape_of(int index, int value) { return to_shape(value, shape(index)); }
    /// The extents are a copy: those of a node move when another one is appended.
    constexpr int to_shape(int value, extents wanted) {
        value = summed_to(value, wanted);
        return shape(value) == wanted ? value : mul(value, filled(wanted, 1));
    }

    /// Zeros before and behind an axis. The engine pads the last two axes only: others are padded as the middle of three.
    constexpr int bordered(int a, int axis, std::int64_t before, std::int64_t after) {
        const extents given = shape(a);
        if (axis >= given.rank - 2) {
            return padded(a, axis, before, after);
        }
        extents wanted = given;
        wanted[axis] += before + after;
        return reshape(padded(as_middle(a, axis), 1, before, after), wanted);
    }
    /// Each element of an axis followed by `stride` - 1 zeros.
    constexpr int spaced(int a, int axis, std::int64_t stride) {
        extents wanted = shape(a);
        wanted[axis] *= stride;
        const extents middle = shape(as_middle(a, axis));
        const int apart = reshape(a, {middle[0], middle[1], 1, middle[2]});
        const int zeros = filled({middle[0], middle[1], stride - 1, middle[2]}, 0);
        return reshape(emit(op::concat, ane::axis{2}, {apart, zeros}), wanted);
    }

    constexpr dynamic_graph& made() { return *graph_; }
    constexpr const dynamic_graph& made() const { return *graph_; }

private:
    friend emitting<tape>;

    constexpr int append(node n, std::span<const int> operands) {
        n.where = where_;
        return graph_->append(n, operands);
    }
    /// [..., n, ...] as [before, n, behind].
    constexpr int as_middle(int a, int axis) {
        const extents given = shape(a);
        std::int64_t outer = 1;
        for (int k = 0; k < axis; ++k) {
            outer *= given[k];
        }
        return reshape(a, {outer, given[axis], given.count() / outer / given[axis]});
    }
    /// Sums over the axes that `wanted` lacks or has with an extent of 1.
    constexpr int summed_to(int value, const extents& wanted) {
        const extents& given = shape(value);
        const int more = given.rank - wanted.rank;
        axes over;
        for (int k = 0; k < given.rank; ++k) {
            if (given[k] != 1 && (k < more || wanted[k - more] == 1)) {
                over.list.append(k);
            }
        }
        if (over.list.rank > 0) {
            value = sum(value, over);
        }
        if (more > 0) {
            extents kept;
            for (int k = more; k < shape(value).rank; ++k) {
                kept.append(shape(value)[k]);
            }
            value = reshape(value, kept);
        }
        return value;
    }

    dynamic_graph* graph_;
    sequence<int> cotangents_;
    sequence<bool> reached_;
    source_location where_;
};

/// The node whose derivative is taken, over the tape.
struct step {
    tape& t;
    const node n; ///< a copy: appending moves the nodes
    int index;    ///< the node, and so its value y
    int dy;       ///< the cotangent of its value

    constexpr int x(int position = 0) const { return t.made().operand_pool.data()[n.operands.first + position]; }
    constexpr bool has(int position) const { return n.operands.count > position; }
    constexpr bool wants(int position) const { return has(position) && t.reached(x(position)); }
    constexpr void pull(int position, int value) const { t.pull(x(position), value); }
    constexpr extents shape(int position = 0) const { return t.shape(x(position)); }
};

/// The derivative of an operation: what it pulls from the cotangent of its result to those of its operands. One struct each,
/// in the header of its group; an operation without one does not compile:
///
///     void pull(const step& s)      appends the products with the derivative (the vector-Jacobian product)
///     no_derivative none                 why there is none
///     bool flat                     the result is an index, a boolean or an integer: no cotangent passes, as in PyTorch
template <op Kind> struct derivative;

/// What all share.
struct smooth {
    static constexpr no_derivative none{};
    static constexpr bool flat = false;
};
struct constant_result : smooth {
    static constexpr bool flat = true;
    static constexpr void pull(const step&) {}
};
struct refused_derivative {
    static constexpr bool flat = false;
    static constexpr void pull(const step&) {}
};

} // namespace ane::detail::gradients
