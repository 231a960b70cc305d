#include "port.hpp"

#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace app {

namespace {

element_type element_of(ane::dtype type, const std::string& port) {
    if (type != ane::dtype::f16 && type != ane::dtype::int8 && type != ane::dtype::uint8) {
        throw ane::error(ane::errc::port, port, "has elements of " + std::string(ane::mil_name(type)));
    }
    return ane::element_of(type);
}

port port_of(std::string_view name, const ane::node& n) {
    port made{std::string(name)};
    made.type = element_of(n.type, made.name);
    for (int axis = 0; axis < n.shape.rank; ++axis) {
        made.shape.push_back(n.shape[axis]);
    }
    made.count = static_cast<std::size_t>(n.shape.count());
    return made;
}

} // namespace

model_ports ports_of(const ane::graph_view& g) {
    model_ports made;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            (g.next_of(i) < 0 ? made.inputs : made.states).push_back(port_of(g.name(i), g[i]));
        }
    }
    for (const ane::output_port& out : g.outputs) {
        if (!out.is_state()) {
            made.outputs.push_back(port_of(g.name(out), g[out.node]));
        }
    }
    return made;
}

const port& named(const std::vector<port>& ports, const std::string& name, const char* what) {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const port& each) { return each.name == name; });
    if (found == ports.end()) {
        throw ane::error(ane::errc::port, name, fmt::format("is no {}; there are: {}", what, names_of(ports)));
    }
    return *found;
}

std::string names_of(const std::vector<port>& ports) {
    std::string text;
    for (const port& each : ports) {
        text.append(text.empty() ? "" : ", ").append(each.name);
    }
    return text.empty() ? "none" : text;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
    shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
    return shape;
}

} // namespace app
