#include "cost.hpp"

#include "target_names.hpp"
#include <anemone/forms/written.hpp>
#include <anemone/weights/promises.hpp>

namespace app {

namespace {

/// With the weights as the file that we write holds them.
ane::cost estimated(const model& of, const ane::lowered_graph& lowered, ane::target t,
                    ane::port_transfer ports = ane::port_transfer::copied) {
    const ane::target_description& d = ane::describe(t);
    return ane::estimate(lowered.graph, d, ane::held_forms_of(of.graph(), d), ports);
}

/// Lowered, with what the weights are: their zeros take less time.
ane::lowered_graph lowered_with_statistics(const model& of) {
    ane::dynamic_graph g = of.graph();
    (void)ane::promise_statistics(g, of.weights());
    return ane::lower(g);
}

} // namespace

estimates cost(const model& of, const cost_options& how, const caller& /*who*/) {
    const ane::target_set targets = targets_named(how.targets);
    estimates made{lowered_with_statistics(of), {}};
    for (const ane::target t : targets) {
        const ane::port_transfer ports = how.shared_ports ? ane::port_transfer::shared : ane::port_transfer::copied;
        made.rows.push_back({t, estimated(of, made.lowered, t, ports)});
    }
    return made;
}

ane::cost cost(const model& of, const std::string& target, const caller& /*who*/) {
    const ane::target t = target_named(target);
    return estimated(of, lowered_with_statistics(of), t);
}

} // namespace app
