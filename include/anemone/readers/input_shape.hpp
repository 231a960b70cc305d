#pragma once

#include "../base/way.hpp"
#include "../values/shape.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// The shape of an input that a file leaves free.
struct input_shape {
    std::string name;
    extents shape;
};

} // namespace ane::inline ANEMONE_WAY
