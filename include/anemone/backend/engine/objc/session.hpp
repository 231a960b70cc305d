#ifndef ANEMONE_BACKEND_ENGINE_OBJC_SESSION_HPP
#define ANEMONE_BACKEND_ENGINE_OBJC_SESSION_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../driver/forward.hpp"
#include "options.hpp"
#include "port.hpp"
#include "runtime.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {
struct netplist;
struct mil_program;
} // namespace ane::inline ANEMONE_WAY

namespace ane::objc::detail::inline ANEMONE_WAY {
struct session_state;
} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

/// An output whose surface is that of an input: the next run reads what a run wrote.
struct resident {
    std::string output;
    std::string input;
};

/// One netplist, or one MIL text, compiled, loaded, with a surface for each port, run as often as wanted. Source of the order of the
/// messages: engine-runtime 10.1, run by others on M1, M4 and M5; docs/netplist_door.md has each message with its mark.
/// Tested against a stand-in of the table; never run on Apple silicon by this project.
///
/// Use a session from one thread at a time. Sessions of both doors share the pacing of compiles, the gate that lets one
/// program run at a time, and the count of loaded programs. A session does not survive fork: the child's throws.
/// Move-only; a closed or moved-from session throws on use.
///
/// A failure in a constructor releases all that was acquired and throws `error` whose subject is the message or the
/// function that failed; errc::engine with the reason of the runtime and what to do, errc::library where a class or a
/// message is missing. Only the mapping of surfaces may be missing: it is left out and noted in `degraded`.
class session {
public:
    ANEMONE_API_OF(anemone_backend_engine_objc_session_hpp)
    session(std::shared_ptr<const runtime> from, const netplist& program, const std::vector<port_spec>& inputs,
            const std::vector<port_spec>& outputs, const std::vector<resident>& states,
            e5rt::session_options options = {}, door_options door = {});
    /// The same of MIL text, whose ports have their names in it as `symbol`.
    ANEMONE_API_OF(anemone_backend_engine_objc_session_hpp)
    session(std::shared_ptr<const runtime> from, const mil_program& program, const std::vector<port_spec>& inputs,
            const std::vector<port_spec>& outputs, const std::vector<resident>& states,
            e5rt::session_options options = {}, door_options door = {});

    /// How many ports it has. Throws `error` (errc::argument) when closed, as all members but `closed` and `close` do.
    ANEMONE_API std::size_t input_count() const;
    ANEMONE_API std::size_t output_count() const;
    /// Position of a port by name; throws `error` (errc::port) when there is none.
    ANEMONE_API std::size_t input_index(std::string_view name) const;
    ANEMONE_API std::size_t output_index(std::string_view name) const;
    /// Where the elements of a port lie.
    ANEMONE_API const port_layout& input_layout(std::size_t index) const;
    ANEMONE_API const port_layout& output_layout(std::size_t index) const;

    /// Copies a dense tensor into the surface of an input, or out of that of an output. Throws `error`: port for
    /// another number of bytes, engine where the surface cannot be locked.
    ANEMONE_API void write(std::size_t input, std::span<const std::byte> dense);
    ANEMONE_API void read(std::size_t output, std::span<std::byte> dense) const;
    /// The same of an input's surface: of the value that a resident output left there.
    ANEMONE_API void read_input(std::size_t input, std::span<std::byte> dense) const;

    /// Runs the program once on what lies in the surfaces and waits for the end; first for the runs of other sessions.
    /// Allocates nothing unless it throws; after a failure the next call may work. Within the timeout of the options,
    /// if they have one: what then happens is that of e5rt::session.
    ANEMONE_API void execute();
    /// The same with another timeout; 0: none.
    ANEMONE_API void execute(e5rt::time_span timeout);
    /// Whether a run is out that did not return in time: until it does the ports cannot be touched.
    ANEMONE_API bool running() const;

    /// Messages that this version of macOS lacks and that were left out.
    ANEMONE_API const std::vector<std::string>& degraded() const;

    /// Unmaps, unloads and releases everything in the reverse order, also after a failure, then throws one `error` that
    /// lists the failures. Does nothing on a closed session. The destructor does the same but reports.
    ANEMONE_API void close();
    bool closed() const noexcept { return !state_; }

private:
    template <class Program>
    void open(std::shared_ptr<const runtime> from, const Program& program, const std::vector<port_spec>& inputs,
              const std::vector<port_spec>& outputs, const std::vector<resident>& states, e5rt::session_options options,
              door_options door);
    ANEMONE_API detail::session_state& state() const;

    hidden<e5rt::detail::state_owner<detail::session_state>> state_;
};

/// Programs that this driver had compiled by in-memory models in this process, whether it succeeded or not; by all copies
/// of it. Throws `error` (errc::engine) where they cannot find each other.
ANEMONE_API_OF(anemone_backend_engine_objc_session_hpp)
int compiles();

} // namespace ane::objc::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "session.ipp"
#endif
