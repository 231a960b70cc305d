#pragma once

#include "../graph/graph.hpp"
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

/// The first system whose Core ML has what a file says of a node. `own`: the file names the operation itself, as files of
/// others may; in ours an attention is its parts.
constexpr operating_system first_system_of(const graph_view& g, int index, bool own) {
    const node& n = g[index];
    switch (n.kind) {
    case op::input:
        return g.next_of(index) >= 0   ? operating_system::macos15
               : n.type == dtype::int8 ? operating_system::macos14
                                       : operating_system::macos12;
    case op::compressed: return first_system_of(n.get<compression>());
    case op::quantize:
    case op::dequantize:
    case op::resize: return operating_system::macos14;
    case op::resample:
    case op::pixel_unshuffle: return operating_system::macos13;
    case op::attention:
    case op::slice_update: return own ? operating_system::macos15 : operating_system::macos12;
    default: return operating_system::macos12;
    }
}

} // namespace ane
