#pragma once

#include <cstdint>

namespace ane {

/// What one program, and one process, of the engine holds. Figures of engine-runtime section 7.3; a limit of 0 bounds
/// nothing.
struct segment_limits {
    /// Bytes of weights in a program: the budget that ANEForge gives the chunks of decoders. 1.5 GB were seen to work and
    /// 3.4 GB to fail (measured on M1 and M5).
    std::int64_t weight_bytes = 1'600'000'000;
    /// Decoder layers in a program, each an attention: ANEForge's cap. About 31 small ones compile, then a run fails with
    /// -1 (measured).
    int decoder_layers = 24;
    /// Operations of the model in a program. The sources name "too many operations" as a cause of the same failure, and no
    /// number, so nothing is bounded unless a caller does.
    int operations = 0;
    /// Programs that a process loads: the 129th fails (measured).
    int programs = 128;

    friend constexpr bool operator==(const segment_limits&, const segment_limits&) = default;
};

} // namespace ane
