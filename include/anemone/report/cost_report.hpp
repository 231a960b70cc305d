#pragma once

#include "../passes/cost.hpp"
#include "../passes/lowering.hpp"
#include "../print.hpp"
#include "../rules/registry.hpp"
#include "../way.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// "0.85 MFLOP", "3.2 GB": three significant digits and the prefix that keeps the number between 0.1 and 100.
ANEMONE_INLINE std::string scaled(double value, std::string_view unit) {
    constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P"};
    std::size_t step = 0;
    while (value >= 100 && step + 1 < std::size(prefixes)) {
        value /= 1000;
        ++step;
    }
    const int digits = step == 0 ? 0 : (value < 10 ? 2 : 1);
    return fmt::format("{:.{}f} {}{}", value, digits, prefixes[step], unit);
}

ANEMONE_INLINE std::string milliseconds(double seconds) {
    const double ms = seconds * 1e3;
    return fmt::format("{:.{}f} ms", ms, ms < 10 ? 2 : (ms < 100 ? 1 : 0));
}

/// "h13 (M1)"; the name alone where no product has the engine.
ANEMONE_INLINE std::string device_name(const cost& c) {
    std::string_view product = c.product;
    constexpr std::string_view base = " base";
    if (product.size() > base.size() && product.substr(product.size() - base.size()) == base) {
        product.remove_suffix(base.size());
    }
    return product.empty() ? std::string(c.target) : fmt::format("{} ({})", c.target, product);
}

/// "conv2d + add + relu #4": a layer with the stages that fused into it.
ANEMONE_INLINE std::string layer_name(const graph_view& g, const layer_cost& layer, const sequence<fusion>& fused) {
    std::string text(name(g[layer.node].kind));
    for (int i = layer.node + 1; i <= layer.last; ++i) {
        const fusion& f = fused[static_cast<std::size_t>(i)];
        if (f.host == layer.node && f.role != fused_as::own_layer) {
            text += fmt::format(" + {}", name(g[i].kind));
        }
    }
    return text + fmt::format(" #{}", layer.node);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// How the rates of an estimate are known: "measured fit", "predicted".
ANEMONE_INLINE std::string_view mark_text(const roofline& r) {
    return r.known_by == mark::measured ? "measured fit" : name(r.known_by);
}

/// One line: "0.85 MFLOP, 0.21 MB, 4.0 FLOP/byte, dispatch-bound on h13 (M1): about 0.22 ms (measured fit)".
ANEMONE_INLINE std::string cost_line(const cost& c) {
    const std::string work =
        fmt::format("{}, {}, {:.1f} FLOP/byte", detail::scaled(static_cast<double>(c.flops()), "FLOP"),
                    detail::scaled(static_cast<double>(c.bytes), "B"), c.intensity());
    const std::string device = detail::device_name(c);
    if (!c.roof || !c.seconds) {
        return fmt::format("{}; time on {} not known ({})", work, device,
                           c.roof ? "the cost model has no form for attention" : "no clock of it is known");
    }
    return fmt::format("{}, {}-bound on {}: about {} ({})", work, name(c.limit), device,
                       detail::milliseconds(*c.seconds), mark_text(*c.roof));
}

/// Whether a dispatch takes longer than everything that it does (R111).
constexpr bool is_below_the_floor(const cost& c) { return c.roof && c.seconds && c.limit == bound::dispatch; }

/// What the rules advise on the cost of a program, a line each; nothing where the time is not known.
/// "warn: the work takes 19 us, a dispatch 220 us; try: larger batches, ... [R111, measured]"
ANEMONE_INLINE std::string cost_advice(const cost& c) {
    if (!is_below_the_floor(c)) {
        return {};
    }
    const auto microseconds = [](double seconds) { return std::int64_t{std::llround(seconds * 1e6)}; };
    std::string text;
    for (const rule id : {rule::work_is_below_the_dispatch_floor, rule::tiny_work_runs_faster_on_cpu}) {
        const rule_record& r = record_of(id);
        text += fmt::format("{}: {}; try: {} [{}, {}]\n", name(r.level),
                            fmt::format(fmt::runtime(r.sentence),
                                        fmt::arg("got", microseconds(*c.seconds - c.roof->floor_seconds)),
                                        fmt::arg("limit", microseconds(c.roof->floor_seconds))),
                            r.advice, r.fact, name(r.evidence));
    }
    return text;
}

/// A table with a row for each layer of a lowered graph, what the figures rest on, and advice.
ANEMONE_INLINE std::string cost_table(const graph_view& lowered, const cost& c) {
    const sequence<fusion> fused = fuse(lowered);
    std::size_t width = 5;
    std::vector<std::string> names;
    for (const layer_cost& layer : c.layers) {
        names.push_back(detail::layer_name(lowered, layer, fused));
        width = names.back().size() > width ? names.back().size() : width;
    }
    std::string text = fmt::format("{:<{}}  {:<20} {:>11} {:>9} {:>9} {:>10}  {:<9} {:>9}\n", "layer", width, "result",
                                   "work", "values", "weights", "FLOP/byte", "bound", "time");
    for (std::size_t i = 0; i < c.layers.size(); ++i) {
        const layer_cost& layer = c.layers[i];
        const std::string time =
            layer.limit == bound::unknown ? "not known" : fmt::format("{:.1f} us", layer.seconds() * 1e6);
        text += fmt::format(
            "{:<{}}  {:<20} {:>11} {:>9} {:>9} {:>10.1f}  {:<9} {:>9}\n", names[i], width,
            print(lowered[layer.last].shape), detail::scaled(static_cast<double>(layer.work.flops()), "FLOP"),
            detail::scaled(static_cast<double>(layer.input_bytes + layer.output_bytes), "B"),
            detail::scaled(static_cast<double>(layer.weight_bytes), "B"), layer.intensity(), name(layer.limit), time);
    }
    if (c.roof) {
        text += fmt::format("dispatch floor {:.0f} us; peak {}/s, bandwidth {}/s, ridge {:.0f} FLOP/byte ({})\n",
                            c.roof->floor_seconds * 1e6, detail::scaled(c.roof->peak, "FLOP"),
                            detail::scaled(c.roof->bandwidth, "B"), c.roof->ridge(), mark_text(*c.roof));
    }
    return text + cost_line(c) + "\n" + cost_advice(c);
}

/// The table of a model on a target; the model is lowered first.
ANEMONE_INLINE std::string cost_report(const graph_view& model, const target_description& d) {
    const lowered_graph lowered = lower(model);
    return cost_table(lowered.view(), estimate(lowered.view(), d));
}
ANEMONE_INLINE std::string cost_report(const graph_view& model, target t) { return cost_report(model, describe(t)); }

} // namespace ane::inline ANEMONE_WAY
