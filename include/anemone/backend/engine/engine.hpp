#ifndef ANEMONE_BACKEND_ENGINE_ENGINE_HPP
#define ANEMONE_BACKEND_ENGINE_ENGINE_HPP

#include "../../base/hidden.hpp"
#include "../../base/way.hpp"
#include "../../formats/mil.hpp"
#include "../../forms/mil_vocabulary.hpp"
#include "../../forms/netplist_vocabulary.hpp"
#include "../../passes/lowering.hpp"
#include "../../rules/policy.hpp"
#include "../../targets/table.hpp"
#include "../backend.hpp"
#include "options.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ane::backend::inline ANEMONE_WAY {

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
