#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_device_placement_report_hpp);

#include "../base/formatted.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "../rules/device_placement_of.hpp"
#include "cost_text.hpp"
#include "device_placement_report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::string device_text(compute_device d) {
    return d == compute_device::engine ? "the engine" : formatted("the {}", name(d));
}

ANEMONE_INLINE std::string energy_text(double joules) { return joules > 0 ? millijoules(joules) : "energy not known"; }

ANEMONE_INLINE std::string place_text(const device_summary& s) {
    cost c;
    c.target = s.target;
    c.product = s.product;
    return device_name(c);
}

ANEMONE_INLINE std::string layer_time(const placed_layer& layer, compute_device d) {
    return layer.can_be_on(d) ? formatted("{:.1f} us", layer.seconds[static_cast<std::size_t>(d)] * 1e6) : "-";
}

/// The first statements of a file that the compiler refuses: " cumsum \"c\" (line 8) and 3 more".
ANEMONE_INLINE std::string refused_text(const graph_view& g, const file_layers& file) {
    constexpr int shown = 3;
    std::string text;
    int count = 0;
    int last_line = -1; // a statement may be several nodes
    for (int i = 0; i < g.size(); ++i) {
        const int line = g[i].where.line;
        if (file.refused[static_cast<std::size_t>(i)] == 0 || line == last_line) {
            continue;
        }
        last_line = line;
        if (++count <= shown) {
            const std::string called = g.name(i).empty() ? std::string() : formatted(" \"{}\"", g.name(i));
            text += formatted("{} {}{} (line {})", count > 1 ? "," : "", name(g[i].kind), called, line);
        }
    }
    return count > shown ? text + formatted(" and {} more", count - shown) : text;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string placement_line(const device_plan& plan) {
    std::string where;
    if (plan.segments.empty()) {
        return formatted("{}: nothing to place\n", name(plan.model));
    }
    if (plan.segments.size() == 1) {
        where = formatted("all on {}", detail::device_text(plan.segments[0].on));
    } else {
        for (const device_segment& s : plan.segments) {
            where += formatted("{}{} {}", where.empty() ? "" : ", ", name(s.on),
                               s.first == s.last ? formatted("{}", s.first + 1)
                                                 : formatted("{}-{}", s.first + 1, s.last + 1));
        }
        where = formatted("{} segments: {}", plan.segments.size(), where);
    }
    return plan.model == placement_model::system
               ? formatted("system: {} ({})\n", where, name(plan.known_by))
               : formatted("measured: {}; {}, {} ({})\n", where, detail::milliseconds(plan.seconds),
                           detail::energy_text(plan.joules), name(plan.known_by));
}

ANEMONE_BODY_OF std::string placement_verdict(const device_plan& plan) {
    std::string text = formatted("as a whole on {}:", detail::place_text(plan));
    for (const compute_device d : detail::all_devices) {
        const device_total& whole = plan.on(d);
        text +=
            formatted("{} {} {}", d == compute_device::engine ? "" : ";", name(d),
                      !whole.possible                         ? "cannot take it"
                      : plan.model == placement_model::system ? detail::milliseconds(whole.seconds)
                                                              : formatted("{}, {}", detail::milliseconds(whole.seconds),
                                                                          detail::energy_text(whole.joules)));
    }
    text += "\n";
    if (plan.fastest) {
        text += formatted("fastest: {}", detail::device_text(*plan.fastest));
        text += plan.most_efficient
                    ? formatted("; least energy, of those known: {}\n", detail::device_text(*plan.most_efficient))
                    : "\n";
    }
    const regime_verdict* const v = verdict_on(plan.regime);
    if (v == nullptr) {
        return text + "no measured verdict rests on work like this\n";
    }
    const bool agrees = plan.fastest == v->fastest && plan.most_efficient == v->most_efficient;
    return text + formatted("the guide on {}: fastest {}, most efficient {} ({}, chapter 11){}\n", v->name,
                            detail::device_text(v->fastest), detail::device_text(v->most_efficient), name(v->known_by),
                            agrees ? "" : "; the figures above differ");
}

ANEMONE_BODY_OF std::string placement_report(const graph_view& model, const target_description& d,
                                             const placement_options& o, const file_layers& file) {
    const detail::placed_graph placing = detail::placed_graph_of(validated(model), d, file);
    const graph_view g = placing.lowered.view();
    const bool timed = has_cost_model(d);
    placement_options asked = o;
    asked.model = placement_model::system;
    asked.goal = placement_goal::time;
    const device_plan system = placing.plan(d, asked);
    asked = o;
    asked.model = placement_model::measured;
    const device_plan measured = timed ? placing.plan(d, asked) : device_plan{};

    const sequence<fusion> fused = fuse(g);
    const program_demand program = demand_of(g, d);
    std::vector<std::string> names;
    std::size_t width = 5;
    for (const layer_demand& layer : program.layers) {
        names.push_back(detail::layer_name(g, layer, fused));
        width = names.back().size() > width ? names.back().size() : width;
    }
    const sequence<placed_layer>& rows = timed ? measured.layers : system.layers;
    std::string text = formatted("{:>3}  {:<{}} {:>11} {:>11} {:>11}  {:<7} {}\n", "", "layer", width, "engine", "GPU",
                                 "CPU", "system", timed ? "measured" : "");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += formatted(
            "{:>3}  {:<{}} {:>11} {:>11} {:>11}  {:<7} {}\n", i + 1, names[i], width,
            detail::layer_time(rows[i], compute_device::engine), detail::layer_time(rows[i], compute_device::gpu),
            detail::layer_time(rows[i], compute_device::cpu), name(system.layers[i].on), timed ? name(rows[i].on) : "");
    }
    text += placement_line(system);
    if (placing.rests_on_file) {
        text += "  which has no engine for what the engine's compiler refuses in the file:" +
                detail::refused_text(model, file) + " (measured, M5; that it then takes another device: predicted)\n";
    }
    if (!timed) {
        return text + formatted("no clock of {} is known: nothing is said by measured rates\n", d.runtime);
    }
    text += placement_line(measured);
    bool differs = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        differs = differs || rows[i].on != system.layers[i].on;
    }
    if (differs) {
        const device_plan theirs = plan_on(g, d, devices_of(system), asked, placing.barred);
        text += formatted("the system's choice by measured rates: {}, {}\n", detail::milliseconds(theirs.seconds),
                          detail::energy_text(theirs.joules));
    }
    return text + placement_verdict(measured);
}
ANEMONE_BODY_OF std::string placement_report(const graph_view& model, target t, const placement_options& o,
                                             const file_layers& file) {
    return placement_report(model, describe(t), o, file);
}

