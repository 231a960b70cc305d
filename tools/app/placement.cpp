#include "placement.hpp"

#include "option_faults.hpp"
#include <anemone/passes/lowering.hpp>
#include <anemone/report/device_placement_report.hpp>
#include <anemone/rules/device_placement_of.hpp>

#include <set>

namespace app {

namespace {

/// What the file asks for, by the lines of what its reader doubts.
ane::file_layers layers_of(const model& of) {
    ane::file_layers file{of.layers(), {}};
    if (of.doubts().empty()) {
        return file;
    }
    std::set<int> lines;
    for (const ane::read_fault& doubt : of.doubts()) {
        lines.insert(doubt.line);
    }
    for (const ane::node& n : of.graph().nodes) {
        file.refused.push_back(!ane::is_source(n.kind) && lines.count(n.where.line) > 0 ? 1 : 0);
    }
    return file;
}

/// The options of the library, and the rates that they point to.
struct placing {
    ane::device_rates gpu;
    ane::placement_options options;

    placing(const placement_options& how, ane::target t)
        : gpu(ane::one_graph(ane::device_rates_of(t, ane::compute_device::gpu))) {
        options.goal = how.goal;
        // The system's model, which the text asks too, has rates of its own.
        options.gpu = how.gpu_graph && ane::has_cost_model(ane::describe(t)) ? &gpu : nullptr;
    }
    placing(const placing&) = delete;
    placing& operator=(const placing&) = delete;
};

} // namespace

ane::device_plan place(const model& of, const placement_options& how, const caller& who) {
    require_limits(how, who.by);
    const ane::target t = target_named(how.target);
    const placing given(how, t);
    return ane::place_model(of.graph(), t, given.options, layers_of(of));
}

std::string placement_text(const model& of, const placement_options& how, const caller& who) {
    require_limits(how, who.by);
    const ane::target t = target_named(how.target);
    const placing given(how, t);
    const ane::placement_options& options = given.options;
    std::string text = ane::placement_report(of.graph(), t, options, layers_of(of));
    if (how.batches) {
        const ane::lowered_graph lowered = ane::lower(of.graph(), {}, of.layers());
        const ane::batch_scaling source = ane::scaling_of(lowered.view(), t);
        text += "\n" + ane::serving_table(ane::serving(source, t, *how.batches, options)) +
                ane::crossover_line(ane::crossover(source, t, {.last = *how.batches}, options));
    }
    return text;
}

} // namespace app
