#pragma once

#include "../graph/graph.hpp"
#include "../graph/op_facet.hpp"
#include "../graph/op_set.hpp"
#include "../graph/state.hpp"
#include "../targets/system.hpp"

/// Which system is the first whose Core ML has an operation (public schema of Core ML, the operations by opset).
namespace ane {

/// The first system that reads a stored form of a weight: the three forms of ios16, all others of ios18.
constexpr operating_system first_system_of(const compression& c) noexcept {
    const bool early = (c.form == weight_form::palette && c.vector == 1) || c.form == weight_form::sparse ||
                       (c.form == weight_form::affine && c.bits == 8);
    return early ? operating_system::macos13 : operating_system::macos15;
}

/// The first system whose Core ML has an operation as our files write it.
inline constexpr op_facet<operating_system> system_floors{{{op::quantize, operating_system::macos14},
                                                           {op::dequantize, operating_system::macos14},
                                                           {op::resize, operating_system::macos14},
                                                           {op::resample, operating_system::macos13},
                                                           {op::pixel_unshuffle, operating_system::macos13}},
                                                          operating_system::macos12};

/// Operations that files of others may name: in ours they are their parts.
inline constexpr op_set named_by_others{op::attention, op::slice_update};

/// The first system whose Core ML has what a file says of a node. `own`: the file names the operation itself; `is_state`:
/// the node is an input that holds a value from run to run.
constexpr operating_system first_system_of(const node& n, bool own, bool is_state) {
    if (n.kind == op::compressed) {
        return first_system_of(n.get<compression>());
    }
    if (n.kind == op::input) {
        return is_state                ? operating_system::macos15
               : n.type == dtype::int8 ? operating_system::macos14
                                       : operating_system::macos12;
    }
    return own && named_by_others.contains(n.kind) ? operating_system::macos15 : system_floors[n.kind];
}

} // namespace ane
