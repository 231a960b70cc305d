#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_objc_program_hpp);

#include "../../../formats/mil.hpp"
#include "../../../formats/netplist_program.hpp"
#include "../../../graph/graph.hpp"
#include "../../one_run.hpp"
#include "../../ports.hpp"
#include "program.hpp"
#include "session.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ane::objc::inline ANEMONE_WAY {

struct program::members {
    /// A state as its reader sees it: a dense copy of what its surface holds.
    struct kept {
        std::string name;
        std::size_t input;
        std::vector<std::byte> copy;
        bool handed_out = false; ///< since the last run: whatever is there now goes into the surface before the next
    };

    ane::detail::port_table ports;
    objc::session session;
    std::vector<std::size_t> inputs;  ///< of the caller's inputs, their places in the session
    std::vector<std::size_t> outputs; ///< and of the outputs
    std::vector<kept> states;
    ane::detail::run_flag running{false};
};

} // namespace ane::objc::inline ANEMONE_WAY

namespace ane::objc::detail::inline ANEMONE_WAY {

/// `symbols`: what MIL text calls the ports, in their order; of a netplist empty.
ANEMONE_INLINE port_spec spec_of(std::string_view name, const node& n, const std::vector<std::string>& symbols,
                                 std::size_t place) {
    return {std::string(name), netplist_shape_of(n.shape), static_cast<std::int64_t>(bytes(n.type, 1)),
            symbols.empty() ? std::string() : symbols[place]};
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

ANEMONE_BODY_OF program::program(const graph_view& lowered, const netplist& written,
                                 std::shared_ptr<const runtime> from, e5rt::session_options options,
                                 door_options door) {
    open(lowered, written, {}, {}, std::move(from), std::move(options), door);
}
ANEMONE_BODY_OF program::program(const graph_view& lowered, const mil_program& written,
                                 std::shared_ptr<const runtime> from, e5rt::session_options options,
                                 door_options door) {
    open(lowered, written, written.inputs, written.outputs, std::move(from), std::move(options), door);
}

template <class Written>
void program::open(const graph_view& lowered, const Written& written, const std::vector<std::string>& input_symbols,
                   const std::vector<std::string>& output_symbols, std::shared_ptr<const runtime> from,
                   e5rt::session_options options, door_options door) {
    std::vector<port_spec> inputs;
    std::vector<port_spec> outputs;
    std::vector<resident> states;
    for (int i = 0; i < lowered.size(); ++i) {
        if (lowered[i].kind == op::input) {
            inputs.push_back(detail::spec_of(lowered.name(i), lowered[i], input_symbols, inputs.size()));
        }
    }
    for (const output_port& port : lowered.outputs) {
        outputs.push_back(detail::spec_of(lowered.name(port), lowered[port.node], output_symbols, outputs.size()));
        if (port.is_state()) {
            states.push_back({std::string(lowered.name(port)), std::string(lowered.name(port.state))});
        }
    }
    state_ = hidden<members>::of(
        new members{ane::detail::port_table(lowered),
                    objc::session(std::move(from), written, inputs, outputs, states, std::move(options), door),
                    {},
                    {},
                    {}});
    members& self = state_.get("engine program");
    for (int i = 0; i < lowered.size(); ++i) {
        if (lowered[i].kind == op::input && lowered.next_of(i) < 0) {
            self.inputs.push_back(self.session.input_index(lowered.name(i)));
        } else if (lowered[i].kind == op::input) {
            const std::size_t at = self.session.input_index(lowered.name(i));
            const auto size = static_cast<std::size_t>(self.session.input_layout(at).dense());
            self.states.push_back({std::string(lowered.name(i)), at, std::vector<std::byte>(size)});
        }
    }
    for (const output_port& port : lowered.outputs) {
        if (!port.is_state()) {
            self.outputs.push_back(self.session.output_index(lowered.name(port)));
        }
    }
}

ANEMONE_BODY void program::run(input_buffers inputs, output_buffers outputs) {
    members& self = state_.get("engine program");
    const ane::detail::one_run now(self.running, "engine program");
    static_cast<void>(self.session.input_count()); // throws when closed, whatever the buffers are
    self.ports.check(inputs, outputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        self.session.write(self.inputs[i], inputs[i]);
    }
    for (members::kept& each : self.states) {
        if (each.handed_out) {
            self.session.write(each.input, each.copy);
        }
    }
    self.session.execute();
    for (members::kept& each : self.states) {
        each.handed_out = false;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        self.session.read(self.outputs[i], outputs[i]);
    }
}

ANEMONE_BODY std::span<std::byte> program::state(std::string_view name) {
    members& self = state_.get("engine program");
    for (members::kept& each : self.states) {
        if (each.name == name) {
            if (!each.handed_out) {
                self.session.read_input(each.input, each.copy);
                each.handed_out = true;
            }
            return each.copy;
        }
    }
    throw error(errc::port, std::string(name), "is no state of the program");
}

ANEMONE_BODY void program::reset() {
    members& self = state_.get("engine program");
    for (members::kept& each : self.states) {
        std::fill(each.copy.begin(), each.copy.end(), std::byte{0});
        each.handed_out = true; // the next run begins with it
    }
}

ANEMONE_BODY objc::session& program::session() { return state_.get("engine program").session; }

} // namespace ane::objc::inline ANEMONE_WAY
