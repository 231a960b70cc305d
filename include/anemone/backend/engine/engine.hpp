#pragma once

#include "../../formats/mil.hpp"
#include "../../passes/lowering.hpp"
#include "../../report/rule_report.hpp"
#include "../../targets/table.hpp"
#include "../../way.hpp"
#include "../backend.hpp"
#include "../ports.hpp"
#include "session.hpp"
#include "temporary_directory.hpp"

#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace ane::backend::inline ANEMONE_WAY {

/// How the engine backend compiles.
struct engine_options {
    /// Where the program's files go; kept after the run. Empty: a temporary directory that goes with the program.
    std::filesystem::path directory;
    /// The runtime library; empty: ANEMONE_E5RT, then Apple's (on a Mac).
    std::filesystem::path library;
    /// Refuse a model that breaks a design rule of the architecture before Apple's compiler sees it: that one does not
    /// enforce a foreign target's limits (engine-runtime section 7.2), and a failed compile costs a pause of 15 s.
    bool preflight = true;
    /// What the preflight counts as an error, and what it waives.
    policy rules = on_route(compile_route::mil);
    /// Everything else of the driver: pacing, cache, quality of service. Directory and architecture are set here.
    e5rt::session_options session;
};

/// A model compiled by the engine's runtime, with its ports bound once. A run copies the inputs in, executes, and
/// copies the outputs out; it allocates nothing. Move-only; a moved-from program throws `error` (errc::argument) on
/// use.
class engine_program {
public:
    /// Throws `error`: port for buffers that are not the ports in number and size, argument when the session is closed,
    /// engine with the failed step.
    void run(input_buffers inputs, output_buffers outputs) {
        static_cast<void>(session_.input_count()); // throws when closed: a moved-from table would blame the buffers
        ports_.check(inputs, outputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::memcpy(session_.input(i).data(), inputs[i].data(), inputs[i].size());
        }
        session_.execute();
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            std::memcpy(outputs[i].data(), session_.output(i).data(), outputs[i].size());
        }
    }

    /// The MIL text and the weight blob that were compiled.
    const std::filesystem::path& mil_path() const { return mil_path_; }
    std::filesystem::path weights_path() const { return mil_path_.parent_path() / "weights.bin"; }

    /// The driver's session: resident state, in-place access to ports, what was degraded, closing with a check.
    e5rt::session& session() { return session_; }

private:
    friend class engine;
    engine_program(std::optional<e5rt::temporary_directory> owned, std::filesystem::path mil_path,
                   detail::port_table ports, e5rt::session session)
        : owned_(std::move(owned)), mil_path_(std::move(mil_path)), ports_(std::move(ports)),
          session_(std::move(session)) {}

    std::optional<e5rt::temporary_directory> owned_; // outlives the session
    std::filesystem::path mil_path_;
    detail::port_table ports_;
    e5rt::session session_;
};

/// Apple's Neural Engine by the direct route: MIL text and weights, compiled and dispatched by the e5rt C interface, or
/// by a stand-in with the same interface (ANEMONE_E5RT). Guide chapter 6. Never run on Apple silicon by this project.
class engine {
public:
    explicit engine(target architecture, engine_options options = {})
        : architecture_(architecture), options_(std::move(options)) {}

    std::string name() const { return "engine " + std::string(ane::name(architecture_)); }
    static constexpr bool supports(op kind) {
        return is_source(kind) || is_composed(kind) || find_mil_form(kind) != nullptr;
    }

    /// Throws `error`: lowering where the model breaks a design rule or an operation has no MIL form, weights, library,
    /// or engine with the failed step.
    engine_program compile(const graph_view& model, const weight_store& weights) const {
        check_rules(model);
        const auto runtime =
            e5rt::library::open(options_.library.empty() ? e5rt::default_library_path() : options_.library);
        const lowered_graph lowered = lower(model);
        const graph_view g = lowered.graph;
        std::optional<e5rt::temporary_directory> owned;
        std::filesystem::path directory = options_.directory;
        if (directory.empty()) {
            owned.emplace("anemone");
            directory = owned->path();
        }
        const std::filesystem::path text = write_mil(emit_mil(g, materialize(g, weights)), directory);

        std::vector<e5rt::port_spec> inputs;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                inputs.push_back({std::string(g.name(i)), port_bytes(g[i])});
            }
        }
        std::vector<e5rt::port_spec> outputs;
        for (const output_port& port : g.outputs) {
            outputs.push_back({std::string(g.name(port)), port_bytes(g[port.node])});
        }
        e5rt::session_options session = options_.session;
        session.directory = directory;
        session.target_architecture = describe(architecture_).runtime;
        return {std::move(owned), text, detail::port_table(g),
                e5rt::session(runtime, inputs, outputs, std::move(session))};
    }

private:
    void check_rules(const graph_view& model) const {
        const target_description& chip = describe(architecture_);
        if (!chip.mil_supported) {
            throw error(errc::lowering, chip.runtime, "MIL is only supported for H13+ ANE architectures (R176)");
        }
        if (!options_.preflight) {
            return;
        }
        for (const violation& v : violations(model, chip, options_.rules)) {
            if (v.is_error) {
                throw error(errc::lowering, print(model, v.node), format(v, model, chip));
            }
        }
    }
    static std::size_t port_bytes(const node& n) { return static_cast<std::size_t>(bytes(n.type, n.shape.count())); }

    target architecture_;
    engine_options options_;
};

} // namespace ane::backend::inline ANEMONE_WAY
