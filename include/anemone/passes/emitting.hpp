#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/graph.hpp"

#include <initializer_list>

namespace ane {

/// What appends operations to a graph: the base of the rewriter, which makes a new one, and of the tape of gradients, which
/// goes on with an old one. Shapes and types of the new nodes come from the catalogue. `Maker` has
///
///     dynamic_graph& made()                                       the graph
///     int append(node n, std::span<const int> operands)           the number of the node, appended with its place
template <class Maker> class emitting {
public:
    constexpr const node& at(int index) const { return graph().nodes[static_cast<std::size_t>(index)]; }
    constexpr const extents& shape(int index) const { return at(index).shape; }

    /// Appends an operation; its shape and its type follow from its operands.
    constexpr int emit(op kind, const attributes& values, std::span<const int> operands) {
        return emit(kind, values, operands, {});
    }
    constexpr int emit(op kind, const attributes& values, std::initializer_list<int> operands) {
        return emit(kind, values, std::span<const int>(operands.begin(), operands.size()));
    }
    /// The same for operations whose operands do not determine the result's shape, which is `wanted`.
    constexpr int emit(op kind, const attributes& values, std::span<const int> operands, const extents& wanted) {
        node n;
        n.kind = kind;
        n.shape = wanted;
        n.attributes = values;
        const int index = maker().append(n, operands);
        node& made = maker().made().nodes.back();
        const inferred r = infer(maker().made(), made);
        if (!r.ok()) {
            detail::refuse_graph(name(kind), sentence(r.broken, name(kind)), r.got, r.want);
        }
        made.shape = r.shape;
        made.type = inferred_type(maker().made(), made);
        return index;
    }
    constexpr int emit(op kind, const attributes& values, std::initializer_list<int> operands, const extents& wanted) {
        return emit(kind, values, std::span<const int>(operands.begin(), operands.size()), wanted);
    }
    /// Appends a reshape; none where the shape is already the wanted one.
    constexpr int reshape(int operand, const extents& wanted) {
        if (shape(operand) == wanted) {
            return operand;
        }
        node n;
        n.kind = op::reshape;
        n.type = at(operand).type;
        n.shape = wanted;
        const int operands[] = {operand};
        return maker().append(n, operands);
    }
    /// Appends a constant of rank 0.
    constexpr int scalar(float value) { return filled({}, value); }
    /// Appends a constant of equal values.
    constexpr int filled(const extents& shape, float value) {
        const float values[] = {value};
        return constant(shape, values);
    }
    /// Appends a constant vector.
    constexpr int vector(std::span<const float> values) {
        return constant({static_cast<std::int64_t>(values.size())}, values);
    }
    /// Appends a constant, row-major.
    constexpr int constant(const extents& shape, std::span<const float> values) {
        node n;
        n.kind = op::constant;
        n.shape = shape;
        n.attributes = maker().made().keep(values);
        return maker().append(n, {});
    }
    /// A vector laid along one axis of a tensor of the given rank: [1, ..., length, ..., 1].
    constexpr int along(int vector, int axis, int rank) {
        extents wanted;
        for (int i = 0; i < rank; ++i) {
            wanted.append(i == axis ? shape(vector).count() : 1);
        }
        return reshape(vector, wanted);
    }
    /// A slice along one axis.
    constexpr int slice(int operand, int axis, std::int64_t begin, std::int64_t size) {
        window part{{}, shape(operand)};
        for (int k = 0; k < part.size.rank; ++k) {
            part.begin.append(k == axis ? begin : 0);
        }
        part.size[axis] = size;
        return emit(op::slice, part, {operand});
    }
    /// Zeros before and after an axis.
    constexpr int padded(int operand, int axis, std::int64_t before, std::int64_t after) {
        if (before == 0 && after == 0) {
            return operand;
        }
        pads border;
        for (int k = 0; k < shape(operand).rank; ++k) {
            border.before.append(k == axis ? before : 0);
            border.after.append(k == axis ? after : 0);
        }
        return emit(op::pad, border, {operand, scalar(0)});
    }

private:
    friend Maker;
    constexpr emitting() = default;

    constexpr Maker& maker() { return static_cast<Maker&>(*this); }
    constexpr const dynamic_graph& graph() const { return static_cast<const Maker&>(*this).made(); }
};

} // namespace ane
