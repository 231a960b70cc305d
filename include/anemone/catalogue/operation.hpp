#pragma once

#include "../graph/graph.hpp"
#include "../graph/sequence.hpp"
#include "../numerics/path.hpp"
#include "../ops/shape_fault.hpp"
#include "../ranges/interval.hpp"
#include "../targets/operation_support.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ane {

/// The order of the results of a function, computed exactly and where it is defined: that of the operands, the other, or
/// neither of them.
enum class monotonicity : std::uint8_t { increasing, decreasing, neither };

} // namespace ane

namespace ane::detail::catalogue {

/// What the graph layer knows of an operation besides its row in graph/operations.def. One struct each, in the header of
/// its group; what a whole group shares is the struct that it derives from. An operation without a struct, or a struct
/// without one of these, does not compile:
///
///     inferred shape(g, n)          the shape of the result, by the rule that the typed builder uses too
///     dtype type(g, n)              the element type of the result
///     bool reads(g, n, position)    whether it reads elements of the type that an operand has
///     interval range(g, n, in)      the range of the result from those of the operands (analysis/ranges.hpp)
///     interval parts(g, n, in)      of operations that are made of others: what those store on the way to the result
///     bool exact                    never rounds: it compares, chooses or moves values
///     operation_support support     from which generation the engine has it, and by which routes
///     engine_path engine            which of the engine's arithmetics it uses, and how that is known
///     monotonicity grows(n)         of functions of one operand: whether larger operands give larger results
template <op Kind> struct operation;

using path = numerics::arithmetic_path;
using numerics::engine_path;
using numerics::evidence;

/// Lowering always makes other operations of it.
inline constexpr engine_path that_of_its_parts{path::composed, evidence::inferred, ""};

/// The ranges of a node's operands, by position.
class operand_ranges {
public:
    constexpr explicit operand_ranges(const interval* first) : first_(first) {}
    constexpr const interval& operator()(int position) const { return first_[position]; }

private:
    const interval* first_;
};

/// Gathers the ranges of the operands of one node after the other; each call overwrites what the last one returned.
class operand_gatherer {
public:
    /// `known(i)` is the range of node i.
    template <class Known> constexpr operand_ranges of(std::span<const int> operands, Known known) {
        while (values_.size() < operands.size()) {
            values_.push_back({});
        }
        interval* const values = values_.data();
        for (std::size_t k = 0; k < operands.size(); ++k) {
            values[k] = known(operands[k]);
        }
        return operand_ranges(values);
    }

private:
    sequence<interval> values_ = sequence<interval>(8);
};

constexpr const extents& shape_of(const graph_view& g, const node& n, int operand) {
    return g.operand(n, operand).shape;
}
constexpr dtype type_of(const graph_view& g, const node& n, int operand) { return g.operand(n, operand).type; }

/// Reads and computes fp16.
struct of_halves {
    static constexpr dtype type(const graph_view&, const node&) { return dtype::f16; }
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == dtype::f16;
    }
    static constexpr bool exact = false;
};

/// The result has the shape of the first operand.
struct shaped_as_operand {
    static constexpr inferred shape(const graph_view& g, const node& n) { return {.shape = shape_of(g, n, 0)}; }
};

/// The result has the range of the first operand.
struct ranged_as_operand {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return of_elements(in(0)); }
};

} // namespace ane::detail::catalogue
