#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_trainer_history_hpp);

#include "../base/formatted.hpp"
#include "../report/plot.hpp"
#include "history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string csv(const training_history& h) {
    std::string text = "step,epoch,loss,rate,loss_scale,skipped,validation_loss,accuracy\n";
    std::size_t next = 0;
    for (const trained_step& each : h.steps) {
        text += formatted("{},{:.6g},{:.6g},{:.6g},{:.6g},{},", each.step, each.epoch, each.loss, each.rate,
                          each.loss_scale, each.skipped ? 1 : 0);
        while (next < h.validations.size() && h.validations[next].step < each.step) {
            ++next;
        }
        if (next < h.validations.size() && h.validations[next].step == each.step) {
            const validated_step& found = h.validations[next];
            text += formatted("{:.6g},{}", found.loss,
                              found.accuracy < 0 ? std::string() : formatted("{:.6g}", found.accuracy));
        } else {
            text += ',';
        }
        text += '\n';
    }
    return text;
}

ANEMONE_BODY_OF std::string draw_training(const training_history& h, const std::string& title) {
    constexpr std::size_t most = 300; // points of a line
    const std::size_t span = std::max<std::size_t>(1, (h.steps.size() + most - 1) / most);
    plot_series steps{span == 1 ? std::string("loss of a step") : formatted("loss, the mean of {} steps", span),
                      plot_style::line,
                      {}};
    for (std::size_t begin = 0; begin < h.steps.size(); begin += span) {
        double sum = 0;
        std::size_t finite = 0;
        const std::size_t end = std::min(begin + span, h.steps.size());
        for (std::size_t i = begin; i < end; ++i) {
            const bool counts = !h.steps[i].skipped && std::isfinite(h.steps[i].loss);
            sum += counts ? h.steps[i].loss : 0;
            finite += counts ? 1 : 0;
        }
        if (finite > 0) {
            steps.points.emplace_back(static_cast<double>(h.steps[end - 1].step), sum / static_cast<double>(finite));
        }
    }
    plot p{.title = title,
           .note = {},
           .x = {.label = "step", .logarithmic = false},
           .y = {.label = "loss", .logarithmic = true},
           .series = {}};
    p.series.push_back(std::move(steps));
    if (!h.validations.empty()) {
        plot_series validation{"loss on held-out samples", plot_style::dashed, {}};
        double best = -1;
        for (const validated_step& each : h.validations) {
            validation.points.emplace_back(static_cast<double>(each.step), each.loss);
            best = std::max(best, each.accuracy);
        }
        p.series.push_back(std::move(validation));
        if (best >= 0) {
            p.note = formatted("accuracy on held-out samples: {:.4f} at the end, {:.4f} at best",
                               h.validations.back().accuracy, best);
        }
    }
    return draw_plot(p);
}

} // namespace ane::inline ANEMONE_WAY
