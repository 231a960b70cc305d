#include "cost.hpp"

#include "target_names.hpp"

namespace app {

estimates cost(const model& of, const cost_options& how, const caller& /*who*/) {
    const ane::target_set targets = targets_named(how.targets);
    estimates made{ane::lower(of.graph()), {}};
    for (const ane::target t : targets) {
        made.rows.push_back({t, ane::estimate(made.lowered.graph, t)});
    }
    return made;
}

ane::cost cost(const model& of, const std::string& target, const caller& /*who*/) {
    const ane::target t = target_named(target);
    return ane::estimate(ane::lower(of.graph()).graph, t);
}

} // namespace app
