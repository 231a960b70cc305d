#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_segmented_segmented_hpp);

#include "../../passes/validate.hpp"
#include "../../segments/print.hpp"
#include "../../segments/wiring.hpp"
#include "../../weights/verify.hpp"
#include "../cpu/cpu.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "segmented.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE backend::any host_of(const backend::segmented_options& options) {
    return options.host ? *options.host : backend::any(backend::cpu{}.rounding(rounding::each_operation));
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct segmented_program::members {
    /// Whose memory a port is bound to: a caller's, or the program's own.
    enum class owner : std::uint8_t { input, output, value, carried_now, carried_next };
    struct place {
        owner whose;
        std::size_t index;
    };
    struct part {
        any_program program;
        std::vector<place> inputs;
        std::vector<place> outputs;
        std::vector<std::span<const std::byte>> bound_inputs;
        std::vector<std::span<std::byte>> bound_outputs;
    };
    /// A state that segments share: each run reads one buffer and writes the other.
    struct carried {
        std::string name;
        std::vector<std::byte> now;
        std::vector<std::byte> next;
    };
    struct kept {
        std::string name;
        std::size_t part;
    };

    ANEMONE_INLINE members(const graph_view& model, segmentation found, const target_description& generation)
        : cuts(std::move(found)), report(print(model, cuts, generation)), ports(model) {}

    ANEMONE_INLINE std::span<std::byte> memory(const place& where, output_buffers given) {
        switch (where.whose) {
        case owner::output: return given[where.index];
        case owner::value: return values[where.index];
        case owner::carried_now: return states[where.index].now;
        case owner::carried_next: return states[where.index].next;
        case owner::input: break;
        }
        return {};
    }

    segmentation cuts;
    std::string report;
    ane::detail::port_table ports;
    std::vector<part> parts;
    std::vector<std::vector<std::byte>> values; ///< those that go from one segment to another
    std::vector<carried> states;
    std::vector<kept> resident; ///< states that a segment keeps
    ane::detail::run_flag running{false};
};

ANEMONE_BODY_OF segmented_program::segmented_program(const graph_view& model, const weight_store& weights,
                                                     const target_description& generation, const any& device,
                                                     const segmented_options& options) {
    using place = members::place;
    using owner = members::owner;
    validate(model);
    state_ = hidden<members>::of(new members(model, segments_of(model, generation, options.limits), generation));
    members& self = state_.get("segmented program");
    const segment_wiring wiring(model, self.cuts);
    const auto size_of_value = [&model](int index) {
        return static_cast<std::size_t>(bytes(model[index].type, model[index].shape.count()));
    };
    // Where the value of each input of the model is before a run, and that of each output after it.
    std::vector<place> of_inputs(model.nodes.size(), place{owner::input, 0});
    std::vector<place> of_outputs;
    std::size_t given = 0;
    const sequence<char> bound = ane::detail::bound_nodes(model);
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        if (bound[i] != 0) {
            of_inputs[i].index = given++;
        }
    }
    std::size_t returned = 0;
    for (std::size_t p = 0; p < model.outputs.size(); ++p) {
        const output_port& port = model.outputs[p];
        if (!port.is_state()) {
            of_outputs.push_back({owner::output, returned++});
            continue;
        }
        const int keeper = wiring.keeper(static_cast<int>(p));
        const std::string name(model.name(port.state));
        of_outputs.push_back({owner::carried_next, self.states.size()});
        if (keeper >= 0) {
            self.resident.push_back({name, static_cast<std::size_t>(keeper)});
            continue;
        }
        of_inputs[static_cast<std::size_t>(port.state)] = {owner::carried_now, self.states.size()};
        const std::size_t size = size_of_value(port.state);
        self.states.push_back({name, std::vector<std::byte>(size), std::vector<std::byte>(size)});
    }
    std::vector<place> of_layers(model.nodes.size(), place{owner::value, 0});
    const std::vector<interval> values = ranges(model);
    const any host = ane::detail::host_of(options);
    for (int k = 0; k < self.cuts.size(); ++k) {
        const segment_graph own = wiring.extract(k, values);
        const door door_of_part = self.cuts[k].place;
        const any& where = door_of_part == door::host                           ? host
                           : door_of_part == door::netplist && options.netplist ? *options.netplist
                                                                                : device;
        members::part part{where.compile(own.graph, weights_for(own.graph, weights)), {}, {}, {}, {}};
        for (const int value : own.inputs) {
            const auto at = static_cast<std::size_t>(value);
            part.inputs.push_back(model[value].kind == op::input ? of_inputs[at]
                                  : wiring.port_of(value) >= 0
                                      ? of_outputs[static_cast<std::size_t>(wiring.port_of(value))]
                                      : of_layers[at]);
        }
        for (const int output : own.outputs) {
            if (output >= 0) {
                part.outputs.push_back(of_outputs[static_cast<std::size_t>(output)]);
                continue;
            }
            const int layer = segment_graph::handed(output);
            of_layers[static_cast<std::size_t>(layer)].index = self.values.size();
            part.outputs.push_back({owner::value, self.values.size()});
            self.values.emplace_back(size_of_value(layer));
        }
        part.bound_inputs.resize(part.inputs.size());
        part.bound_outputs.resize(part.outputs.size());
        self.parts.push_back(std::move(part));
    }
}

