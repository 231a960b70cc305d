#pragma once

#include "../../../base/way.hpp"
#include "../../../passes/layouts.hpp"
#include "winograd_option.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

/// What a convolution is to be besides its shape. Only one of a single group, or of groups of one channel each on both
/// sides with both images in one order, is not NCHW.
struct convolution_form {
    winograd_tiles winograd = winograd_tiles::never;
    layout in = layout::nchw;
    layout out = layout::nchw;
    bool tiles_finish = true; ///< what follows the sums of NHWC results is no more than `finishing`
};

} // namespace ane::cpu::inline ANEMONE_WAY
