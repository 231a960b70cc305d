#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_wide_diff_report_hpp);

#include "../base/formatted.hpp"
#include "../drawing/style.hpp"
#include "../drawing/svg.hpp"
#include "../io/json.hpp"
#include "../rules/phrases.hpp"
#include "diff_text.hpp"
#include "terminal.hpp"
#include "wide_diff_report.hpp"
#include "wide_diff_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::vector<std::string> node_names(const graph_view& g) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(g.size()));
    for (int i = 0; i < g.size(); ++i) {
        names.push_back(node_phrase(g, i, g[i].kind));
    }
    return names;
}

ANEMONE_INLINE void write_error(json_writer& json, std::string_view key, const wide_error& e) {
    json.key(key);
    if (e.count == 0) {
        json.null();
        return;
    }
    json.object().member("elements", e.count).member("beyond", e.beyond).member("not_finite", e.not_finite);
    json.member("max_abs", e.max_abs).member("relative", e.relative).member("excess", e.excess);
    json.member("worst", e.worst).member("expected", e.expected).member("got", e.got).end();
}

ANEMONE_INLINE void write_outputs(json_writer& json, std::string_view key, const outputs_error& e) {
    json.key(key).object().member("affected", e.affected);
    write_error(json, "worst", e.worst);
    json.end();
}

ANEMONE_INLINE void write_remedies(json_writer& json, const remedy_search& search,
                                   const std::vector<std::string>& names) {
    json.key("remedies").object().member("tried", search.tried).member("of_part", search.of_part);
    json.member("cut_short", search.is_cut_short);
    write_outputs(json, "before", search.before);
    json.key("helpful").array();
    for (const remedy& r : search.helpful) {
        json.object().member("text", remedy_text(r, names)).key("steps").array();
        for (const remedy_step& step : r.steps) {
            json.object().member("kind", name(step.kind)).member("node", step.node).member("power", -step.power);
            json.member("limit", step.limit).member("rewrite", step.rewrite).end();
        }
        json.end().key("on_host").array();
        for (const int node : r.on_host) {
            json.value(node);
        }
        json.end();
        write_outputs(json, "after", r.after);
        json.end();
    }
    json.end().end();
}

/// Which rows a text has: all of a model of up to 80 layers; of a larger one those to blame, and of runs of others the
/// ends.
ANEMONE_INLINE std::vector<char> told_layers(const wide_difference& d) {
    constexpr std::size_t all = 80;
    constexpr std::size_t ends = 3;
    std::vector<char> told(d.layers.size(), d.layers.size() <= all ? 1 : 0);
    const auto kind_of = [&](std::size_t i) {
        const layer_error& layer = d.layers[i];
        return layer.is_source() || static_cast<int>(i) == d.first ? 2 : layer.is_beyond() ? 1 : 0;
    };
    for (std::size_t begin = 0; begin < told.size();) {
        std::size_t end = begin + 1;
        while (end < told.size() && kind_of(end) == kind_of(begin)) {
            ++end;
        }
        for (std::size_t i = begin; i < end; ++i) {
            told[i] = told[i] != 0 || kind_of(i) == 2 || i < begin + ends || i + ends >= end ? 1 : 0;
        }
        begin = end;
    }
    return told;
}

/// What is said of the first layer beyond the bound.
ANEMONE_INLINE std::string first_text(const wide_difference& d, const std::vector<std::string>& names,
                                      const std::vector<std::string>& places) {
    const layer_error& layer = d.layers[static_cast<std::size_t>(d.first)];
    const auto at = static_cast<std::size_t>(layer.node);
    std::string text = formatted("first layer beyond the bound: {}{}, ", names[at], places[at]);
    text += layer.is_source() ? std::string(name(layer.cause)) : "inherited";
    text += formatted(": {}\n  element {} is {:.6g}, exactly {:.6g}", explanation_of(layer), layer.whole.worst,
                      layer.whole.got, layer.whole.expected);
    if (d.samples > 1) {
        text += formatted(", in sample {}", layer.worst_sample);
    }
    return text + "\n";
}

/// Errors of their own that are the largest, where the first layer beyond the bound has none.
ANEMONE_INLINE std::string contributions(const wide_difference& d, const std::vector<std::string>& names) {
    std::vector<const layer_error*> before;
    for (int i = 0; i <= d.first; ++i) {
        if (const layer_error& layer = d.layers[static_cast<std::size_t>(i)]; layer.alone.excess > 0) {
            before.push_back(&layer);
        }
    }
    std::sort(before.begin(), before.end(),
              [](const layer_error* a, const layer_error* b) { return a->alone.excess > b->alone.excess; });
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(before.size(), 3); ++i) {
        text += formatted("{}{} ({})", i == 0 ? "  most of them: " : ", ",
                          names[static_cast<std::size_t>(before[i]->node)], relative_text(before[i]->alone));
    }
    return text.empty() ? text : text + "\n";
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF wide_diff_report::wide_diff_report(const graph_view& model, const wide_difference& found,
                                                   const std::optional<remedy_search>& remedies)
    : names_(detail::node_names(model)), found_(found), remedies_(remedies) {
    for (const node& n : model.nodes) {
        places_.push_back(n.where.line > 0 ? formatted(" ({}:{})", detail::base_name(n.where.file), n.where.line)
                                           : std::string());
    }
    for (const output_port& port : model.outputs) {
        if (!port.is_state()) {
            outputs_.emplace_back(model.called(model.name(port)));
        }
    }
}

