#include "model.hpp"

#include "../anemone/target_names.hpp"
#include "../anemone/written_model.hpp"
#include <anemone/base/error.hpp>
#include <anemone/drawing/drawing.hpp>
#include <anemone/passes/lowering.hpp>

#include <string_view>

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

/// What only judges and draws has to be told so before it is run or written.
void require_exact(const model& m, const char* what) {
    if (m.approximates()) {
        throw ane::error(ane::errc::argument, m.path(),
                         std::string("was opened to be judged, with approximate constants, and cannot be ") + what);
    }
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

model::model(const std::string& path, const command::reading& how)
    : path_(path), approximates_(how.approximates), is_mil_(command::is_mil(path)), memory_(how.memory),
      file_(command::read(path, how)) {
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

std::string model::convert(const std::string& to, const std::string& folder) const {
    require_exact(*this, "written");
    return command::write_model(file_, to, folder);
}

} // namespace bindings
