#pragma once

#include "op.hpp"

#include <cstdint>

namespace ane {

/// Which element of an axis stands at a place of a padded one, counted from the first element on; before it, it is negative.
/// A place inside is itself; beyond an end the border repeats the outermost element (replicate_pad), mirrors the axis at it
/// (reflect_pad) or behind it (symmetric_pad).
constexpr std::int64_t border_source(op kind, std::int64_t extent, std::int64_t at) {
    if (at >= 0 && at < extent) {
        return at;
    }
    if (kind == op::replicate_pad) {
        return at < 0 ? 0 : extent - 1;
    }
    const std::int64_t skipped = kind == op::symmetric_pad ? 1 : 0;
    return at < 0 ? -at - skipped : 2 * extent - 2 + skipped - at;
}

} // namespace ane
