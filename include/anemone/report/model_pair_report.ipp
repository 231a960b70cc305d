#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_model_pair_report_hpp);

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../rules/phrases.hpp"
#include "diff_text.hpp"
#include "model_pair_report.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// `conv2d "stem"`, and ` = conv2d #4` where the partner is called otherwise.
ANEMONE_INLINE std::string pair_phrase(const graph_view& first, const graph_view& second, const node_pair& pair) {
    const std::string mine = node_phrase(first, pair.first, first[pair.first].kind);
    const std::string theirs = node_phrase(second, pair.second, second[pair.second].kind);
    return mine == theirs ? mine : mine + " = " + theirs;
}

/// "only in the first: relu #4, add #5 and 3 more"
ANEMONE_INLINE std::string alone_text(const graph_view& g, const std::vector<int>& nodes, std::string_view which) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i) {
        text += (i == 0 ? "" : ", ") + node_phrase(g, nodes[i], g[nodes[i]].kind);
    }
    if (nodes.size() > most) {
        text += formatted(" and {} more", nodes.size() - most);
    }
    return nodes.empty() ? text : formatted("only in the {}: {}\n", which, text);
}

/// "x is fp16 [4] in the first and fp16 [1, 1, 1, 4] in the second: the same elements"
ANEMONE_INLINE std::string port_text(const graph_view& first, const graph_view& second, const port_pair& pair) {
    const node& mine = first[pair.first];
    const node& theirs = second[pair.second];
    const auto name =
        pair.output < 0 ? first.name(pair.first) : first.name(first.outputs[static_cast<std::size_t>(pair.output)]);
    std::string text;
    if (pair.state_of_first || pair.state_of_second) {
        text = formatted("{} is a state of the {} and an input of the {}: zeros here\n", first.called(name),
                         pair.state_of_first ? "first" : "second", pair.state_of_first ? "second" : "first");
    }
    if (mine.type == theirs.type && mine.shape == theirs.shape) {
        return text;
    }
    return text + formatted("{} is {} in the first and {} in the second\n", first.called(name),
                            print(mine.type, mine.shape), print(theirs.type, theirs.shape));
}

/// What is said of the outputs.
ANEMONE_INLINE std::string outputs_text(const graph_view& first, const graph_view& second,
                                        const pair_difference& found) {
    if (found.same_outputs) {
        return "the outputs are the same\n";
    }
    if (first.outputs.size() != second.outputs.size()) {
        return formatted("the outputs differ: {} in the first, {} in the second\n", first.outputs.size(),
                         second.outputs.size());
    }
    return found.same_on_engine ? "the outputs differ by roundings alone: in the arithmetic of h13 they are the same "
                                  "(--reference h13)\n"
                                : "the outputs differ\n";
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string pair_text(const graph_view& first, const graph_view& second, const pair_difference& found,
                                      bool coloured) {
    std::vector<std::string> names;
    std::size_t width = 4;
    for (const node_pair& pair : found.nodes) {
        names.push_back(detail::pair_phrase(first, second, pair));
        width = std::max(width, detail::display_width(names.back()));
    }
    std::string text = formatted("{:<{}}  {:>9} {:>6} {:>7}  {:<{}}  cause\n", "node", width, "max abs", "ulp",
                                 "differ", "0 1 2 4 .. ulp", ulp_histogram::bins);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const node_pair& pair = found.nodes[i];
        const std::string_view colour = pair.cause == pair_cause::none        ? "\x1b[2m"
                                        : pair.cause == pair_cause::inherited ? "\x1b[36m"
                                                                              : "\x1b[33m";
        const bool compared = pair.cause != pair_cause::shape;
        text += formatted("{}  {:>9} {:>6} {:>7}  {}  {}\n", detail::padded(names[i], width),
                          compared ? detail::distance_text(pair.values.max_abs) : "-",
                          compared ? detail::ulp_text(pair.values.max_ulp) : "-",
                          compared ? formatted("{:.1f} %", 100 * pair.histogram.differing()) : "-",
                          compared ? detail::bar_of(pair.histogram) : std::string(ulp_histogram::bins, ' '),
                          detail::painted(name(pair.cause), colour, coloured));
    }
    text +=
        detail::alone_text(first, found.only_first, "first") + detail::alone_text(second, found.only_second, "second");
    for (const port_pair& pair : found.ports) {
        text += detail::port_text(first, second, pair);
    }
    if (found.first_divergent >= 0) {
        text += formatted("first divergent node: {}\n", names[static_cast<std::size_t>(found.first_divergent)]);
    }
    return text + detail::outputs_text(first, second, found);
}

} // namespace ane::inline ANEMONE_WAY