ANEMONE_BODY_OF std::string crossover_line(const device_crossover& c) {
    const auto found = [&](std::int64_t number) {
        return number > 0 ? formatted("from {} on", number)
                          : formatted("nowhere from {} to {}", c.range.first, c.range.last);
    };
    return formatted("{} overtakes {} in time {}, in energy {}\n", detail::device_text(c.to),
                     detail::device_text(c.from), found(c.time),
                     c.energy_known ? found(c.energy) : std::string("not known where"));
}

ANEMONE_BODY_OF std::string serving_table(const sequence<serving_row>& rows) {
    std::string text = formatted("{:>6} {:>13} {:>10} {:>10} {:>13} {:>10} {:>10}\n", "batch", "engine", "items/s",
                                 "mJ/item", "GPU", "items/s", "mJ/item");
    const auto cells = [](const serving_cost& c) {
        return c.possible ? formatted(" {:>10.1f} us {:>10.0f} {:>10}", c.seconds * 1e6, c.items_per_second(),
                                      c.joules > 0 ? formatted("{:.3f}", c.joules * 1e3) : "-")
                          : formatted(" {:>13} {:>10} {:>10}", "-", "-", "-");
    };
    for (const serving_row& row : rows) {
        text += formatted("{:>6}{}{}\n", row.batch, cells(row.engine), cells(row.gpu));
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY
