#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_segments_print_hpp);

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "print.hpp"
#include "wiring.hpp"

#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::string in_microseconds(double seconds) {
    return formatted("{:.{}f}", seconds * 1e6, seconds < 1e-5 ? 1 : 0);
}

ANEMONE_INLINE std::string segment_time(const segment_cost& c) {
    if (!c.clock) {
        return "";
    }
    if (c.place == door::host) {
        return formatted("    costs {} us on the CPU\n", in_microseconds(c.clock->typical));
    }
    return formatted("    costs {} us, {} to {} in nine of ten runs, {}-bound\n", in_microseconds(c.clock->typical),
                     in_microseconds(c.clock->at_least), in_microseconds(c.clock->at_most), name(c.limit));
}

ANEMONE_INLINE std::string run_time(const run_cost& c) {
    const std::string handed = counted(c.taken_bytes, "byte") + " handed over";
    if (!c.clock) {
        return formatted("no rates of {} are known, and so no time; {}\n", c.target, handed);
    }
    std::string text =
        formatted("a run costs {} us on {}, {} to {} by the sums of the ends; {} us of it are dispatches; {}\n",
                  in_microseconds(c.clock->typical), c.target, in_microseconds(c.clock->at_least),
                  in_microseconds(c.clock->at_most), in_microseconds(c.dispatch_seconds), handed);
    text += formatted("by the cost model: rates of the engine {}", name(c.engine_known_by));
    return text + (c.host_seconds > 0 ? formatted(", of the CPU {}; how far a CPU's times spread is not known\n",
                                                  name(c.host_known_by))
                                      : "\n");
}

ANEMONE_INLINE std::string print_segments(const graph_view& model, const segmentation_view& cuts,
                                          const segmentation_costs* costs) {
    check_cuts(model, cuts);
    if (costs != nullptr && costs->size() != cuts.size()) {
        refuse_segment_costs(formatted("are {}, the costs are of {}", cuts.size(), costs->size()));
    }
    const segment_wiring wiring(model, cuts);
    const int programs = cuts.size() - cuts.count(door::host);
    std::string text =
        formatted("{}, {} of the engine\n", counted(cuts.size(), "segment"), counted(programs, "program"));
    for (int k = 0; k < cuts.size(); ++k) {
        const segment& each = cuts[k];
        text += formatted("#{} {}: {}", k, name(each.place), counted(each.operations, "operation"));
        text += each.decoder_layers == 0 ? "" : ", " + counted(each.decoder_layers, "decoder layer");
        text += formatted(", {} of weights\n", counted(each.weight_bytes, "byte"));
        if (each.because >= 0) {
            text += formatted("    from {} on: {}\n", print(model, each.because), sentence(each.why));
        }
        for (const int value : wiring.values_read(k)) {
            const node& n = model[value];
            if (n.kind == op::input) {
                continue;
            }
            const sequence<char> port = wiring.name_of(value);
            text += formatted("    takes {} from segment #{}: {}, {}\n", std::string_view(port.data(), port.size()),
                              cuts.of(value), print(n.type, n.shape), counted(bytes(n.type, n.shape.count()), "byte"));
        }
        text += costs != nullptr ? segment_time((*costs)[k]) : "";
    }
    for (std::size_t p = 0; p < model.outputs.size(); ++p) {
        const output_port& port = model.outputs[p];
        if (port.is_state() && wiring.keeper(static_cast<int>(p)) < 0) {
            const node& n = model[port.state];
            text += formatted("state \"{}\" goes from segment to segment: {}\n", model.called(model.name(port.state)),
                              counted(bytes(n.type, n.shape.count()), "byte"));
        }
    }
    return text + (costs != nullptr ? run_time(*costs) : "");
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string print(const graph_view& model, const segmentation_view& cuts) {
    return detail::print_segments(model, cuts, nullptr);
}
ANEMONE_BODY_OF std::string print(const graph_view& model, const segmentation_view& cuts,
                                  const segmentation_costs& costs) {
    return detail::print_segments(model, cuts, &costs);
}
ANEMONE_BODY_OF std::string print(const graph_view& model, const segmentation_view& cuts,
                                  const target_description& chip) {
    return print(model, cuts, segment_costs_of(model, cuts, chip));
}
ANEMONE_BODY_OF std::string print(const graph_view& model, const segmentation_view& cuts, target generation) {
    return print(model, cuts, describe(generation));
}

} // namespace ane::inline ANEMONE_WAY
