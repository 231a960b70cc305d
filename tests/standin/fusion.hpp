#pragma once

#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ane::standin {

/// One step of the fused program: a node, and what the compiler folded into it. The order is that of the hardware: the
/// bias starts the accumulator, the gain-offset acts on the rounded result, the activation comes last.
struct step {
    int primary = -1;          ///< the node that runs
    std::optional<int> bias;   ///< constant: initial value of the accumulator
    std::optional<int> scale;  ///< constant of the gain-offset
    std::optional<int> offset; ///< constant of the gain-offset; with it, scale and offset take one rounding together
    std::optional<int> source; ///< a gain-offset that stands alone works on this value and `primary` is the multiply
    int activation = -1;       ///< the unary node applied last, or -1
    std::vector<int> results;
};

/// The peephole fusions of the engine's compiler as the facts describe them (mil-ops 5: contraction, bias and
/// activation collapse, an add of two live tensors does not), found on the checked program and on nothing else.
class fuser {
public:
    explicit fuser(const program& p) : program_(p), uses_(p.values.size(), 0), reader_(p.values.size(), -1) {
        for (std::size_t i = 0; i < p.nodes.size(); ++i) {
            for (const auto& [argument, ids] : p.nodes[i].arguments) {
                for (const int id : ids) {
                    ++uses_[static_cast<std::size_t>(id)];
                    reader_[static_cast<std::size_t>(id)] = static_cast<int>(i);
                }
            }
        }
        for (const int id : p.outputs) {
            uses_[static_cast<std::size_t>(id)] += 2; // an output is never the inside of a fusion
        }
    }

    std::vector<step> run() {
        std::vector<step> steps;
        std::vector<bool> taken(program_.nodes.size(), false);
        for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
            if (taken[i]) {
                continue;
            }
            step s = start(static_cast<int>(i));
            for (const int inside : absorbed_) {
                taken[static_cast<std::size_t>(inside)] = true;
            }
            absorbed_.clear();
            steps.push_back(std::move(s));
        }
        return steps;
    }

private:
    const node& node_at(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }

    /// The only reader of a value, or -1.
    int sole_reader(int id) const {
        return uses_[static_cast<std::size_t>(id)] == 1 ? reader_[static_cast<std::size_t>(id)] : -1;
    }

    /// The constant operand of `index` if that is `kind` of `id` and a constant, and keeps the shape of `id`.
    std::optional<int> constant_operand(int index, op kind, int id) const {
        if (index < 0 || node_at(index).rule->act != action::binary || node_at(index).rule->kind != kind) {
            return std::nullopt;
        }
        const node& n = node_at(index);
        const int x = program_.id(n, "x");
        const int other = x == id ? program_.id(n, "y") : x;
        if (!program_.at(other).data || program_.shape(n.results.front()) != program_.shape(id)) {
            return std::nullopt;
        }
        return other;
    }

    /// True for one element, or extents of 1 but for the axis `from_last` places before the last.
    bool varies_along(int constant, const dimensions& shape, std::size_t from_last) const {
        const dimensions& own = program_.shape(constant);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const std::size_t place = own.size() - 1 - i;
            const bool full =
                place == from_last && from_last < shape.size() && own[i] == shape[shape.size() - 1 - place];
            if (own[i] != 1 && !full) {
                return false;
            }
        }
        return true;
    }

    /// A gain-offset unit has one number, or one per channel: the last axis of a matrix product, axis C elsewhere.
    bool per_channel(int constant, const node& origin, int id) const {
        return varies_along(constant, program_.shape(id), origin.rule->act == action::matmul ? 0 : 2);
    }

    int absorb(step& into, int index) {
        absorbed_.push_back(index);
        into.results = node_at(index).results;
        return into.results.front();
    }

    step start(int index) {
        const node& n = node_at(index);
        step s;
        s.primary = index;
        s.results = n.results;
        const action act = n.rule->act;
        int current = n.results.front();
        if (act == action::convolution || act == action::transposed_convolution || act == action::matmul) {
            int next = sole_reader(current);
            const std::optional<int> bias = constant_operand(next, op::add, current);
            if (bias && per_channel(*bias, n, current)) {
                s.bias = bias;
                current = absorb(s, next);
            }
            next = sole_reader(current);
            const std::optional<int> scale = constant_operand(next, op::mul, current);
            if (scale && per_channel(*scale, n, current)) {
                s.scale = scale;
                current = absorb(s, next);
                current = take_offset(s, n, current);
            }
            take_activation(s, current);
        } else if (act == action::binary && n.rule->kind == op::mul) {
            const int x = program_.id(n, "x");
            const int y = program_.id(n, "y");
            const bool scales_x = !program_.at(x).data && constant_operand(index, op::mul, x) && per_channel(y, n, x);
            const bool scales_y = !program_.at(y).data && constant_operand(index, op::mul, y) && per_channel(x, n, y);
            if (scales_x || scales_y) {
                s.scale = scales_x ? y : x;
                s.source = scales_x ? x : y;
                current = take_offset(s, n, current);
                if (!s.offset) {
                    s.scale.reset(); // a lone multiply is the ordinary one
                    s.source.reset();
                }
            }
        }
        return s;
    }

    int take_offset(step& s, const node& origin, int current) {
        const int next = sole_reader(current);
        const std::optional<int> offset = constant_operand(next, op::add, current);
        if (offset && per_channel(*offset, origin, current)) {
            s.offset = offset;
            return absorb(s, next);
        }
        return current;
    }

    void take_activation(step& s, int current) {
        const int next = sole_reader(current);
        if (next >= 0 && node_at(next).rule->act == action::unary) {
            s.activation = next;
            static_cast<void>(absorb(s, next));
        }
    }

    const program& program_;
    std::vector<int> uses_;
    std::vector<int> reader_;
    std::vector<int> absorbed_;
};

inline std::vector<step> fuse(const program& p) { return fuser(p).run(); }

} // namespace ane::standin
