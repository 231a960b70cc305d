#pragma once

#include "../base/stop_point.hpp"
#include "emitting.hpp"

namespace ane {

/// Makes a new graph out of an old one, node by node. Shapes of the new nodes come from the shape rules.
class rewriter : public emitting<rewriter> {
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
    /// Old nodes are visited in order; what is emitted from here on comes from `index`.
    constexpr void visit(int index) {
        if ((index & 1023) == 0) {
            detail::stop_point();
        }
        current_ = index;
    }
    constexpr void rename(int index, int replacement) { renamed_[static_cast<std::size_t>(index)] = replacement; }

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
        if (n.attributes.kind() == attribute_kind::axes && n.get<axes>().list.rank == 0 &&
            result_.view().operand(n, 0).shape.rank > 0) { // all axes of an operand that had none
            axes all;
            all.list.append(0);
            n.attributes = all;
        }
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
    friend emitting<rewriter>;

    constexpr dynamic_graph& made() { return result_; }
    constexpr const dynamic_graph& made() const { return result_; }
    /// What an operation becomes has its name and its place.
    constexpr int append(node n, std::span<const int> operands) {
        const node& from = source_[current_];
        if (n.where.line == 0) {
            n.where = from.where;
        }
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
