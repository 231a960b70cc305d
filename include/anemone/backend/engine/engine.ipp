#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_engine_hpp);

#include "../../formats/mil.hpp"
#include "../../formats/netplist.hpp"
#include "../../passes/print.hpp"
#include "../../passes/validate.hpp"
#include "../../rules/violation_text.hpp"
#include "../cpu/constants.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "engine.hpp"
#include "library.hpp"
#include "objc/program.hpp"
#include "objc/runtime.hpp"
#include "session.hpp"
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
    const bool netplist = options.door == backend::engine_door::netplist;
    if (!chip.mil_supported && !netplist) {
        throw error(errc::lowering, chip.runtime, "MIL is only supported for H13+ ANE architectures (R176)");
    }
    if (!options.preflight) {
        return;
    }
    const policy direct = options.rules | on_route(netplist ? compile_route::netplist : compile_route::mil);
    for (const violation& v : violations(model, chip, direct)) {
        if (v.is_error) {
            throw error(errc::lowering, print(model, v.node), format(v, model, chip));
        }
    }
}

/// Throws `error` (errc::argument) for what only a program of the other door has.
ANEMONE_INLINE void require_door(bool taken, const char* door) {
    if (!taken) {
        throw error(errc::argument, "engine program", std::string("was not compiled by the ") + door + " door");
    }
}

ANEMONE_INLINE e5rt::port_spec port_of(std::string_view name, const node& n, const std::string& symbol) {
    return {std::string(name), static_cast<std::size_t>(bytes(n.type, n.shape.count())), symbol};
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct engine_program::members {
    std::string mil_path;
    ane::detail::port_table ports;
    e5rt::session session;
    std::vector<std::size_t> inputs;  ///< positions of the caller's among the session's
    std::vector<std::size_t> outputs; ///< and of the caller's outputs
    std::vector<std::string> states;
    ane::detail::run_flag running{false};
};

ANEMONE_BODY_OF engine_program::engine_program(const graph_view& model, const weight_store& weights,
                                               target architecture, const engine_options& options) {
    validate(model);
    const target_description& chip = describe(architecture);
    e5rt::detail::check_rules(model, chip, options);
    if (options.door != engine_door::e5rt) {
        open_in_memory(model, weights, options);
        return;
    }
    const auto runtime = options.runtime           ? options.runtime
                         : options.library.empty() ? e5rt::library::open(e5rt::default_library_path())
                                                   : e5rt::library::open(options.library);
    const lowered_graph lowered = lower(model, options.whole);
    const graph_view g = lowered.graph;
    e5rt::session_options session = options.session;
    std::string directory = options.directory;
    if (directory.empty()) {
        using both = std::pair<std::shared_ptr<const void>, e5rt::temporary_directory>;
        auto owned = std::make_shared<both>(std::move(session.held), e5rt::temporary_directory("anemone"));
        directory = owned->second.path();
        session.held = std::move(owned);
    }
    const mil_program program = emit_mil(g, fold_constants(g, weights), options.mil);
    const std::string text = write_mil(program, directory);

    std::vector<e5rt::port_spec> inputs;
    std::vector<std::size_t> given;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            if (g.next_of(i) < 0) {
                given.push_back(inputs.size());
            }
            inputs.push_back(e5rt::detail::port_of(g.name(i), g[i], program.inputs[inputs.size()]));
        }
    }
    std::vector<e5rt::port_spec> outputs;
    std::vector<std::size_t> returned;
    for (const output_port& port : g.outputs) {
        if (!port.is_state()) {
            returned.push_back(outputs.size());
        }
        outputs.push_back(e5rt::detail::port_of(g.name(port), g[port.node], program.outputs[outputs.size()]));
    }
    session.directory = directory;
    session.target_architecture = chip.runtime;
    state_ = hidden<members>::of(new members{text,
                                             ane::detail::port_table(g),
                                             e5rt::session(runtime, inputs, outputs, std::move(session)),
                                             given,
                                             returned,
                                             {}});
    for (const output_port& port : g.outputs) {
        if (port.is_state()) { // native state operations do not compile on this route (facts: engine-runtime 4)
            e5rt::session& here = state_.get("engine program").session;
            state_.get("engine program").states.emplace_back(g.name(port.state));
            here.alias(here.output_index(g.name(port)), here.input_index(g.name(port.state)));
        }
    }
}

