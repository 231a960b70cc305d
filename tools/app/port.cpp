#include "port.hpp"

#include <anemone/backend/backend.hpp>
#include <anemone/base/error.hpp>
#include <anemone/graph/index_nodes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>

namespace app {

namespace {

element_type element_of(ane::dtype type, const std::string& port) {
    if (type != ane::dtype::f16 && type != ane::dtype::int8 && type != ane::dtype::uint8) {
        throw ane::error(ane::errc::port, port, "has elements of " + std::string(ane::mil_name(type)));
    }
    return ane::element_of(type);
}

/// What people call the ports of a graph, by their names: for all of them at once.
std::map<std::string_view, std::string_view> called_by_name(const ane::graph_view& g) {
    std::map<std::string_view, std::string_view> all;
    for (const ane::port_alias& each : g.aliases) {
        all.emplace(g.text(each.port), g.text(each.called));
    }
    return all;
}

port port_of(const std::map<std::string_view, std::string_view>& called, std::string_view name, const ane::node& n) {
    const auto known = called.find(name);
    port made{std::string(known == called.end() ? name : known->second)};
    made.inner = name;
    made.type = element_of(n.type, made.name);
    for (int axis = 0; axis < n.shape.rank; ++axis) {
        made.shape.push_back(n.shape[axis]);
    }
    made.count = static_cast<std::size_t>(n.shape.count());
    return made;
}

} // namespace

model_ports ports_of(const ane::graph_view& g, const std::vector<std::string>& integers) {
    model_ports made;
    const ane::sequence<char> are_indices = ane::index_nodes(g);
    const std::set<std::string_view> declared(integers.begin(), integers.end());
    const ane::sequence<char> bound = ane::detail::bound_nodes(g);
    const std::map<std::string_view, std::string_view> called = called_by_name(g);
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            port& p = (bound[static_cast<std::size_t>(i)] != 0 ? made.inputs : made.states)
                          .emplace_back(port_of(called, g.name(i), g[i]));
            p.has_integers = p.type == element_type::f16 &&
                             (declared.contains(p.inner) || are_indices[static_cast<std::size_t>(i)] != 0);
        }
    }
    for (const ane::output_port& out : g.outputs) {
        if (!out.is_state()) {
            made.outputs.push_back(port_of(called, g.name(out), g[out.node]));
        }
    }
    return made;
}

const port& named(const std::vector<port>& ports, const std::string& name, const char* what) {
    auto found = std::find_if(ports.begin(), ports.end(), [&](const port& each) { return each.name == name; });
    if (found == ports.end()) { // as it is written in formats of identifiers
        found = std::find_if(ports.begin(), ports.end(), [&](const port& each) { return each.inner == name; });
    }
    if (found == ports.end()) {
        throw ane::error(ane::errc::port, name,
                         fmt::format("no {} has this name; there are: {}", what, names_of(ports)));
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
