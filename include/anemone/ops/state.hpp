#pragma once

#include "../graph/state.hpp"
#include "comparison.hpp"

/// Reading and writing the states of a graph (graph/state.hpp): `read`, `write`, and `write_where` for a part, such as
/// the row of one token in a cache. None of them is an operation of the engine: a state is a pair of ports.
namespace ane {

namespace detail {

/// An fp16 tensor of the state's shape.
constexpr inferred written_rule(const extents& state, const operand& value) {
    inferred r{.shape = state};
    require_arithmetic(r, value);
    r.require(value.shape.rank == state.rank, fault::written_value_must_have_the_rank_of_the_state, value.shape.rank,
              state.rank);
    for (int i = 0; r.ok() && i < state.rank; ++i) {
        r.require(value.shape[i] == state[i], fault::written_value_must_have_the_extents_of_the_state, value.shape[i],
                  state[i]);
    }
    return r;
}

/// A mask and a value that broadcast to the state's shape.
constexpr inferred masked_write_rule(const extents& state, const operand& mask, const operand& value) {
    inferred r{.shape = state};
    r.require(mask.type == dtype::uint8 || mask.type == dtype::boolean,
              fault::mask_must_be_bytes_or_the_result_of_a_comparison, static_cast<int>(mask.type),
              static_cast<int>(dtype::uint8));
    require_arithmetic(r, value);
    for (const extents& given : {mask.shape, value.shape}) {
        const inferred joined = broadcast(given, state);
        r.require(joined.ok(), joined.broken, joined.got, joined.want);
        r.require(joined.shape.rank == state.rank, fault::mask_and_value_must_not_be_larger_than_the_state,
                  joined.shape.rank, state.rank);
        for (int i = 0; r.ok() && i < state.rank; ++i) {
            r.require(joined.shape[i] == state[i], fault::mask_and_value_must_not_be_larger_than_the_state,
                      joined.shape[i], state[i]);
        }
    }
    return r;
}

} // namespace detail

namespace shapes {
template <class State> struct value_of {
    static constexpr inferred judge(const detail::operand& value) { return detail::written_rule(State::extent, value); }
};
template <class State> struct part_of {
    static constexpr inferred judge(const detail::operand& mask, const detail::operand& value) {
        return detail::masked_write_rule(State::extent, mask, value);
    }
};
} // namespace shapes

/// The value of a state: what the last run left, or what was written before in this one.
template <class Shape> constexpr tensor<Shape> read(const state<Shape>& s) {
    output_port& port = s.graph->outputs[static_cast<std::size_t>(s.port)];
    port.unread = false;
    return {s.graph, port.node};
}

/// Replaces the value of a state, for the reads that follow and for the next run. A second value needs a read before it:
/// otherwise nothing would ever see the first.
template <class Shape, class Value>
    requires obeys<shapes::value_of<state<Shape>>, Value>
constexpr void write(const state<Shape>& s, Value value, source_location where = here()) {
    output_port& port = s.graph->outputs[static_cast<std::size_t>(s.port)];
    if (value.graph != s.graph) {
        const range_of name = s.graph->nodes[static_cast<std::size_t>(port.state)].name;
        s.graph->refuse(model_rule::a_state_is_written_with_a_value_of_another_graph, s.graph->view().text(name),
                        where);
        return;
    }
    if (port.unread) {
        const range_of name = s.graph->nodes[static_cast<std::size_t>(port.state)].name;
        s.graph->refuse(model_rule::a_state_is_written_again_before_it_is_read, s.graph->view().text(name), where);
    }
    port.node = value.node;
    port.unread = true;
}
template <class Shape, class Value, class Broken = breach<op::input, shapes::value_of<state<Shape>>, Value>>
Broken write(const state<Shape>&, Value, ...);

/// Replaces the elements of a state where the mask is true, or not 0 in a port of bytes, by those of `value`: both
/// broadcast. A position that is known in a run only is such a port, which the host fills (`ones_at`):
///
///     auto at = g.input("at"_s, u8<256, 1>); // which of 256 rows
///     write_where(cache, at, row);           // cache: 1x12x256x64, row: 1x12x1x64
///
/// A `select`: `cache * (1 - m) + row * m` would make NaN of infinities, and lose the sign of -0 where `select` keeps it
/// (the engine takes -0 for 0 wherever it enters).
template <class Shape, class Mask, class Value>
    requires obeys<shapes::part_of<state<Shape>>, Mask, Value>
constexpr void write_where(const state<Shape>& s, Mask mask, Value value, source_location where = here()) {
    if constexpr (Mask::element == dtype::uint8) {
        write(s, select(not_equal(to_f16(mask, where), 0, where), value, read(s), where), where);
    } else {
        write(s, select(mask, value, read(s), where), where);
    }
}
template <class Shape, class Mask, class Value,
          class Broken = breach<op::select, shapes::part_of<state<Shape>>, Mask, Value>>
Broken write_where(const state<Shape>&, Mask, Value, ...);

// A tensor is no state.
template <class Shape, dtype Type>
__attribute__((unavailable(
    "a tensor is its value already: read is for a state, g.state(\"s\"_s, f16<1, 8>)"))) constexpr tensor<Shape, Type>
read(tensor<Shape, Type> x) {
    return x;
}
template <class Shape, dtype Type, class Value>
__attribute__((unavailable("a tensor never changes: write is for a state, g.state(\"s\"_s, f16<1, 8>), and a new value "
                           "has a new name"))) constexpr void
write(tensor<Shape, Type>, Value) {}

// A number has rank 0: 0 * read(s) is a tensor of zeros.
template <class Shape, number Value>
refused_operands<
    shape_fault<op::input, fault::written_value_must_have_the_rank_of_the_state, 0, state<Shape>::extent.rank>,
    state<Shape>, Value>
write(const state<Shape>&, Value, ...);

// What a state is not for: an assignment to a tensor changes the meaning of a name, `write` the value of the next run.
template <class Shape, class B, class Broken = breach<op::input, shapes::broadcast, state<Shape>, B>>
Broken operator+=(const state<Shape>&, B);
template <class Shape, class B, class Broken = breach<op::input, shapes::broadcast, state<Shape>, B>>
Broken operator-=(const state<Shape>&, B);
template <class Shape, class B, class Broken = breach<op::input, shapes::broadcast, state<Shape>, B>>
Broken operator*=(const state<Shape>&, B);
template <class Shape, class B, class Broken = breach<op::input, shapes::broadcast, state<Shape>, B>>
Broken operator/=(const state<Shape>&, B);

} // namespace ane
