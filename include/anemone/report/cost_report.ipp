#pragma once

#include "../base/formatted.hpp"
#include "../forms/written.hpp"
#include "../passes/lowering.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "../rules/registry.hpp"
#include "cost_report.hpp"
#include "cost_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string cost_line(const cost& c) {
    const std::string work =
        formatted("{}, {}, {:.1f} FLOP/byte", detail::scaled(static_cast<double>(c.flops()), "FLOP"),
                  detail::scaled(static_cast<double>(c.bytes), "B"), c.intensity());
    const std::string device = detail::device_name(c);
    if (!c.roof || !c.seconds) {
        return formatted("{}; time on {} not known (no clock of it is known)", work, device);
    }
    return formatted("{}, {}-bound on {}: between {}, typically {}, {}, of which the engine {} ({})", work,
                     name(c.limit), device, detail::between(c.clock), detail::milliseconds(c.clock.typical),
                     detail::millijoules(c.joules), detail::millijoules(c.engine_joules), mark_text(*c.roof));
}

ANEMONE_BODY std::string cost_advice(const cost& c) {
    if (!is_below_the_floor(c)) {
        return {};
    }
    const auto microseconds = [](double seconds) { return std::int64_t{std::llround(seconds * 1e6)}; };
    std::string text;
    for (const rule id : {rule::work_is_below_the_dispatch_floor, rule::tiny_work_runs_faster_on_cpu}) {
        const rule_record& r = record_of(id);
        text += formatted("{}: {}; try: {} [{}, {}]\n", name(r.level),
                          fmt::format(fmt::runtime(r.sentence),
                                      fmt::arg("got", microseconds(*c.seconds - c.dispatch_seconds)),
                                      fmt::arg("limit", microseconds(c.dispatch_seconds))),
                          r.advice, r.fact, name(r.evidence));
    }
    return text;
}

ANEMONE_BODY std::string cost_table(const graph_view& lowered, const cost& c) {
    validate(lowered);
    const sequence<fusion> fused = fuse(lowered);
    std::size_t width = 5;
    std::vector<std::string> names;
    for (const layer_cost& layer : c.layers) {
        names.push_back(detail::layer_name(lowered, layer, fused));
        width = names.back().size() > width ? names.back().size() : width;
    }
    std::string text = formatted("{:<{}}  {:<20} {:>11} {:>9} {:>9} {:>10}  {:<9} {:>9}\n", "layer", width, "result",
                                 "work", "values", "weights", "FLOP/byte", "bound", "time");
    for (std::size_t i = 0; i < c.layers.size(); ++i) {
        const layer_cost& layer = c.layers[i];
        const std::string time =
            layer.limit == bound::unknown ? "not known" : formatted("{:.1f} us", layer.seconds() * 1e6);
        text += formatted(
            "{:<{}}  {:<20} {:>11} {:>9} {:>9} {:>10.1f}  {:<9} {:>9}\n", names[i], width,
            print(lowered[layer.last].shape), detail::scaled(static_cast<double>(layer.work.flops()), "FLOP"),
            detail::scaled(static_cast<double>(layer.input_bytes + layer.output_bytes), "B"),
            detail::scaled(static_cast<double>(layer.weight_bytes), "B"), layer.intensity(), name(layer.limit), time);
    }
    if (c.roof) {
        text +=
            formatted("a dispatch takes {:.0f} us, at best {:.0f}; convolutions {}/s, products {}/s; weights {}/s and "
                      "{}/s; inputs and outputs {}/s ({})\n",
                      c.dispatch_seconds * 1e6, (c.least.typical - c.clock.typical + c.dispatch_seconds) * 1e6,
                      detail::scaled(c.rates.convolution, "FLOP"), detail::scaled(c.rates.product, "FLOP"),
                      detail::scaled(c.rates.convolution_weights, "B"), detail::scaled(c.rates.product_weights, "B"),
                      detail::scaled(c.rates.ports, "B"), mark_text(*c.roof));
    }
    return text + cost_line(c) + "\n" + cost_advice(c);
}

ANEMONE_BODY std::string cost_report(const graph_view& model, const target_description& d) {
    const lowered_graph lowered = lower(validated(model));
    return cost_table(lowered.view(), estimate(lowered.view(), d, held_forms_of(model, d)));
}
ANEMONE_BODY std::string cost_report(const graph_view& model, target t) { return cost_report(model, describe(t)); }

} // namespace ane::inline ANEMONE_WAY
