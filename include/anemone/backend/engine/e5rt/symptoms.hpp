#pragma once

#include "../../../base/way.hpp"

#include <array>
#include <string>
#include <string_view>

namespace ane::e5rt::inline ANEMONE_WAY {

/// One known failure of the runtime. The runtime puts its reason on standard error or in the unified log, not in the
/// status, so a hint lists what is known of the step that failed.
struct symptom {
    std::string_view step; ///< function that fails; empty: any
    std::string_view text; ///< literal part of the runtime's message; empty: no message is known
    std::string_view cause;
    std::string_view action;
};

/// Failures seen by the authors of the guide on M1, M2 and M5 (measured there, none reproduced by this project).
inline constexpr std::array<symptom, 20> symptoms = {{
    {"e5rt_e5_compiler_compile", "unordered_map::at: key not found", "empty function body: an output is an input",
     "insert a multiplication by one"},
    {"e5rt_e5_compiler_compile", "lost helper application",
     "convolution with a run-time weight and batch >= 2; or the compile service died of another program",
     "use batch 1; if it is 1, compile again: the driver waits until the service is back"},
    {"e5rt_e5_compiler_compile", "Not implemented",
     "an operation, argument form or type the engine does not take, and the device mask allows no fallback",
     "decompose the operation; do not retry"},
    {"e5rt_e5_compiler_compile", "ANECCompile() FAILED",
     "the engine's back end refused a shape or an attribute (kernel width >= 16, rank 6, ...)",
     "check the rules of the target; bisect, paced"},
    {"e5rt_e5_compiler_compile", "Unsupported function output dtype", "output of type bf16 or fp32",
     "cast to fp16 inside the program"},
    {"e5rt_e5_compiler_compile", "must be between 0 and 5", "a tensor of rank 6 or more", "keep ranks to 5"},
    {"e5rt_e5_compiler_compile", "MIL is only supported for H13+", "the target architecture is older than h13",
     "choose h13 or later"},
    {"e5rt_program_library_create", "Invalid E5 path specified", "the path is not a bundle", "compile again"},
    {"e5rt_precompiled_compute_op_create_options_create_with_program_function", "Cannot provide program function",
     "the program function is null", "report this: the driver never passes null"},
    // The foreign target first: it is met at the first program, the limit on programs only near its number.
    {"e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options",
     "Must re-compile the E5 bundle", "the program was compiled for another target, or its bundle is stale",
     "compile in this process for this chip"},
    {"e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options",
     "GetANEFModel: must re-compile",
     "the program is of another process or target, or (only if nearly that many are loaded) the limit of about 128 "
     "loaded programs is reached",
     "compile in this process for this chip; near the limit, release a session first"},
    {"e5rt_buffer_object_alloc", "Invalid BufferType", "buffer type 3 or more", "report this: the driver passes 0"},
    {"e5rt_async_event_create", "eventName is NULL", "an event without a name",
     "report this: the driver names its events"},
    {"e5rt_execution_stream_execute_sync", "", "too many operations or weights in one program (status -1)",
     "split the program"},
    {"e5rt_execution_stream_execute_sync", "", "the service that loaded the program has died, and every run fails",
     "open the session again (session::reopen)"},
    {"e5rt_execution_stream_operation_prepare_op_for_encode", "Op has not been encoded",
     "an operation is prepared that was never encoded", "report this: the driver prepares what it has encoded"},
    {"", "0xe00002c7", "the call needs an entitlement", "do not use that path"},
    {"", "com.apple.aned.private.allow", "the call needs an entitlement", "do not use that path"},
    {"", "0xe00002e2", "an image that is not from the compiler", "compile the program"},
    {"", "status=0x1d", "surfaces of a wrong size or in a wrong order (Objective-C route)",
     "take sizes and order from the model's attributes"},
}};

/// The first known symptom whose text occurs in a line of the runtime's log; null when none does.
constexpr const symptom* explain(std::string_view log) noexcept {
    for (const symptom& known : symptoms)
        if (!known.text.empty() && log.find(known.text) != std::string_view::npos)
            return &known;
    return nullptr;
}

/// What is known about a failure of `step`, one symptom a line, each line with its own leading newline; empty when
/// nothing is known.
ANEMONE_API std::string hint_for(std::string_view step);

} // namespace ane::e5rt::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "symptoms.ipp"
#endif