ANEMONE_BODY void engine_program::open_in_memory(const graph_view& model, const weight_store& weights,
                                                 const engine_options& options) {
    const auto runtime = options.objc_runtime ? options.objc_runtime : objc::runtime::open(options.library);
    const lowered_graph lowered = lower(model, options.whole);
    const folded_constants constants = fold_constants(lowered.graph, weights);
    if (options.door == engine_door::netplist) {
        const netplist written = emit_netplist(lowered.graph, constants, "anemone", options.netplist);
        if (!options.directory.empty()) {
            write_netplist(written, options.directory);
        }
        in_memory_.emplace(lowered.graph, written, runtime, options.session, options.objc);
    } else {
        const mil_program written = emit_mil(lowered.graph, constants, options.mil);
        if (!options.directory.empty()) {
            write_mil(written, options.directory);
        }
        in_memory_.emplace(lowered.graph, written, runtime, options.session, options.objc);
    }
}

ANEMONE_BODY void engine_program::run(input_buffers inputs, output_buffers outputs) {
    if (in_memory_) {
        in_memory_->run(inputs, outputs);
        return;
    }
    members& self = state_.get("engine program");
    const ane::detail::one_run now(self.running, "engine program");
    static_cast<void>(self.session.input_count()); // throws when closed, whatever the buffers are
    self.ports.check(inputs, outputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::memcpy(self.session.input(self.inputs[i]).data(), inputs[i].data(), inputs[i].size());
    }
    self.session.execute();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        std::memcpy(outputs[i].data(), self.session.output(self.outputs[i]).data(), outputs[i].size());
    }
}

ANEMONE_BODY std::span<std::byte> engine_program::state(std::string_view name) {
    if (in_memory_) {
        return in_memory_->state(name);
    }
    members& self = state_.get("engine program");
    for (const std::string& each : self.states) {
        if (each == name) {
            return self.session.input(self.session.input_index(name));
        }
    }
    throw error(errc::port, std::string(name), "is no state of the program");
}
ANEMONE_BODY void engine_program::reset() {
    if (in_memory_) {
        in_memory_->reset();
        return;
    }
    members& self = state_.get("engine program");
    for (const std::string& each : self.states) {
        const std::span<std::byte> memory = self.session.input(self.session.input_index(each));
        std::fill(memory.begin(), memory.end(), std::byte{0});
    }
}

ANEMONE_BODY std::string engine_program::mil_path() const {
    e5rt::detail::require_door(!in_memory_, "e5rt");
    return state_.get("engine program").mil_path;
}
ANEMONE_BODY std::string engine_program::weights_path() const {
    return std::filesystem::path(mil_path()).parent_path() / "weights.bin";
}

ANEMONE_BODY e5rt::session& engine_program::session() {
    e5rt::detail::require_door(!in_memory_, "e5rt");
    return state_.get("engine program").session;
}
ANEMONE_BODY objc::session& engine_program::in_memory_session() {
    e5rt::detail::require_door(in_memory_.has_value(), "netplist or the in-memory MIL");
    return in_memory_->session();
}

ANEMONE_BODY_OF engine::engine(target architecture, engine_options options)
    : architecture_(architecture), options_(std::move(options)) {}

ANEMONE_BODY std::string engine::name() const { return "engine " + std::string(ane::name(architecture_)); }

ANEMONE_BODY engine engine::by_netplists() const {
    engine_options options = options_;
    if (options.door == engine_door::e5rt) {
        options.library.clear();
    }
    options.door = engine_door::netplist;
    return engine(architecture_, std::move(options));
}

ANEMONE_BODY engine_program engine::compile(const graph_view& model, const weight_store& weights) const {
    return {model, weights, architecture_, options_};
}

} // namespace ane::backend::inline ANEMONE_WAY
