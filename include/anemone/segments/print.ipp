#pragma once

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "print.hpp"
#include "wiring.hpp"

#include <string_view>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string print(const graph_view& model, const segmentation_view& cuts) {
    const segment_wiring wiring(model, cuts);
    const int programs = cuts.size() - cuts.count(door::host);
    std::string text = formatted("{}, {} of the engine\n", detail::counted(cuts.size(), "segment"),
                                 detail::counted(programs, "program"));
    for (int k = 0; k < cuts.size(); ++k) {
        const segment& each = cuts[k];
        text += formatted("#{} {}: {}", k, name(each.place), detail::counted(each.operations, "operation"));
        text += each.decoder_layers == 0 ? "" : ", " + detail::counted(each.decoder_layers, "decoder layer");
        text += formatted(", {} of weights\n", detail::counted(each.weight_bytes, "byte"));
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
                              cuts.of(value), print(n.type, n.shape),
                              detail::counted(bytes(n.type, n.shape.count()), "byte"));
        }
    }
    for (std::size_t p = 0; p < model.outputs.size(); ++p) {
        const output_port& port = model.outputs[p];
        if (port.is_state() && wiring.keeper(static_cast<int>(p)) < 0) {
            const node& n = model[port.state];
            text += formatted("state \"{}\" goes from segment to segment: {}\n", model.name(port.state),
                              detail::counted(bytes(n.type, n.shape.count()), "byte"));
        }
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY
