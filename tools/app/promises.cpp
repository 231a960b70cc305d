#include "promises.hpp"

#include "by_name.hpp"
#include <anemone/base/error.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <map>
#include <string_view>

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
    const ane::graph_view g = graph;
    std::map<std::string_view, int> nodes;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            nodes.emplace(g.name(i), i);
        }
    }
    for (const input_range& each : ranges) {
        const port* const known = by.find(each.input);
        const port& input = known != nullptr ? *known : named(ports.inputs, each.input, "input");
        require_range(each);
        ane::promise_input(graph, nodes.at(input.inner), each.values);
    }
}

} // namespace app
