#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"

#include <cstddef>
#include <string>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// The port at a position; throws `error(errc::port)` past the end.
template <class Ports> auto& port_at(Ports& ports, std::size_t index, const char* direction) {
    if (index >= ports.size())
        throw error(errc::port, direction,
                    "index " + std::to_string(index) + " of " + std::to_string(ports.size()) + " ports");
    return ports[index];
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
