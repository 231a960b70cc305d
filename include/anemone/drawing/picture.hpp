#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../passes/print.hpp"
#include "blocks.hpp"
#include "layout.hpp"
#include "options.hpp"
#include "style.hpp"
#include "svg.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What a drawing of a graph shows, and where.
namespace ane::drawing::inline ANEMONE_WAY {

/// A box of the picture: a node of the graph, or an output port.
struct label {
    int node = -1;         ///< of several in one box, the first
    int output = -1;       ///< position among the outputs, or -1
    bool is_block = false; ///< several operations
    kind colour = kind::port;
    std::string title;
    std::string number; ///< "#12", at the right of the title
    std::vector<std::string> lines;
    std::vector<std::string> weights;
    std::string tooltip; ///< all of it, without ellipses
};

/// A graph with a place for everything. `boxes[i]` is where `labels[i]` stands; the ends of edges are positions in
/// both.
struct picture {
    std::vector<label> labels;
    std::vector<box> boxes;
    std::vector<edge> edges;
    double width = 0, height = 0;
};

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {

ANEMONE_INLINE label label_of_node(const graph_view& g, int index, const std::vector<char>& folded) {
    const node& n = g[index];
    label l;
    l.node = index;
    l.colour = kind_of(n.kind);
    const std::string_view given = g.called(index);
    l.title = n.kind == op::input || (n.kind == op::weight && !given.empty()) ? std::string(given)
                                                                              : std::string(name(n.kind));
    l.number = n.kind == op::input ? "input" : n.kind == op::weight ? "weight" : formatted("#{}", index);
    if (!is_source(n.kind) && !given.empty()) {
        l.lines.emplace_back(given);
    }
    if (n.kind == op::constant) {
        l.lines.push_back(operand_text(g, index));
    } else {
        if (const std::string attributes = attribute_text(g, n); !attributes.empty()) {
            l.lines.push_back(attributes);
        }
        l.lines.push_back(n.type == dtype::f16 ? print(n.shape) : print(n.type, n.shape));
    }
    for (const int o : g.operands(index)) {
        if (folded[static_cast<std::size_t>(o)] != 0) {
            l.weights.push_back(operand_text(g, o));
        }
    }
    return l;
}

ANEMONE_INLINE label label_of_output(const graph_view& g, int position) {
    const output_port& port = g.outputs[static_cast<std::size_t>(position)];
    label l;
    l.output = position;
    l.title = std::string(g.called(g.name(port)));
    l.number = "output";
    l.lines.push_back(print(g[port.node].shape));
    return l;
}

/// "12 weights with 31.5 k parameters"
ANEMONE_INLINE std::string weights_text(int weights, std::int64_t parameters) {
    const double count = static_cast<double>(parameters);
    const std::string number = count < 1e4   ? formatted("{}", parameters)
                               : count < 1e6 ? formatted("{:.1f} k", count / 1e3)
                                             : formatted("{:.1f} M", count / 1e6);
    return formatted("{} weight{} with {} parameters", weights, weights == 1 ? "" : "s", number);
}

ANEMONE_INLINE label label_of_block(const graph_view& g, const unit& u, const std::vector<char>& folded, double limit) {
    label l;
    l.node = u.nodes.front();
    l.is_block = true;
    l.colour = kind::block;
    const std::string called = scope_text(u.where);
    l.title = u.copies > 0     ? formatted("{} more of #{}\u2013{}", u.copies, u.of.first, u.of.second)
              : called.empty() ? formatted("{} operations", u.nodes.size())
                               : called;
    l.number = formatted("#{}\u2013{}", u.nodes.front(), u.nodes.back());
    if (u.copies > 0 && !called.empty()) {
        l.lines.push_back(called);
    }
    std::string line = formatted("{} operations:", u.nodes.size());
    for (const std::string& each : operations_in(g, u.nodes)) {
        const bool begins = line.back() == ':';
        const std::string longer = formatted("{}{}{}", line, begins ? " " : " \u00b7 ", each);
        if (!begins && text_width(longer, size::text) > limit) {
            l.lines.push_back(line);
            line = each;
        } else {
            line = longer;
        }
    }
    l.lines.push_back(line);
    l.lines.push_back(print(g[u.nodes.back()].shape));
    std::set<int> seen;
    std::vector<int> open = u.nodes;
    int weights = 0;
    std::int64_t parameters = 0;
    while (!open.empty()) { // through constants that are computed from weights
        const int i = open.back();
        open.pop_back();
        for (const int o : g.operands(i)) {
            if (folded[static_cast<std::size_t>(o)] != 0 && seen.insert(o).second) {
                open.push_back(o);
                weights += g[o].kind == op::weight ? 1 : 0;
                parameters += g[o].kind == op::weight ? g[o].shape.count() : 0;
            }
        }
    }
    if (weights > 0) {
        l.weights.push_back(weights_text(weights, parameters));
    }
    return l;
}

/// Truncates the texts to the limit and measures the box around them.
ANEMONE_INLINE box fit(label& l, double limit) {
    l.tooltip = l.title + " " + l.number;
    const double number = text_width(l.number, size::small) + size::number_gap;
    l.title = shortened(l.title, size::title, limit - number, true);
    double width = text_width(l.title, size::title, true) + number;
    double height = size::title_line;
    const auto measure = [&](std::vector<std::string>& lines, double font, double line) {
        for (std::string& text : lines) {
            l.tooltip += "\n" + text;
            text = shortened(text, font, limit);
            width = std::max(width, text_width(text, font));
            height += line;
        }
    };
    measure(l.lines, size::text, size::text_line);
    measure(l.weights, size::small, size::small_line);
    box b;
    b.width = std::max(width + 2 * (l.colour == kind::port ? size::pill_side : size::side), 84.0);
    b.height = height + 2 * size::above + (l.weights.empty() ? 0 : size::weights_gap);
    return b;
}

} // namespace ane::drawing::detail::inline ANEMONE_WAY

namespace ane::drawing::inline ANEMONE_WAY {

/// Decides what is drawn and where, from (0, 0) on.
ANEMONE_INLINE picture arrange(const graph_view& g, const drawing_options& options = {}) {
    picture p;
    std::vector<char> folded = independent_of_inputs(g);
    if (!options.fold_weights) {
        folded.assign(g.nodes.size(), 0);
    }
    for (const output_port& port : g.outputs) {
        folded[static_cast<std::size_t>(port.node)] = 0; // an output that is a weight keeps its box
    }
    std::vector<int> position(g.nodes.size(), -1);    // of the label that a node is in
    std::vector<int> last_reader(g.nodes.size(), -1); // of each label
    std::vector<int> order;
    const auto add = [&](label l, const std::vector<int>& nodes) {
        for (const int i : nodes) {
            position[static_cast<std::size_t>(i)] = static_cast<int>(p.labels.size());
        }
        p.labels.push_back(std::move(l));
    };
    for (int i = 0; i < g.size(); ++i) {
        if (folded[static_cast<std::size_t>(i)] != 0) {
            continue;
        }
        if (options.depth != every_operation && is_source(g[i].kind)) { // they depend on nothing
            add(detail::label_of_node(g, i, folded), {i});
        } else {
            order.push_back(i);
        }
    }
    for (const unit& u : units_of(g, order, options.depth)) {
        add(u.is_block() ? detail::label_of_block(g, u, folded, options.widest_text)
                         : detail::label_of_node(g, u.nodes.front(), folded),
            u.nodes);
        const int here = static_cast<int>(p.labels.size()) - 1;
        for (const int i : u.nodes) {
            for (const int o : g.operands(i)) {
                const int from = position[static_cast<std::size_t>(o)];
                if (from >= 0 && from != here && last_reader[static_cast<std::size_t>(from)] != here) {
                    p.edges.push_back({from, here, {}, false}); // x * x reads x once in the picture
                    last_reader[static_cast<std::size_t>(from)] = here;
                }
            }
        }
    }
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        p.labels.push_back(detail::label_of_output(g, static_cast<int>(i)));
        p.edges.push_back(
            {position[static_cast<std::size_t>(g.outputs[i].node)], static_cast<int>(p.labels.size()) - 1, {}, false});
    }
    for (label& l : p.labels) {
        p.boxes.push_back(detail::fit(l, options.widest_text));
    }
    lay_out(p.boxes, p.edges);
    for (const box& b : p.boxes) {
        p.width = std::max(p.width, b.right());
        p.height = std::max(p.height, b.bottom());
    }
    for (const edge& e : p.edges) {
        for (const point& at : e.path) {
            p.width = std::max(p.width, at.x);
        }
    }
    return p;
}

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {

/// "node12", "block12", "output0", with that of the drawing before it.
ANEMONE_INLINE std::string id_of(const label& l, const std::string& drawing) {
    const std::string own =
        l.output >= 0 ? formatted("output{}", l.output) : formatted("{}{}", l.is_block ? "block" : "node", l.node);
    return drawing.empty() ? own : escape(drawing) + "-" + own;
}

ANEMONE_INLINE std::string draw_edge(const edge& e, const picture& p, const std::string& drawing) {
    constexpr double head = 6;
    std::string d = formatted("M{:.1f} {:.1f}", e.path[0].x, e.path[0].y);
    for (std::size_t i = 1; i < e.path.size(); ++i) {
        const point& a = e.path[i - 1];
        const bool last = i + 1 == e.path.size();
        const point b{e.path[i].x, e.path[i].y - (last ? head : 0)};
        if (a.x == b.x) {
            d += formatted("V{:.1f}", b.y);
        } else {
            const double middle = (a.y + b.y) / 2;
            d += formatted("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, middle, b.x, middle, b.x, b.y);
        }
    }
    const auto id = [&](int box) { return id_of(p.labels[static_cast<std::size_t>(box)], drawing); };
    const std::string_view skip = e.crosses_layers ? " skip" : "";
    const point& tip = e.path.back();
    return formatted("<path class=\"edge{}\" data-from=\"{}\" data-to=\"{}\" d=\"{}\"/>\n"
                     "<path class=\"head{}\" d=\"M{:.1f} {:.1f}l-4 -7.5h8z\"/>\n",
                     skip, id(e.from), id(e.to), d, skip, tip.x, tip.y);
}

ANEMONE_INLINE std::string draw_box(const label& l, const box& b, const std::string& drawing) {
    const std::string id = id_of(l, drawing);
    const double radius = l.colour == kind::port ? std::min(b.height / 2, 22.0) : 7.0;
    const double side = l.colour == kind::port ? size::pill_side : size::side;
    std::string out = formatted("<g class=\"box {}\" id=\"{}\"><title>{}</title>\n"
                                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.0f}\"/>\n",
                                name(l.colour), id, escape(l.tooltip), b.left, b.top, b.width, b.height, radius);
    double y = b.top + size::above + size::title_line - 5;
    out += formatted("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", b.left + side, y, escape(l.title));
    out += formatted("<text class=\"small end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", b.right() - side, y,
                     escape(l.number));
    for (const std::string& line : l.lines) {
        y += size::text_line;
        out += formatted("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", b.left + side, y, escape(line));
    }
    y += l.weights.empty() ? 0 : size::weights_gap;
    if (!l.weights.empty()) {
        out += formatted("<path class=\"rule\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", b.left, y + 2, b.right());
    }
    for (const std::string& line : l.weights) {
        y += size::small_line;
        out += formatted("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", b.left + side, y, escape(line));
    }
    return out + "</g>\n";
}

/// "9 operations, 4 weights with 31.5 k parameters"
ANEMONE_INLINE std::string subtitle(const graph_view& g) {
    int operations = 0, weights = 0;
    std::int64_t parameters = 0;
    for (const node& n : g.nodes) {
        operations += is_source(n.kind) ? 0 : 1;
        weights += n.kind == op::weight ? 1 : 0;
        parameters += n.kind == op::weight ? n.shape.count() : 0;
    }
    const std::string text = formatted("{} operation{}", operations, operations == 1 ? "" : "s");
    return weights == 0 ? text : text + ", " + weights_text(weights, parameters);
}

} // namespace ane::drawing::detail::inline ANEMONE_WAY