ANEMONE_BODY std::string wide_diff_report::str(bool coloured) const {
    const bool several = found_.samples > 1;
    std::size_t width = 5;
    for (const layer_error& layer : found_.layers) {
        width = std::max(width, detail::display_width(names_[static_cast<std::size_t>(layer.node)]));
    }
    std::string text =
        formatted("{} against double precision, a bound of {:.3g} % and ", found_.judged, 100 * found_.bound.relative);
    text += found_.bound.absolute < 0 ? std::string("as much of a layer's root mean square")
                                      : formatted("{:.3g}", found_.bound.absolute);
    text += several ? formatted(", {} samples\n", found_.samples) : "\n";
    text += formatted("{:<{}}  from the inputs on{}      alone\n", "", width, several ? "          " : "");
    text += formatted("{:<{}}  {:>9} {:>9}{}  {:>9} {:>9}  cause\n", "layer", width, "relative", "beyond",
                      several ? formatted(" {:>9}", "samples") : "", "relative", "largest");
    const std::vector<char> shown = detail::told_layers(found_);
    std::size_t left_out = 0;
    const auto tell_left_out = [&] {
        text += left_out == 0 ? std::string() : formatted("... {} layers more\n", left_out);
        left_out = 0;
    };
    for (std::size_t i = 0; i < found_.layers.size(); ++i) {
        if (shown[i] == 0) {
            ++left_out;
            continue;
        }
        tell_left_out();
        const layer_error& layer = found_.layers[i];
        const std::string cause =
            layer.is_source()   ? detail::painted(name(layer.cause), detail::colour_of(layer.cause), coloured)
            : layer.is_beyond() ? detail::painted("inherited", detail::colour_of(layer.cause), coloured)
                                : std::string();
        std::string line = formatted("{}  {:>9} {:>9}{}  {:>9} {:>9}  {}",
                                     detail::padded(names_[static_cast<std::size_t>(layer.node)], width),
                                     detail::relative_text(layer.whole), detail::beyond_text(layer.whole),
                                     several ? formatted(" {:>9}", layer.samples) : "",
                                     detail::relative_text(layer.alone), formatted("{:.3g}", layer.largest), cause);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    tell_left_out();
    if (found_.within_bound()) {
        return text + "no layer is beyond the bound\n";
    }
    text += detail::first_text(found_, names_, places_);
    if (!found_.layers[static_cast<std::size_t>(found_.first)].is_source()) {
        text += detail::contributions(found_, names_);
    }
    if (several) {
        text += formatted("outputs beyond the bound in {} of {} samples, the worst is sample {}\n", found_.affected,
                          found_.samples, found_.worst_sample);
    } else {
        text += found_.affected > 0 ? "the outputs are beyond the bound\n" : "the outputs are within the bound\n";
    }
    if (!remedies_ || remedies_->before.affected == 0) {
        return text;
    }
    text += remedies_->helpful.empty() ? formatted("{} changes were tried, and none helps\n", remedies_->tried)
                                       : formatted("what helps{} (each was run; relative error before: {}):\n",
                                                   remedies_->of_part ? " the part behind it" : "",
                                                   detail::relative_text(remedies_->before.worst));
    for (std::size_t i = 0; i < remedies_->helpful.size(); ++i) {
        const remedy& r = remedies_->helpful[i];
        text += formatted("  {}. {}\n     {}\n", i + 1, detail::remedy_text(r, names_),
                          detail::outcome_text(r.after, found_.samples));
    }
    if (remedies_->is_cut_short) {
        text += "  others were not tried: the model is large\n";
    }
    return text;
}

ANEMONE_BODY std::string wide_diff_report::json() const {
    json_writer json;
    json.object().member("judged", found_.judged).member("reference", "f64");
    json.key("bound").object().member("relative", found_.bound.relative);
    if (found_.bound.absolute >= 0) {
        json.member("absolute", found_.bound.absolute).end();
    } else {
        json.key("absolute").null().end();
    }
    json.member("samples", found_.samples).member("affected", found_.affected).member("broken", found_.broken);
    json.member("worst_sample", found_.worst_sample);
    json.key("first");
    if (found_.first < 0) {
        json.null();
    } else {
        json.value(found_.first);
    }
    json.key("layers").array();
    for (const layer_error& layer : found_.layers) {
        json.object().member("node", layer.node).member("name", names_[static_cast<std::size_t>(layer.node)]);
        detail::write_error(json, "whole", layer.whole);
        detail::write_error(json, "alone", layer.alone);
        json.key("cause");
        if (layer.is_beyond() || layer.is_source()) {
            json.value(name(layer.cause));
        } else {
            json.null();
        }
        json.member("largest", layer.largest).member("samples", layer.samples);
        json.member("worst_sample", layer.worst_sample).end();
    }
    json.end().key("outputs").array();
    for (std::size_t i = 0; i < found_.outputs.size(); ++i) {
        json.object().member("name", outputs_[i]).key("layer");
        if (found_.outputs[i] < 0) {
            json.null().end();
        } else {
            json.value(found_.outputs[i]).end();
        }
    }
    json.end();
    json.key("work").object().member("reference_layers", found_.work.reference_layers);
    json.member("judged_layers", found_.work.judged_layers).member("alone_layers", found_.work.alone_layers);
    json.member("most_bytes", found_.work.most_bytes).end();
    if (remedies_) {
        detail::write_remedies(json, *remedies_, names_);
    }
    json.end();
    return json.str();
}

ANEMONE_BODY void wide_diff_report::print(std::FILE* to) const {
    detail::write_text(to, str(detail::wants_colour(to)));
}
ANEMONE_BODY_OF std::ostream& operator<<(std::ostream& to, const wide_diff_report& r) { return to << r.str(); }

ANEMONE_BODY_OF std::string draw_wide_diff(const graph_view& model, const wide_difference& found,
                                           const wide_diff_drawing_options& options) {
    constexpr double row = 24, names = 250, top = 112, left = 28, decade = 34, cause_width = 150;
    constexpr double least = -6, most = 4; // powers of ten of the bound
    constexpr double bars = left + names;
    constexpr double width = bars + decade * (most - least) + 24 + cause_width;
    const double height = top + row * static_cast<double>(found.layers.size()) + 28;
    const std::string title = options.title.empty() ? "Errors of each layer" : options.title;
    const auto place = [&](double excess) {
        return bars + decade * (std::clamp(excess > 0 ? std::log10(excess) : least, least, most) - least);
    };
    std::string out = formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                                "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
                                "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n",
                                width, height, drawing::escape(title), drawing::style_sheet(options.theme));
    out += formatted("<text class=\"heading\" x=\"28\" y=\"42\">{}</text>\n<text class=\"note\" x=\"28\" "
                     "y=\"61\">{} against double precision. Thick: from the inputs on; thin: the layer alone. The line "
                     "is the bound.</text>\n",
                     drawing::escape(title), drawing::escape(found.judged));
    for (int power = static_cast<int>(least); power <= static_cast<int>(most); power += 2) {
        out += formatted("<text class=\"note\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         place(std::pow(10.0, power)), top - 10,
                         power == 0      ? "bound"
                         : power == most ? "inf"
                                         : formatted("10^{}", power));
    }
    double y = top;
    for (std::size_t i = 0; i < found.layers.size(); ++i) {
        const layer_error& layer = found.layers[i];
        const std::string phrase = detail::node_phrase(model, layer.node, model[layer.node].kind);
        const bool first = static_cast<int>(i) == found.first;
        const std::string_view shade = !layer.is_beyond()  ? "contraction"
                                       : layer.is_source() ? "reduction"
                                                           : "movement";
        out += formatted("<g class=\"box {}\"><title>{}: {} of {} elements are beyond the bound, {}</title>"
                         "<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>",
                         shade, drawing::escape(phrase), layer.whole.beyond, layer.whole.count, name(layer.cause), left,
                         y + 16, first ? " font-weight=\"bold\"" : "",
                         drawing::escape(drawing::shortened(phrase, drawing::size::text + 2, names - 10, first)));
        const auto bar = [&](const wide_error& e, double at, double thickness) {
            if (e.excess > 0) {
                out += formatted("<path class=\"rule\" style=\"stroke-width:{:.0f};stroke-opacity:1\" "
                                 "d=\"M{:.1f} {:.1f}H{:.1f}\"/>",
                                 thickness, bars, at, place(e.excess));
            }
        };
        bar(layer.whole, y + 9, 8);
        bar(layer.alone, y + 18, 3);
        if (layer.is_source()) {
            out += formatted(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", bars + decade * (most - least) + 16, y + 16,
                             name(layer.cause));
        }
        out += "</g>\n";
        y += row;
    }
    out += formatted("<g class=\"box movement\"><path class=\"rule\" style=\"stroke-width:1.5;stroke-opacity:1\" "
                     "d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/></g>\n",
                     place(1), top - 4, y);
    return out + "</svg>\n";
}

} // namespace ane::inline ANEMONE_WAY
