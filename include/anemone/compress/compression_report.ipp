#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_compress_compression_report_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../io/unicode.hpp"
#include "../passes/print.hpp"
#include "../report/plot.hpp"
#include "compression_report.hpp"
#include "form_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

ANEMONE_INLINE std::string time_text(const std::optional<double>& seconds) {
    return seconds ? formatted("{:.2f} us", 1e6 * *seconds) : std::string("not known");
}
ANEMONE_INLINE std::string error_text(double error) {
    return std::isnan(error) ? std::string("-") : error == 0 ? std::string("0") : formatted("{:.1e}", error);
}

ANEMONE_INLINE std::string loss_text(const compression_plan& plan) {
    const std::string chosen_by = formatted("loss {:.3g} of at most {:.3g}", plan.after.loss, plan.most_loss);
    return plan.held_out.runs == 0 ? chosen_by : formatted("{}, {:.3g} on other runs", chosen_by, plan.held_out.loss);
}

/// What the plan loses on runs that it was not chosen by, a line.
ANEMONE_INLINE std::string held_out_text(const compression_plan& plan) {
    const held_out_loss& held = plan.held_out;
    if (held.runs == 0) {
        return "  no runs were held out: the loss is that of the runs that the plan was chosen by, others lose more\n";
    }
    const std::string interval =
        held.at_least && held.at_most
            ? formatted(", nine of ten runs lose from {:.3g} to {:.3g}", *held.at_least, *held.at_most)
            : std::string();
    return formatted("  on {} {} that nothing was chosen by: loss {:.3g}{}{}\n", held.runs,
                     held.runs == 1 ? "run" : "runs", held.loss, interval,
                     held.loss <= plan.most_loss ? "" : "; above the limit");
}

/// Each reason once, with the weights that it keeps from a form.
ANEMONE_INLINE std::string reasons_text(const compression_plan& plan, std::string_view title,
                                        std::string stored_candidate::*why) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const weight_choice& w : plan.weights) {
        for (const stored_candidate& c : w.candidates) {
            const std::string& text = c.*why;
            if (text.empty()) {
                continue;
            }
            const std::string reason = formatted("{}: {}", form_text(*c.form), text);
            const auto known =
                std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == reason; });
            if (known == reasons.end()) {
                reasons.push_back({reason, {w.name}});
            } else {
                known->second.push_back(w.name);
            }
        }
    }
    std::string text;
    for (const auto& [reason, weights] : reasons) {
        const bool all = weights.size() == plan.weights.size();
        text += formatted("    {} ({})\n", reason,
                          all                   ? std::string("all weights")
                          : weights.size() <= 3 ? ane::detail::joined(weights)
                                                : formatted("{} and {} more", weights[0], weights.size() - 1));
    }
    return text.empty() ? text : formatted("  {}\n{}", title, text);
}

} // namespace ane::compress::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string compression_report(const compression_plan& plan) {
    std::size_t names = 6;
    std::size_t forms = 4;
    std::size_t shapes = 5;
    const auto shown = [](const weight_choice& w) { return error::shortened(detail::printable(w.name), 200); };
    const auto form_of = [](const weight_choice& w) {
        return w.form().form ? compress::form_text(*w.form().form) : std::string("fp16");
    };
    for (const weight_choice& w : plan.weights) {
        names = std::max(names, shown(w).size());
        forms = std::max(forms, form_of(w).size());
        shapes = std::max(shapes, print(w.shape).size());
    }
    std::string text =
        formatted("compression for {}, by {}: {:.2f} times smaller, {}\n", plan.target,
                  plan.goal == compression_goal::size ? "size" : "time", plan.ratio(), compress::loss_text(plan));
    text += compress::held_out_text(plan);
    text += formatted("  {:<{}}  {:<{}}  {:<{}}  {:>9}  {:>9}  {:<9}  {:>8}  {:>8}  {}\n", "weight", names, "shape",
                      shapes, "form", forms, "fp16", "bytes", "rounded", "elements", "sums", "outputs");
    for (const weight_choice& w : plan.weights) {
        const stored_candidate& c = w.form();
        const char* const how = !c.form ? "" : c.fed_back ? "feedback" : "nearest";
        text += formatted("  {:<{}}  {:<{}}  {:<{}}  {:>9}  {:>9}  {:<9}  {:>8}  {:>8}  {}\n", shown(w), names,
                          print(w.shape), shapes, form_of(w), forms, w.candidates[0].bytes, c.bytes, how,
                          compress::error_text(c.weight_error), compress::error_text(c.layer_error),
                          compress::error_text(c.output_error));
    }
    text += formatted("  other weights stay: {} bytes\n", plan.other_bytes);
    std::size_t labels = 6;
    for (const compression_point& p : plan.uniform) {
        labels = std::max(labels, p.label.size() + 4);
    }
    text += formatted("  {:<{}}  {:>10}  {:>12}  {:>8}  loss\n", "", labels, "bytes", "time", "outputs");
    const auto line = [&](std::string_view label, const compression_point& p) {
        return formatted("  {:<{}}  {:>10}  {:>12}  {:>8}  {:.3g}{}\n", label, labels, p.bytes,
                         compress::time_text(p.seconds), compress::error_text(p.output_error), p.loss,
                         p.loss <= plan.most_loss ? "" : "  above the limit");
    };
    text += line("before", plan.before);
    text += line("after", plan.after);
    for (const compression_point& p : plan.uniform) {
        text += line("all " + p.label, p);
    }
    text += compress::reasons_text(plan, "cannot be held:", &stored_candidate::refused);
    text += compress::reasons_text(plan, "not worth its loss:", &stored_candidate::passed_over);
    return text;
}

ANEMONE_BODY_OF std::string draw_pareto(const compression_plan& plan, compression_goal over, drawing::theme theme) {
    const bool time = over == compression_goal::time;
    plot p;
    p.title = formatted("Compression for {}: {}", plan.target, time ? "time and error" : "size and error");
    p.note = formatted("the plan: {:.2f} times smaller, {}", plan.ratio(), compress::loss_text(plan));
    p.x = {.label = time ? "estimated time, us" : "bytes of all weights", .logarithmic = !time};
    p.y = {.label = "relative error of the outputs"};
    p.theme = theme;
    const auto add = [&](const char* label, plot_style style, const std::vector<const compression_point*>& from) {
        plot_series s{.label = label, .style = style, .points = {}};
        for (const compression_point* point : from) {
            if (point->output_error > 0 && std::isfinite(point->output_error) && (!time || point->seconds)) {
                s.points.emplace_back(time ? 1e6 * *point->seconds : static_cast<double>(point->bytes),
                                      point->output_error);
            }
        }
        if (!s.points.empty()) {
            p.series.push_back(std::move(s));
        }
    };
    const auto all = [](const std::vector<compression_point>& points) {
        std::vector<const compression_point*> pointers;
        pointers.reserve(points.size());
        for (const compression_point& point : points) {
            pointers.push_back(&point);
        }
        return pointers;
    };
    add("step by step", plot_style::line, all(plan.path));
    add("one form for all", plot_style::rings, all(plan.uniform));
    add("the plan", plot_style::dots, {&plan.after});
    if (p.series.empty()) {
        throw error(errc::argument, "plot of a compression",
                    formatted("0 points have an error{}, at least 1 is needed: no weight lost anything in a form",
                              time ? " and a time" : ""));
    }
    return draw_plot(p);
}

} // namespace ane::inline ANEMONE_WAY
