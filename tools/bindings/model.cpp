#include "model.hpp"

#include "../anemone/target_names.hpp"
#include "../anemone/written_model.hpp"
#include <anemone/base/error.hpp>
#include <anemone/drawing/drawing.hpp>
#include <anemone/passes/lowering.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace bindings {

namespace {

element element_of(ane::dtype type, const std::string& port) {
    switch (type) {
    case ane::dtype::f16: return element::float16;
    case ane::dtype::int8: return element::int8;
    case ane::dtype::uint8: return element::uint8;
    default: throw ane::error(ane::errc::port, port, "has elements of " + std::string(ane::mil_name(type)));
    }
}

port port_of(std::string_view name, const ane::graph_view& g, int node) {
    const ane::node& n = g[node];
    port made{std::string(name)};
    made.type = element_of(n.type, made.name);
    for (int a = 0; a < n.shape.rank; ++a) {
        made.shape.push_back(n.shape[a]);
    }
    made.count = static_cast<std::size_t>(n.shape.count());
    made.node = node;
    return made;
}

} // namespace

const char* name(element type) {
    constexpr const char* names[] = {"float16", "int8", "uint8", "float32", "float64"};
    return names[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(element type) {
    constexpr std::size_t bytes[] = {2, 1, 1, 4, 8};
    return bytes[static_cast<std::size_t>(type)];
}

std::string names_of(const std::vector<port>& ports) {
    std::string text;
    for (const port& each : ports) {
        text.append(text.empty() ? "" : ", ").append(each.name);
    }
    return text.empty() ? "none" : text;
}

const port& named(const std::vector<port>& ports, const std::string& name, const char* what) {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const port& each) { return each.name == name; });
    if (found == ports.end()) {
        throw ane::error(ane::errc::port, name, fmt::format("is no {}; there are: {}", what, names_of(ports)));
    }
    return *found;
}

model::model(const std::string& path, const command::reading& how)
    : path_(path), approximates_(how.approximates), is_mil_(command::is_mil(path)), memory_(how.memory),
      file_(command::read(path, how)) {
    find_ports();
}

model::model(const model& from, ane::dynamic_graph graph, ane::weight_store weights)
    : path_(from.path_), approximates_(from.approximates_), is_mil_(false),
      memory_(from.memory_), file_{std::move(graph), std::move(weights), from.notes(), {}} {
    find_ports();
}

void model::find_ports() {
    const ane::graph_view g = file_.graph;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            (g.next_of(i) < 0 ? inputs_ : states_).push_back(port_of(g.name(i), g, i));
        }
    }
    for (const ane::output_port& out : g.outputs) {
        if (!out.is_state()) {
            outputs_.push_back(port_of(g.name(out), g, out.node));
        }
    }
}

command::judgement model::check(const std::string& targets, const ane::report_policy& rules) const {
    return command::judge(file_, is_mil_, command::targets_named(targets), rules);
}

ane::cost model::cost(const std::string& target) const {
    const ane::lowered_graph lowered = ane::lower(file_.graph);
    return ane::estimate(lowered.graph, command::target_named(target));
}

std::string model::drawing(const std::string& title) const {
    ane::drawing_options how;
    how.title = title;
    how.fold_weights = true;
    return ane::draw_svg(file_.graph, how);
}

void model::require_exact(const char* what) const {
    if (approximates_) {
        throw ane::error(ane::errc::argument, path_,
                         std::string("was opened to be judged, with approximate constants, and cannot be ") + what);
    }
}

std::string model::convert(const std::string& to, const std::string& folder) const {
    require_exact("written");
    return command::write_model(file_, to, folder);
}

} // namespace bindings
