#pragma once

#include "../rules/divergence.hpp"
#include "../way.hpp"
#include "findings.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

/// Where two targets can differ, as text.
namespace ane::inline ANEMONE_WAY {

/// The outputs of a model that depend on one of the given nodes.
ANEMONE_INLINE std::vector<std::string> outputs_behind(const graph_view& g, const std::vector<divergent_node>& found) {
    std::vector<char> reached(g.nodes.size(), 0);
    for (const divergent_node& d : found) {
        reached[static_cast<std::size_t>(d.node)] = 1;
    }
    for (int i = 0; i < g.size(); ++i) {
        for (const int o : g.operands(i)) {
            reached[static_cast<std::size_t>(i)] |= reached[static_cast<std::size_t>(o)];
        }
    }
    std::vector<std::string> names;
    for (const output_port& port : g.outputs) {
        if (reached[static_cast<std::size_t>(port.node)] != 0) {
            names.emplace_back(g.name(port));
        }
    }
    return names;
}

/// Every node of a model that can give other results on one target than on another, and the outputs that follow.
class divergence_report {
public:
    divergence_report(const graph_view& g, const machine& a, const machine& b)
        : pair_(detail::target_phrase(a.device) + " and " + detail::target_phrase(b.device)),
          found_(divergences_of(g, a, b)), outputs_(outputs_behind(g, found_)), count_(g.outputs.size()) {
        for (const divergent_node& d : found_) {
            lines_.push_back(line_of(g, d, d.refusal.target == a.device.id ? a.device : b.device));
        }
    }

    /// Whether the two give the same bits, as far as the arithmetic is known.
    bool same() const noexcept { return found_.empty(); }
    const std::vector<divergent_node>& found() const noexcept { return found_; }
    const std::vector<std::string>& outputs() const noexcept { return outputs_; }

    std::string str(bool coloured = false) const {
        std::string text;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const divergence kind = found_[i].kind;
            const std::string_view colour = kind <= divergence::infinity   ? "\x1b[1;31m"
                                            : kind == divergence::rounding ? "\x1b[33m"
                                                                           : "\x1b[36m";
            text += fmt::format("{}: {}\n", detail::painted(name(kind), colour, coloured), lines_[i]);
        }
        if (same()) {
            return text + fmt::format("{}: no difference is known\n", pair_);
        }
        std::string which;
        for (const std::string& output : outputs_) {
            which += fmt::format("{}\"{}\"", which.empty() ? "" : ", ", detail::printable(output));
        }
        return text + fmt::format("{}: {}; {} of {} can differ{}{}\n", pair_,
                                  detail::counted(found_.size(), "difference"), outputs_.size(),
                                  detail::counted(count_, "output"), which.empty() ? "" : ": ", which);
    }
    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    void print(std::FILE* to = stdout) const { detail::write_text(to, str(detail::wants_colour(to))); }
    friend std::ostream& operator<<(std::ostream& to, const divergence_report& r) { return to << r.str(); }

private:
    static std::string line_of(const graph_view& g, const divergent_node& d, const target_description& refusing) {
        if (d.kind == divergence::support) {
            return format(d.refusal, g, refusing);
        }
        const site where = g[d.node].where;
        std::string text = detail::node_phrase(g, d.node, g[d.node].kind);
        if (where.line > 0) {
            text += fmt::format(" ({}:{})", detail::printable(detail::base_name(where.file)), where.line);
        }
        const std::string part = d.operation == g[d.node].kind ? "" : fmt::format(" in its {}", name(d.operation));
        return text + fmt::format(": {}{} [{}, {}]", d.reason, part, d.source, name(d.evidence));
    }

    std::string pair_;
    std::vector<divergent_node> found_;
    std::vector<std::string> outputs_;
    std::vector<std::string> lines_;
    std::size_t count_;
};

/// `differences(model, ane::h13, ane::h17s).print();`
ANEMONE_INLINE divergence_report differences(const graph_view& g, const machine& a, const machine& b) {
    return {g, a, b};
}
ANEMONE_INLINE divergence_report differences(const graph_view& g, target a, target b) {
    return {g, machine_of(a), machine_of(b)};
}

} // namespace ane::inline ANEMONE_WAY
