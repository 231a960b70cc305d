#pragma once

#include "tensor.hpp"

namespace ane {

/// A tensor that a program keeps from one run to the next: zeros before the first run. In the graph it is an input, the
/// value before a run, and an output with `_out` behind its name, the value after it; programs hold the one where the
/// other was (`program::state`, `program::reset`), and callers see neither. On the engine both are one buffer, which the
/// runtime binds to two ports: its compilers refuse state operations on the direct route (facts: engine-runtime 4).
///
///     auto total = g.state("total"_s, f16<1, 64>);
///     write(total, read(total) + x); // ops/state.hpp
template <class Shape> struct state {
    graph_pointer graph;
    int port = -1; ///< among the outputs of the graph

    using shape_type = Shape;
    static constexpr extents extent = Shape::value;
};

} // namespace ane
