#ifndef ANEMONE_BACKEND_ENGINE_ENGINE_HPP
#define ANEMONE_BACKEND_ENGINE_ENGINE_HPP

#include "../../base/hidden.hpp"
#include "../../base/way.hpp"
#include "../../formats/mil.hpp"
#include "../../formats/netplist_options.hpp"
#include "../../forms/mil_vocabulary.hpp"
#include "../../forms/netplist_vocabulary.hpp"
#include "../../passes/lowering.hpp"
#include "../../rules/policy.hpp"
#include "../../targets/table.hpp"
#include "../backend.hpp"
#include "e5rt/session.hpp"
#include "objc/session.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ane::backend::inline ANEMONE_WAY {

/// The ways into the engine's runtime: the e5rt C interface, which takes MIL text, and the Objective-C interface, which
/// takes netplists and with them layers that MIL has no words for, or MIL text too (docs/netplist_door.md).
enum class engine_runtime : std::uint8_t { e5rt, netplist, in_memory_mil };

/// How the engine backend compiles.
struct engine_options {
    engine_runtime runtime = engine_runtime::e5rt;
    /// Where the program's files go; kept after the run. Empty: a temporary directory that goes with the program.
    std::string directory{};
    /// The runtime library; empty: ANEMONE_E5RT, of the other doors ANEMONE_OBJC, then Apple's (on a Mac).
    std::string library{};
    /// Libraries that are open already, one for each door, instead of a path: to record calls, or to be without one.
    std::shared_ptr<const e5rt::library> e5rt_library{};
    std::shared_ptr<const objc::runtime> objc_library{};
    /// Refuse a model that breaks a design rule of the architecture before Apple's compiler sees it: that one does not
    /// enforce a foreign target's limits (engine-runtime section 7.2), and a failed compile costs a pause of 15 s.
    bool preflight = true;
    /// What the preflight counts as an error, and what it waives; the rules of the door's route are always checked.
    policy rules{};
    /// Composed operations that are not taken apart but written as the form's own, where it has them (docs/formats.md).
    op_set whole{};
    /// What is written where the form has a choice.
    mil_options mil{};
    netplist_options netplist{};
    /// Everything else of the driver: pacing, cache, quality of service. Directory and architecture are set here.
    e5rt::session_options session{};
    /// What only the two doors of in-memory models take.
    objc::door_options objc{};
};

/// A model compiled by the engine's runtime, with its ports bound once. A run copies the inputs in, executes, and
/// copies the outputs out; it allocates nothing. Move-only; a moved-from program throws `error` (errc::argument) on
/// use.
class engine_program {
public:
    /// Does the work of `engine::compile`.
    ANEMONE_API_OF(anemone_backend_engine_engine_hpp)
    engine_program(const graph_view& model, const weight_store& weights, target architecture,
                   const engine_options& options);

    /// Throws `error`: port for buffers that do not match the ports in number and size, argument when the session is
    /// closed or while another thread is running the program, engine with the failed step.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The value of a state of the model: what the last run left, zeros before the first one. What is written there, the
    /// next run reads. Throws `error` (errc::port) if no state has this name. The memory stays until the next run.
    /// After a run that failed the values of states are undefined, since the engine may have written some of them: set
    /// them, or reset. While a run that did not return in time is out, both throw (errc::engine).
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    /// Sets every state to zeros.
    ANEMONE_API void reset();

    /// The files of the MIL text and the weight blob that were compiled; empty where none was written: of a netplist, and of
    /// MIL text in memory without a directory in the options.
    ANEMONE_API std::string mil_path() const;
    ANEMONE_API std::string weights_path() const;

    /// The driver's session of the e5rt door: resident state, in-place access to ports, what was degraded, closing with a
    /// check. Throws `error` (errc::argument) of a program that another door compiled, as the next one does of this door.
    ANEMONE_API e5rt::session& session();
    /// The session of the doors of in-memory models: layouts of ports, what was degraded, closing with a check.
    ANEMONE_API objc::session& in_memory_session();

private:
    struct members;
    hidden<members> state_;
};

/// Apple's Neural Engine by the direct route: MIL text and weights, compiled and dispatched by the e5rt C interface, or
/// by a stand-in with the same interface (ANEMONE_E5RT). Guide chapter 6. Never run on Apple silicon by this project.
class engine {
public:
    ANEMONE_API_OF(anemone_backend_engine_engine_hpp) explicit engine(target architecture, engine_options options = {});

    /// "engine" and the target.
    ANEMONE_API std::string name() const;
    static constexpr bool verifies_weights = true;
    bool supports(op kind) const {
        const bool written = options_.runtime == engine_runtime::netplist ? find_netplist_form(kind) != nullptr
                                                                          : find_mil_form(kind) != nullptr;
        return is_source(kind) || is_composed(kind) || written;
    }

    /// The same engine by the netplist door, whose library is the default one: for segments that MIL text cannot hold.
    ANEMONE_API engine by_netplists() const;

    /// Throws `error`: lowering where the model breaks a design rule or an operation has no form on the door's route,
    /// weights, library, or engine with the failed step.
    ANEMONE_API engine_program compile(const graph_view& model, const weight_store& weights) const;

private:
    target architecture_;
    engine_options options_;
};

} // namespace ane::backend::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "engine.ipp"
#endif
