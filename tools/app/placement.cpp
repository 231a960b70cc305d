#include "placement.hpp"

#include "option_faults.hpp"
#include <anemone/passes/lowering.hpp>
#include <anemone/report/device_placement_report.hpp>
#include <anemone/rules/device_placement_of.hpp>

namespace app {

ane::device_plan place(const model& of, const placement_options& how, const caller& who) {
    require_limits(how, who.by);
    ane::placement_options options;
    options.goal = how.goal;
    return ane::place_model(of.graph(), target_named(how.target), options);
}

std::string placement_text(const model& of, const placement_options& how, const caller& who) {
    require_limits(how, who.by);
    const ane::target t = target_named(how.target);
    ane::placement_options options;
    options.goal = how.goal;
    std::string text = ane::placement_report(of.graph(), t, options);
    if (how.batches) {
        const ane::lowered_graph lowered = ane::lower(of.graph());
        const ane::batch_scaling source = ane::scaling_of(lowered.view(), t);
        text += "\n" + ane::serving_table(ane::serving(source, t, *how.batches, options)) +
                ane::crossover_line(ane::crossover(source, t, {.last = *how.batches}, options));
    }
    return text;
}

} // namespace app
