#pragma once

#include <cstdint>

namespace ane {

/// Which layers stand for operations that the engine has a layer of its own for that is wrong for some values (MIL facts
/// section 5): softplus and its parametric form, logarithms of sums of exponentials, rounding, products of whole numbers.
enum class layer_forms : std::uint8_t {
    safe, ///< the forms that are right, as our files have them
    own ///< the engine's own layers, as files of others ask for them, with their weights of 4-bit integers and palettes of codes
};

} // namespace ane
