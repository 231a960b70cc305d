#pragma once

#include "../../base/hidden.hpp"
#include "../../base/way.hpp"
#include "../../formats/mil.hpp"
#include "../../forms/mil_vocabulary.hpp"
#include "../../passes/lowering.hpp"
#include "../../rules/policy.hpp"
#include "../../targets/table.hpp"
#include "../backend.hpp"
#include "session.hpp"

#include <string>

namespace ane::backend::inline ANEMONE_WAY {

/// How the engine backend compiles.
struct engine_options {
    /// Where the program's files go; kept after the run. Empty: a temporary directory that goes with the program.
    std::string directory{};
    /// The runtime library; empty: ANEMONE_E5RT, then Apple's (on a Mac).
    std::string library{};
    /// Refuse a model that breaks a design rule of the architecture before Apple's compiler sees it: that one does not
    /// enforce a foreign target's limits (engine-runtime section 7.2), and a failed compile costs a pause of 15 s.
    bool preflight = true;
    /// What the preflight counts as an error, and what it waives.
    policy rules = on_route(compile_route::mil);
    /// Composed operations that are not taken apart but written as MIL's own, where MIL has them (docs/formats.md).
    op_set whole{};
    /// What is written where MIL has a choice.
    mil_options mil{};
    /// Everything else of the driver: pacing, cache, quality of service. Directory and architecture are set here.
    e5rt::session_options session{};
};

/// A model compiled by the engine's runtime, with its ports bound once. A run copies the inputs in, executes, and
/// copies the outputs out; it allocates nothing. Move-only; a moved-from program throws `error` (errc::argument) on
/// use.
class engine_program {
public:
    /// Does the work of `engine::compile`.
    ANEMONE_API engine_program(const graph_view& model, const weight_store& weights, target architecture,
                               const engine_options& options);

    /// Throws `error`: port for buffers that do not match the ports in number and size, argument when the session is
    /// closed or while another thread is running the program, engine with the failed step.
    ANEMONE_API void run(input_buffers inputs, output_buffers outputs);

    /// The MIL text and the weight blob that were compiled.
    ANEMONE_API std::string mil_path() const;
    ANEMONE_API std::string weights_path() const;

    /// The driver's session: resident state, in-place access to ports, what was degraded, closing with a check.
    ANEMONE_API e5rt::session& session();

private:
    struct state;
    hidden<state> state_;
};

/// Apple's Neural Engine by the direct route: MIL text and weights, compiled and dispatched by the e5rt C interface, or
/// by a stand-in with the same interface (ANEMONE_E5RT). Guide chapter 6. Never run on Apple silicon by this project.
class engine {
public:
    ANEMONE_API explicit engine(target architecture, engine_options options = {});

    ANEMONE_API std::string name() const;
    static constexpr bool verifies_weights = true;
    static constexpr bool supports(op kind) {
        return is_source(kind) || is_composed(kind) || find_mil_form(kind) != nullptr;
    }

    /// Throws `error`: lowering where the model breaks a design rule or an operation has no MIL form, weights, library,
    /// or engine with the failed step.
    ANEMONE_API engine_program compile(const graph_view& model, const weight_store& weights) const;

private:
    target architecture_;
    engine_options options_;
};

} // namespace ane::backend::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "engine.ipp"
#endif
