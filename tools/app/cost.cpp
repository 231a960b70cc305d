#include "cost.hpp"

#include "target_names.hpp"
#include <anemone/forms/written.hpp>

namespace app {

namespace {

/// With the weights as the file that we write holds them.
ane::cost estimated(const model& of, const ane::lowered_graph& lowered, ane::target t) {
    const ane::target_description& d = ane::describe(t);
    return ane::estimate(lowered.graph, d, ane::held_forms_of(of.graph(), d));
}

} // namespace

estimates cost(const model& of, const cost_options& how, const caller& /*who*/) {
    const ane::target_set targets = targets_named(how.targets);
    estimates made{ane::lower(of.graph()), {}};
    for (const ane::target t : targets) {
        made.rows.push_back({t, estimated(of, made.lowered, t)});
    }
    return made;
}

ane::cost cost(const model& of, const std::string& target, const caller& /*who*/) {
    const ane::target t = target_named(target);
    return estimated(of, ane::lower(of.graph()), t);
}

} // namespace app
