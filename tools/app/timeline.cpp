#include "timeline.hpp"

#include "option_faults.hpp"
#include "plan_json.hpp"
#include <anemone/base/error.hpp>
#include <anemone/cost/timeline.hpp>
#include <anemone/io/unicode.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/timeline_drawing.hpp>
#include <anemone/report/timeline_report.hpp>

namespace app {

namespace {

/// `calls` of each of so many programs: each when the one before it has ended, or one every `period`, s.
std::vector<ane::request> requests_of(int programs, int calls, double period) {
    std::vector<ane::request> list;
    for (int call = 0; call < calls; ++call) {
        for (int program = 0; program < programs; ++program) {
            if (period > 0) {
                list.push_back({program, call * period});
            } else {
                list.push_back({program, 0, call > 0 ? static_cast<int>(list.size()) - programs : -1});
            }
        }
    }
    return list;
}

} // namespace

called_model called(const model& of, const timeline_options& how, const caller& who) {
    require_limits(how, who.by);
    const ane::target t = target_named(how.target);
    const ane::lowered_graph lowered = ane::lower(of.graph());
    called_model made{ane::program_time_of(ane::estimate(lowered.view(), t)), of.file_name(), {}};
    if (!how.batches.empty()) {
        made.batches = "\n" + ane::detail::printable(made.name) + " in batches\n" +
                       ane::batch_text(ane::batch_sweep(lowered.view(), how.batches, t));
    }
    return made;
}

simulated simulate(const std::vector<called_model>& models, const timeline_options& how, const caller& who) {
    require_limits(how, who.by);
    if (models.empty()) {
        throw ane::error(ane::errc::argument, "models", "are 0, 1 is needed");
    }
    simulated made;
    std::vector<ane::program_time> programs;
    for (const called_model& each : models) {
        programs.push_back(each.times);
        made.names.push_back(each.name);
        made.batches += each.batches;
    }
    ane::timeline_options options;
    options.first_calls = how.warm ? ane::warm_up::none : ane::warm_up::factors;
    options.idle_before = how.idle;
    made.found = ane::simulate(programs, requests_of(static_cast<int>(programs.size()), how.calls, how.period),
                               target_named(how.target), options);
    return made;
}

std::string text(const simulated& s) {
    std::vector<std::string> shown;
    for (const std::string& each : s.names) {
        shown.push_back(ane::detail::printable(each));
    }
    return ane::timeline_text(s.found, {.names = shown}) + s.batches;
}

std::string json(const simulated& s) { return json_of(s.found, s.names); }

std::string drawing(const simulated& s) { return ane::draw_timeline(s.found, {.names = s.names}); }

} // namespace app
