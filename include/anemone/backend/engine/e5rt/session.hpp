#ifndef ANEMONE_BACKEND_ENGINE_E5RT_SESSION_HPP
#define ANEMONE_BACKEND_ENGINE_E5RT_SESSION_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../driver/options.hpp"
#include "forward.hpp"
#include "library.hpp"
#include "pending_run.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

/// One MIL program, compiled, loaded, with bound ports, run as often as wanted. Source of the call order: guide
/// chapters 2 and 6 where they agree with what was run on M1 and M5 (engine-runtime 2.1 to 2.3: no prepare before the
/// first encode, no reset between runs). Tested against stand-ins; never run on Apple silicon by this project.
///
/// Use a session from one thread at a time: a run or an alias while another thread runs it throws `error`
/// (errc::argument). Sessions of different threads share the pacing of compiles, the gate that
/// lets one program run at a time, and the count of loaded programs, all thread safe. A process must not fork while it
/// holds a session: in the child every use of it throws, and its destructor does nothing. Move-only; a closed or
/// moved-from session throws on use.
///
/// Without a timeout a run is a call on the caller's thread. With one, or by `submit`, the worker of the gate makes the
/// call, and the end of the run is the return of that call: nothing waits for an event, which does not advance under
/// execute_sync. A call cannot be cancelled. When the time is up before it began, it is withdrawn; else the session, and
/// every other one of the gate, is busy (errc::engine) until the call returns, and all that it uses stays alive, also
/// if the session is closed. Then both work again.
///
/// A failure in a constructor releases all that was acquired and throws `error(errc::engine)` whose subject is the
/// function that failed, with its status and the known symptoms. Every step is required except:
///
/// | step                              | function missing                | nonzero status                             |
/// |-----------------------------------|---------------------------------|--------------------------------------------|
/// | set_enable_profiling, if asked    | no profiling; noted             | no profiling; noted                        |
/// | async_event_create, _release      | no completion event; noted      | create: no completion event; noted         |
/// | operation_bind_completion_event   | no completion event; noted      | the event is released; noted               |
/// | set_quality_of_service, if asked  | the runtime's own value; noted  | the runtime's own value; noted             |
/// | set_ane_execution_priority, idem  | the runtime's own value; noted  | the runtime's own value; noted             |
/// | buffer_object_get_size            | sizes are trusted; noted        | sizes are trusted; noted                   |
/// | create_precompiled_compute_...    | (required)                      | of a cached program: compiled anew; noted  |
/// | stream_reset, prepare_op          | a chain that has run cannot grow| the run fails                              |
///
/// "noted" means a row in `degraded()`. Nothing in `execute` depends on these.
class session {
public:
    /// Compiles `options.directory`/model.mil and binds a zeroed buffer to each port, in the given order.
    ANEMONE_API_OF(anemone_backend_engine_e5rt_session_hpp)
    session(std::shared_ptr<const library> runtime, const std::vector<port_spec>& inputs,
            const std::vector<port_spec>& outputs, session_options options);

    /// How many ports it has. Throws `error` (errc::argument) when closed, as all members but `closed` and `close` do.
    ANEMONE_API std::size_t input_count() const;
    ANEMONE_API std::size_t output_count() const;

    /// The data of input `index`, dense in its logical shape, zero at first; the address stays for the session's life.
    /// An aliased input is the memory of its output: do not clear it before each run.
    ANEMONE_API std::span<std::byte> input(std::size_t index);
    ANEMONE_API std::span<const std::byte> input(std::size_t index) const;
    /// The data of output `index`, valid after `execute`.
    ANEMONE_API std::span<std::byte> output(std::size_t index);
    ANEMONE_API std::span<const std::byte> output(std::size_t index) const;

    /// Position of a port by name; throws `error(errc::port)` when there is none.
    ANEMONE_API std::size_t input_index(std::string_view name) const;
    ANEMONE_API std::size_t output_index(std::string_view name) const;

    /// Runs the program once on the present inputs and waits for the end; first for the runs of other sessions
    /// (dispatch.hpp). The first run encodes the operation, later ones only execute. Allocates nothing unless it
    /// throws. After a failed encode the next call encodes again. After any failure the contents of outputs, and of
    /// inputs aliased to them, are undefined: write the states before the next run.
    ANEMONE_API void execute();
    /// The same with another timeout than that of the options; 0: none.
    ANEMONE_API void execute(clock_source::duration timeout);

    /// Hands a run to the worker and returns. Until it has ended the ports must not be touched, and a second run throws.
    ANEMONE_API pending_run submit();
    /// Whether a run is submitted or out.
    ANEMONE_API bool running() const;

    /// Compiles and loads the program again, after its service has died (runs fail and keep failing). Aliases are made
    /// anew; the contents of all ports are zero, and spans of them are void. A compile that fails is tried once more, after the pacing's pause.
    /// When it throws the session is closed.
    ANEMONE_API void reopen();

    /// Time since the last run ended well; empty before the first one.
    ANEMONE_API std::optional<clock_source::duration> idle() const;

    /// Whether the engine may have gone to sleep since the last run of this session, so that the next one takes about a
    /// quarter of a second (R174). To answer at once, keep it awake by running the program now and then, on any inputs.
    ANEMONE_API bool cold() const;

    /// Resident state: makes input `to` the memory of output `from`, so a run reads what the last one wrote (guide
    /// chapter 2). Before the first `execute` only; equal sizes; each port once. Binds first, then releases the input's
    /// own buffer (spans of the input taken earlier are void); when the bind fails it throws and keeps that buffer.
    /// Throws `error(errc::port)` for a rule broken.
    ANEMONE_API void alias(std::size_t from, std::size_t to);

    /// Optional steps left out, in the order of the calls.
    ANEMONE_API const std::vector<degradation>& degraded() const;

    /// Releases everything in the documented order (stream; input, then output buffers and ports; event; operation and
    /// its options; function; library), also after a failure, then throws one `error(errc::engine)` that lists the
    /// failures. What a run that is out uses is released when it returns. Does nothing on a closed session. The destructor does the same, but reports instead of throwing;
    /// releases during construction (options, compiler, configuration) report too.
    ANEMONE_API void close();

    bool closed() const noexcept { return !state_; }

private:
    ANEMONE_API detail::session_state& state() const;
    ANEMONE_API const std::shared_ptr<detail::session_state>& shared() const;

    hidden<detail::state_owner<detail::session_state>> state_;
};

/// Programs loaded in this process by all copies of this driver. Throws `error` (errc::engine) where they cannot find each
/// other.
ANEMONE_API_OF(anemone_backend_engine_e5rt_session_hpp)
int loaded_programs();

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "session.ipp"
#endif
