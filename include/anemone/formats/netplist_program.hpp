#pragma once

#include "../base/way.hpp"
#include "plist.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A file beside net.plist: its name, as the `Weights` array gives it, and its bytes.
struct netplist_blob {
    std::string name;
    std::vector<std::byte> bytes;
};

/// A program for the engine's netplist route: the property list and its weight files.
struct netplist {
    formats::plist_value document;
    std::vector<netplist_blob> weights;
};

} // namespace ane::inline ANEMONE_WAY
