#pragma once

#include "../../base/way.hpp"

#include <cstdint>
#include <vector>

/// The host's part of a denoiser's run (unet.hpp).
namespace ane::models::inline ANEMONE_WAY {

/// The port `time` of a denoiser, [width]: the cosines, then the sines, of step * 10000^(-k / (width / 2)), as diffusers has them
/// in Stable Diffusion (`flip_sin_to_cos`). Throws `ane::error` (errc::argument) for an odd width or one that is not from 2 to 65536,
/// and for a step that is not a number from 0 to 1e6.
ANEMONE_API
std::vector<float> timestep_sines(double step, std::int64_t width);

} // namespace ane::models::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "timestep.ipp"
#endif
