#include "promises.hpp"

#include "by_name.hpp"
#include <anemone/base/error.hpp>
#include <anemone/graph/input_names.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

namespace app {

namespace {

void require_range(const input_range& range) {
    const ane::contract& c = range.values;
    if (!(c.low <= c.high && c.low >= -ane::half_max && c.high <= ane::half_max)) {
        throw ane::error(ane::errc::argument, "range of " + range.input,
                         fmt::format("goes from {} to {}; it has to rise, within +-{}", c.low, c.high, ane::half_max));
    }
}

} // namespace

void promise(ane::dynamic_graph& graph, const std::vector<input_range>& ranges) {
    if (ranges.empty()) {
        return;
    }
    const model_ports ports = ports_of(graph, {});
    const by_name<port> by(ports.inputs);
    const ane::input_names nodes(graph);
    for (const input_range& each : ranges) {
        const port* const known = by.find(each.input);
        const port& input = known != nullptr ? *known : named(ports.inputs, each.input, "input");
        require_range(each);
        ane::promise_input(graph, nodes.find(input.inner), each.values);
    }
}

} // namespace app
