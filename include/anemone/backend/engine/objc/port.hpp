#pragma once

#include "../../../base/way.hpp"
#include "../../../forms/netplist_layout.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace ane::objc::inline ANEMONE_WAY {

/// One port of a program: its name, what the model says of its extents, and the bytes of an element.
struct port_spec {
    std::string name;
    netplist_shape shape;
    std::int64_t element = 2;
    std::string symbol{}; ///< what it is called in MIL text; of a netplist the name is its symbol

    std::int64_t dense() const {
        std::int64_t bytes = element;
        for (const std::int64_t each : shape.extent) {
            bytes *= each;
        }
        return bytes;
    }
};

/// Where the elements of a port lie in its surface. `extent` and `stride` (bytes) are in the order of `netplist_axes`:
/// Batch, Depth, Channel, Height, Width, which is the order of the elements in a dense tensor of ours.
struct port_layout {
    std::array<std::int64_t, 5> extent{1, 1, 1, 1, 1};
    std::array<std::int64_t, 5> stride{};
    std::int64_t element = 2;
    std::int64_t surface = 0; ///< bytes that the surface must have

    std::int64_t dense() const { return extent[0] * extent[1] * extent[2] * extent[3] * extent[4] * element; }
    friend bool operator==(const port_layout&, const port_layout&) = default;
};

} // namespace ane::objc::inline ANEMONE_WAY