ANEMONE_BODY void segmented_program::run(input_buffers inputs, output_buffers outputs) {
    members& self = state_.get("segmented program");
    const ane::detail::one_run now(self.running, "segmented program");
    self.ports.check(inputs, outputs);
    for (members::part& part : self.parts) {
        for (std::size_t i = 0; i < part.inputs.size(); ++i) {
            const members::place& from = part.inputs[i];
            part.bound_inputs[i] = from.whose == members::owner::input
                                       ? inputs[from.index]
                                       : std::span<const std::byte>(self.memory(from, outputs));
        }
        for (std::size_t i = 0; i < part.outputs.size(); ++i) {
            part.bound_outputs[i] = self.memory(part.outputs[i], outputs);
        }
        part.program.run(part.bound_inputs, part.bound_outputs);
    }
    for (members::carried& each : self.states) {
        each.now.swap(each.next);
    }
}

ANEMONE_BODY std::span<std::byte> segmented_program::state(std::string_view name) {
    members& self = state_.get("segmented program");
    std::string known;
    for (members::carried& each : self.states) {
        if (each.name == name) {
            return each.now;
        }
        known += (known.empty() ? "" : ", ") + each.name;
    }
    for (const members::kept& each : self.resident) {
        if (each.name == name) {
            return self.parts[each.part].program.state(name);
        }
        known += (known.empty() ? "" : ", ") + each.name;
    }
    throw error(errc::port, std::string(name),
                known.empty() ? "the program has no states" : "is not a state of the program, which has " + known);
}

ANEMONE_BODY void segmented_program::reset() {
    members& self = state_.get("segmented program");
    for (members::carried& each : self.states) {
        std::fill(each.now.begin(), each.now.end(), std::byte{0});
    }
    for (members::part& each : self.parts) {
        each.program.reset();
    }
}

ANEMONE_BODY segmentation_view segmented_program::segments() const { return state_.get("segmented program").cuts; }

ANEMONE_BODY const std::string& segmented_program::report() const { return state_.get("segmented program").report; }

ANEMONE_BODY any_program& segmented_program::program(int segment) {
    members& self = state_.get("segmented program");
    if (segment < 0 || segment >= static_cast<int>(self.parts.size())) {
        throw error(errc::argument, "segmented program",
                    "has no segment " + std::to_string(segment) + ", only " + std::to_string(self.parts.size()));
    }
    return self.parts[static_cast<std::size_t>(segment)].program;
}

ANEMONE_BODY_OF segmented::segmented(const target_description& generation, any device, segmented_options options)
    : generation_(generation), device_(std::move(device)), options_(std::move(options)) {}

ANEMONE_BODY_OF segmented::segmented(target generation, any device, segmented_options options)
    : segmented(describe(generation), std::move(device), std::move(options)) {}

ANEMONE_BODY std::string segmented::name() const { return device_.name() + " in segments"; }

ANEMONE_BODY bool segmented::supports(op kind) const {
    return device_.supports(kind) || (options_.netplist && options_.netplist->supports(kind)) ||
           ane::detail::host_of(options_).supports(kind);
}

ANEMONE_BODY segmented_program segmented::compile(const graph_view& model, const weight_store& weights) const {
    return {model, weights, generation_, device_, options_};
}

} // namespace ane::backend::inline ANEMONE_WAY
