#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_engine_hpp);

#include "../../passes/print.hpp"
#include "../../passes/validate.hpp"
#include "../../rules/violation_text.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "doors.hpp"
#include "engine.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Throws `error` (errc::lowering) if no program can be made from the model.
ANEMONE_INLINE void check_rules(const graph_view& model, const target_description& chip,
                                const backend::engine_options& options) {
    const bool netplist = options.runtime == backend::engine_runtime::netplist;
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

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct engine_program::members {
    /// A state, by its input in the session.
    struct kept_state {
        std::string name;
        std::size_t input;
        std::vector<std::byte> copy{};
        bool handed_out = false; ///< the copy, since the last run: what is there now goes into the port before the next
    };

    ANEMONE_INLINE members(const graph_view& g, ane::detail::opened_door made) : ports(g), door(std::move(made)) {
        std::visit([&](const auto& session) { find_ports(g, session); }, door.session);
    }

    template <class Session> void find_ports(const graph_view& g, const Session& session) {
        const sequence<char> bound = ane::detail::bound_nodes(g);
        for (int i = 0; i < g.size(); ++i) {
            if (bound[static_cast<std::size_t>(i)] != 0) {
                inputs.push_back(session.input_index(g.name(i)));
            } else if (g[i].kind == op::input) {
                states.push_back({std::string(g.name(i)), session.input_index(g.name(i))});
            }
        }
        for (const output_port& port : g.outputs) {
            if (!port.is_state()) {
                outputs.push_back(session.output_index(g.name(port)));
            }
        }
    }

    template <class Session> void run(Session& session, input_buffers from, output_buffers to) {
        static_cast<void>(session.input_count()); // throws when closed, whatever the buffers are
        ports.check(from, to);
        for (std::size_t i = 0; i < from.size(); ++i) {
            ane::detail::write_input(session, inputs[i], from[i]);
        }
        for (kept_state& each : states) {
            if (each.handed_out) {
                ane::detail::write_input(session, each.input, each.copy);
                each.handed_out = false;
            }
        }
        session.execute();
        for (std::size_t i = 0; i < to.size(); ++i) {
            ane::detail::read_output(session, outputs[i], to[i]);
        }
    }

    /// The value of a state; the copy, if it is one, is read once a run.
    ANEMONE_INLINE std::span<std::byte> value_of(kept_state& state) {
        if (state.handed_out) {
            return state.copy;
        }
        std::span<std::byte> dense;
        state.handed_out =
            std::visit([&](auto& session) { return ane::detail::read_state(session, state.input, state.copy, dense); },
                       door.session);
        return dense;
    }

    /// The session of one door. Throws `error` (errc::argument) where the other was taken.
    template <class Session> Session& session_of(const char* name) {
        Session* const taken = std::get_if<Session>(&door.session);
        if (taken == nullptr) {
            throw error(errc::argument, "engine program", std::string("was not compiled by the ") + name + " door");
        }
        return *taken;
    }

    ane::detail::port_table ports;
    ane::detail::opened_door door;
    std::vector<std::size_t> inputs;  ///< of the caller's inputs, their positions in the session
    std::vector<std::size_t> outputs; ///< and of the outputs
    std::vector<kept_state> states;
    ane::detail::run_flag running{false};
};

ANEMONE_BODY_OF engine_program::engine_program(const graph_view& model, const weight_store& weights,
                                               target architecture, const engine_options& options) {
    validate(model);
    const target_description& chip = describe(architecture);
    ane::detail::check_rules(model, chip, options);
    const lowered_graph lowered = lower(model, options.whole);
    const graph_view g = lowered.graph;
    ane::detail::opened_door door = options.runtime == engine_runtime::e5rt
                                        ? ane::detail::open_e5rt(g, weights, chip, options)
                                        : ane::detail::open_in_memory(g, weights, options);
    state_ = hidden<members>::of(new members(g, std::move(door)));
}

ANEMONE_BODY void engine_program::run(input_buffers inputs, output_buffers outputs) {
    members& self = state_.get("engine program");
    const ane::detail::one_run now(self.running, "engine program");
    std::visit([&](auto& session) { self.run(session, inputs, outputs); }, self.door.session);
}

ANEMONE_BODY std::span<std::byte> engine_program::state(std::string_view name) {
    members& self = state_.get("engine program");
    for (members::kept_state& each : self.states) {
        if (each.name == name) {
            return self.value_of(each);
        }
    }
    throw error(errc::port, std::string(name), "is not a state of the program");
}
ANEMONE_BODY void engine_program::reset() {
    members& self = state_.get("engine program");
    for (members::kept_state& each : self.states) {
        const std::span<std::byte> value = self.value_of(each);
        std::fill(value.begin(), value.end(), std::byte{0});
    }
}

ANEMONE_BODY std::string engine_program::mil_path() const { return state_.get("engine program").door.mil_path; }
ANEMONE_BODY std::string engine_program::weights_path() const {
    const std::string text = mil_path();
    return text.empty() ? text : (std::filesystem::path(text).parent_path() / "weights.bin").string();
}

ANEMONE_BODY e5rt::session& engine_program::session() {
    return state_.get("engine program").session_of<e5rt::session>("e5rt");
}
ANEMONE_BODY objc::session& engine_program::in_memory_session() {
    return state_.get("engine program").session_of<objc::session>("netplist or the in-memory MIL");
}

ANEMONE_BODY_OF engine::engine(target architecture, engine_options options)
    : architecture_(architecture), options_(std::move(options)) {}

ANEMONE_BODY std::string engine::name() const { return "engine " + std::string(ane::name(architecture_)); }

ANEMONE_BODY engine engine::by_netplists() const {
    engine_options options = options_;
    if (options.runtime == engine_runtime::e5rt) {
        options.library.clear();
    }
    options.runtime = engine_runtime::netplist;
    return engine(architecture_, std::move(options));
}

ANEMONE_BODY engine_program engine::compile(const graph_view& model, const weight_store& weights) const {
    return {model, weights, architecture_, options_};
}

} // namespace ane::backend::inline ANEMONE_WAY
