#pragma once

#include "../../../base/way.hpp"
#include "dispatch.hpp"
#include "pacing.hpp"
#include "release_report.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Programs a process can hold loaded (R116, measured M1 by the authors of the guide: about 128; the next creation
/// fails).
inline constexpr int loaded_program_limit = 128;

/// One port of a program: its name, and the bytes of its dense row-major data, without any padding (guide chapter 6).
struct port_spec {
    std::string name;
    std::size_t bytes = 0;
    std::string symbol{}; ///< in the MIL text a parameter, or a variable after `->`; empty where it is the name
};

/// Bits of the device mask (measured by the authors of the guide). With more bits than `ane` the runtime may place work
/// elsewhere without saying so.
struct device {
    static constexpr std::uint64_t cpu = 0x1;
    static constexpr std::uint64_t gpu = 0x2;
    static constexpr std::uint64_t ane = 0x4;
};

/// How a program is compiled and loaded. A session shares whatever it points to, for itself and for calls that are still
/// out when it has gone: what only they own goes when the last of them returns, on the thread that made the call.
struct session_options {
    /// Directory of the program: holds `model.mil`, and the weight file beside it that the text names by @model_path.
    /// The cache directory `cache` is made under it, unless `cache` below names another.
    std::string directory{};
    /// Architecture to compile for ("h13"); empty: this machine's. One that is not in targets/table.hpp is refused: the
    /// runtime compiles an unknown name for the host and says nothing (R175).
    std::string target_architecture{};
    /// The function of the program to run.
    std::string function = "main";
    std::uint64_t device_mask = device::ane;
    /// Skips the lookup in the runtime's cache.
    bool force_recompilation = true;
    /// A directory that keeps what the runtime compiles, for the next process and for other programs; `force_recompilation`
    /// is then ignored. A later compile of the same text, weights and options takes about 27 ms instead of 750 (measured
    /// by the authors of the guide). The runtime looks it up and decides: a compiled program itself is of use only to
    /// the process that compiled it, so this driver never opens one by its path. One that is stale is compiled anew.
    std::string cache{};
    bool enable_profiling = false;
    /// Binds a completion event to the operation, as the route measured in the guide does; nothing here waits for it.
    bool completion_event = true;
    /// Values for the stream; the runtime's own when empty. Their scale is not documented.
    std::optional<std::uint64_t> quality_of_service{};
    std::optional<std::uint64_t> execution_priority{};

    /// Longest time for a run, waiting for others included; 0: no limit, and the run is a call on the caller's thread.
    /// With a limit the worker of the gate makes the call (session.hpp).
    clock_source::duration timeout{};
    /// Longest time to compile and load, and to release at the end; 0: no limit, and calls on the caller's thread. With a
    /// limit a thread of their own makes the calls, and goes on when the time is up: they cannot be cancelled.
    clock_source::duration setup_timeout{};
    /// Least time between a failed compile and the next one; 0 does not wait.
    clock_source::duration compile_backoff = default_compile_backoff;
    /// Clock and sleep of the pacing; null: the system's. Sessions that share a pacing must share the clock too.
    std::shared_ptr<clock_source> time{};
    /// State of the pacing; null: the one of the process.
    std::shared_ptr<compile_pacing> pacing{};
    /// What keeps runs apart; null: the gate of the process.
    std::shared_ptr<dispatch_gate> gate{};
    /// Programs that this driver may have loaded at once; one more is refused before it is compiled (R116).
    int program_limit = loaded_program_limit;
    /// Kept alive for as long as the session, or a call of it that is out, needs its files.
    std::shared_ptr<const void> held{};
    /// Receives releases that fail where nothing can be thrown; null: a line on standard error for each.
    std::shared_ptr<release_report> report{};
};

/// An optional step that was left out. `status` is the runtime's answer, 0 when it lacks the function.
struct degradation {
    std::string_view step;
    std::int64_t status = 0;
};

} // namespace ane::e5rt::inline ANEMONE_WAY
