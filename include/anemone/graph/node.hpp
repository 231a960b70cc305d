#pragma once

#include "../values/dtype.hpp"
#include "../values/shape.hpp"
#include "attributes.hpp"
#include "op.hpp"

#include <cstddef>

namespace ane {

/// Where in the user's source an operation was written. It is the last parameter of every builder, so what is made of
/// anything else is an argument that no builder takes, and says so on the caller's line.
struct source_location {
    const char* file = "";
    int line = 0;

    constexpr source_location() = default;
    constexpr source_location(const char* in_file, int in_line) : file(in_file), line(in_line) {}
    // NOLINTBEGIN(google-explicit-constructor)
    template <std::size_t Size>
    __attribute__((unavailable("an operation is not named by an argument: g.layer(\"name\", value) names it"))) constexpr source_location(
        const char (&)[Size]) {}
    template <class T>
    __attribute__((unavailable(
        "the operation takes no such argument; what describes it is a constant in angle "
        "brackets: softmax<axis{1}>(x), conv2d<conv{.stride = 2}>(x, w)"))) constexpr source_location(const T&) {}
    // NOLINTEND(google-explicit-constructor)
};

/// The caller's source position, as a default argument of operation builders (clang 14 lacks std::source_location).
constexpr source_location here(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
    return {file, line};
}

/// A contiguous range of elements in one of the graph's pools.
struct range_of {
    int first = 0;
    int count = 0;
};

/// One operation: what it is, what it produces, what it reads, and where it was written.
struct node {
    op kind = op::input;
    dtype type = dtype::f16;
    extents shape;
    ane::attributes attributes;
    range_of operands; ///< in the graph's operand pool: indices of nodes
    range_of name;     ///< in the graph's text pool; empty unless the node was named
    source_location where;
    bool ends_segment = false; ///< its readers belong to a later program (graph/placement.hpp)
    bool on_host = false;      ///< computed by the host

    template <class T> constexpr const T& get() const { return attributes.get<T>(); }
};

/// An output of a graph: a name for the value of a node. Where it has a state, no caller sees it: the value is what the
/// input of that number holds in the next run (graph/state.hpp).
struct output_port {
    int node = 0;
    range_of name;
    int state = -1;      ///< an input, or -1
    bool unread = false; ///< written, and not read since, while the graph is described

    constexpr bool is_state() const { return state >= 0; }
};

} // namespace ane
