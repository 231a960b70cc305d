#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/graph.hpp"

#include <initializer_list>

namespace ane {

/// Makes a new graph out of an old one, node by node. Shapes of the new nodes come from the shape rules.
class rewriter {
public:
    constexpr explicit rewriter(const graph_view& source) : source_(source), renamed_(source.nodes.size(), -1) {
        result_.call_as(source);
    }

    /// The new node that stands for old node `index`.
    constexpr int renamed(int index) const { return renamed_[static_cast<std::size_t>(index)]; }
    /// The new node that stands for the `position`-th operand of old node `n`.
    constexpr int operand(const node& n, int position) const {
        return renamed(source_.operands(n)[static_cast<std::size_t>(position)]);
    }
    constexpr const extents& shape(int index) const { return result_.nodes[static_cast<std::size_t>(index)].shape; }
    constexpr const node& at(int index) const { return result_.nodes[static_cast<std::size_t>(index)]; }

    /// Old nodes are visited in order; what is emitted from here on comes from `index`.
    constexpr void visit(int index) { current_ = index; }
    constexpr void rename(int index, int replacement) { renamed_[static_cast<std::size_t>(index)] = replacement; }

    /// Appends an operation; its shape and its type follow from its operands.
    constexpr int emit(op kind, const attributes& values, std::span<const int> operands) {
        node n;
        n.kind = kind;
        n.attributes = values;
        n.where = source_[current_].where;
        const int index = append(n, operands);
        const inferred r = infer(result_, result_.nodes.back());
        if (!r.ok()) {
            detail::refuse_graph(name(kind), sentence(r.broken, name(kind)), r.got, r.want);
        }
        result_.nodes.back().shape = r.shape;
        result_.nodes.back().type = inferred_type(result_, result_.nodes.back());
        return index;
    }
    constexpr int emit(op kind, const attributes& values, std::initializer_list<int> operands) {
        return emit(kind, values, std::span<const int>(operands.begin(), operands.size()));
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
        n.where = source_[current_].where;
        const int operands[] = {operand};
        return append(n, operands);
    }
    /// Appends a constant of rank 0.
    constexpr int scalar(float value) { return filled({}, value); }
    /// Appends a constant of equal values.
    constexpr int filled(const extents& shape, float value) {
        node n;
        n.kind = op::constant;
        n.shape = shape;
        const float values[] = {value};
        n.attributes = result_.keep(values);
        n.where = source_[current_].where;
        return append(n, {});
    }
    /// Appends a constant vector.
    constexpr int vector(std::span<const float> values) {
        node n;
        n.kind = op::constant;
        n.shape = {static_cast<std::int64_t>(values.size())};
        n.attributes = result_.keep(values);
        n.where = source_[current_].where;
        return append(n, {});
    }
    /// A vector laid along one axis of a tensor of the given rank: [1, ..., length, ..., 1].
    constexpr int along(int vector, int axis, int rank) {
        extents wanted;
        for (int i = 0; i < rank; ++i) {
            wanted.append(i == axis ? shape(vector).count() : 1);
        }
        return reshape(vector, wanted);
    }
    /// Appends old node `index` as it is, over the renamed operands.
    constexpr int copy(int index) {
        node n = source_[index];
        sequence<int> operands;
        for (const int o : source_.operands(index)) {
            operands.push_back(renamed(o));
        }
        n.name = n.name.count > 0 ? result_.intern(source_.name(index)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = result_.keep(source_.values(source_[index]));
        }
        return append(n, operands);
    }
    /// The same with the shape that its operation gives over the renamed operands, else with `otherwise`.
    constexpr int copy_as(int index, const extents& otherwise) {
        const int made = copy(index);
        node& n = result_.nodes.back();
        n.shape = otherwise;
        if (!is_source(n.kind)) {
            const inferred r = infer(result_, n);
            n.shape = r.ok() && r.shape.count() == otherwise.count() ? r.shape : otherwise;
        }
        return made;
    }
    /// The same with other attributes and over other operands, of the same shapes and types.
    constexpr int copy(int index, const attributes& values, std::span<const int> operands) {
        node n = source_[index];
        n.name = n.name.count > 0 ? result_.intern(source_.name(index)) : range_of{};
        n.attributes = values;
        return append(n, operands);
    }
    constexpr void add_output(int node, std::string_view name) { result_.add_output(node, name); }
    /// An output or a state of the source, whose value is now that of `node`.
    constexpr void add_output(int node, const output_port& port) {
        result_.add_output(node, source_.name(port), port.is_state() ? renamed(port.state) : -1);
    }

    constexpr const graph_view& source() const { return source_; }
    constexpr const dynamic_graph& result() const { return result_; }
    /// For every new node the old node that it comes from.
    constexpr const sequence<int>& origins() const { return origins_; }

private:
    /// What an operation becomes has its name.
    constexpr int append(node n, std::span<const int> operands) {
        const node& from = source_[current_];
        if (n.name.count == 0 && from.name.count > 0 && !is_source(n.kind) && !is_source(from.kind)) {
            n.name = result_.intern(source_.name(current_));
        }
        origins_.push_back(current_);
        return result_.append(n, operands);
    }

    graph_view source_;
    dynamic_graph result_;
    sequence<int> renamed_;
    sequence<int> origins_;
    int current_ = 0;
};

} // namespace ane
