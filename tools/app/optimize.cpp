#include "optimize.hpp"

#include "option_faults.hpp"
#include "plan_json.hpp"
#include "run_memory.hpp"
#include <anemone/base/cancellation.hpp>
#include <anemone/report/optimize_drawing.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <utility>

namespace app {

optimized optimize(const model& of, const optimize_options& how, const caller& who) {
    require_limits(how, who.by);
    const ane::target t = target_named(how.target);
    if (how.prove) {
        of.require_exact("run");
        require_run_memory(of.graph(), kept_values::all, of.max_memory(), who);
    }
    ane::dynamic_graph before = of.graph();
    if (how.values || how.errors || !how.ranges.empty()) {
        ane::promise_statistics(before, of.weights());
        promise(before, how.ranges);
    }
    ane::optimized found = ane::optimize(before, t,
                                         {.rounding = !how.bits,
                                          .values = how.values,
                                          .errors = how.errors,
                                          .forms = how.forms,
                                          .vendor = how.vendor,
                                          .resident = how.resident,
                                          .before_each = [] { ane::detail::stop_if_cancelled(); }});
    std::optional<ane::rewrite_proof> proof;
    if (how.prove) {
        const task shown(who,
                         fmt::format("running {} before and after each step (oracle of {})", of.path(), how.target));
        proof = ane::prove(before, found, of.weights(), t);
    }
    model made = of.with(found.graph);
    return {t, std::move(before), std::move(found), std::move(made), std::move(proof)};
}

std::string text(const optimized& o) {
    return ane::optimize_text(o.found, o.target) + (o.proof ? ane::proof_text(*o.proof) : "");
}

std::string json(const optimized& o) { return json_of(o.found, o.proof, o.target); }

std::string drawing(const optimized& o) { return ane::draw_optimized(o.before, o.found); }

} // namespace app
