#pragma once

#include "../../formats/mil.hpp"
#include "../../passes/print.hpp"
#include "../../passes/validate.hpp"
#include "../../rules/violation_text.hpp"
#include "../cpu/constants.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "engine.hpp"
#include "temporary_directory.hpp"

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Throws `error` (errc::lowering) if no program can be made from the model.
ANEMONE_INLINE void check_rules(const graph_view& model, const target_description& chip,
                                const backend::engine_options& options) {
    if (!chip.mil_supported) {
        throw error(errc::lowering, chip.runtime, "MIL is only supported for H13+ ANE architectures (R176)");
    }
    if (!options.preflight) {
        return;
    }
    const policy direct = options.rules | on_route(compile_route::mil); // the runtime reads MIL text
    for (const violation& v : violations(model, chip, direct)) {
        if (v.is_error) {
            throw error(errc::lowering, print(model, v.node), format(v, model, chip));
        }
    }
}

ANEMONE_INLINE e5rt::port_spec port_of(std::string_view name, const node& n, const std::string& symbol) {
    return {std::string(name), static_cast<std::size_t>(bytes(n.type, n.shape.count())), symbol};
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct engine_program::state {
    e5rt::temporary_directory owned; // outlives the session
    std::string mil_path;
    ane::detail::port_table ports;
    e5rt::session session;
    ane::detail::run_flag running{false};
};

ANEMONE_BODY engine_program::engine_program(const graph_view& model, const weight_store& weights, target architecture,
                                            const engine_options& options) {
    validate(model);
    const target_description& chip = describe(architecture);
    e5rt::detail::check_rules(model, chip, options);
    const auto runtime = e5rt::library::open(options.library.empty() ? e5rt::default_library_path() : options.library);
    const lowered_graph lowered = lower(model, options.whole);
    const graph_view g = lowered.graph;
    e5rt::temporary_directory owned;
    std::string directory = options.directory;
    if (directory.empty()) {
        owned = e5rt::temporary_directory("anemone");
        directory = owned.path();
    }
    const mil_program program = emit_mil(g, materialize(g, weights), options.mil);
    const std::string text = write_mil(program, directory);

    std::vector<e5rt::port_spec> inputs;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            inputs.push_back(e5rt::detail::port_of(g.name(i), g[i], program.inputs[inputs.size()]));
        }
    }
    std::vector<e5rt::port_spec> outputs;
    for (const output_port& port : g.outputs) {
        outputs.push_back(e5rt::detail::port_of(g.name(port), g[port.node], program.outputs[outputs.size()]));
    }
    e5rt::session_options session = options.session;
    session.directory = directory;
    session.target_architecture = chip.runtime;
    state_ = hidden<state>::of(new state{std::move(owned), text, ane::detail::port_table(g),
                                         e5rt::session(runtime, inputs, outputs, std::move(session))});
}

ANEMONE_BODY void engine_program::run(input_buffers inputs, output_buffers outputs) {
    state& self = state_.get("engine program");
    const ane::detail::one_run now(self.running, "engine program");
    static_cast<void>(self.session.input_count()); // throws when closed, whatever the buffers are
    self.ports.check(inputs, outputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::memcpy(self.session.input(i).data(), inputs[i].data(), inputs[i].size());
    }
    self.session.execute();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        std::memcpy(outputs[i].data(), self.session.output(i).data(), outputs[i].size());
    }
}

ANEMONE_BODY std::string engine_program::mil_path() const { return state_.get("engine program").mil_path; }
ANEMONE_BODY std::string engine_program::weights_path() const {
    return std::filesystem::path(mil_path()).parent_path() / "weights.bin";
}

ANEMONE_BODY e5rt::session& engine_program::session() { return state_.get("engine program").session; }

ANEMONE_BODY engine::engine(target architecture, engine_options options)
    : architecture_(architecture), options_(std::move(options)) {}

ANEMONE_BODY std::string engine::name() const { return "engine " + std::string(ane::name(architecture_)); }

ANEMONE_BODY engine_program engine::compile(const graph_view& model, const weight_store& weights) const {
    return {model, weights, architecture_, options_};
}

} // namespace ane::backend::inline ANEMONE_WAY
