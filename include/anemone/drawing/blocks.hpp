#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "options.hpp"
#include "repeats.hpp"
#include "scopes.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// What of a graph is one box: an operation, those of one scope, or the copies of a block. A box is a run of operations
/// in execution order, so that boxes depend on each other as little in a circle as operations do.
namespace ane::drawing::inline ANEMONE_WAY {

/// A box: `nodes` in execution order.
struct unit {
    std::vector<int> nodes;
    scope where;            ///< of all of them
    std::size_t copies = 0; ///< how often the operations before it stand here once more; 0: it is no repetition
    std::pair<int, int> of; ///< the first and the last of those operations

    bool is_block() const { return nodes.size() > 1 || copies > 0; }
};

/// As many boxes as one can look at.
inline constexpr std::size_t readable_boxes = 64;
/// The longest block that is recognised where it is repeated.
inline constexpr std::size_t longest_block = 256;

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {

/// Finds the boxes of a graph. `order` is what is drawn but for the inputs, in execution order.
class unit_search {
public:
    ANEMONE_INLINE unit_search(const graph_view& g, std::vector<int> order)
        : graph_(g), order_(std::move(order)), scopes_(scopes_of(g, order_)), places_(g.nodes.size(), unplaced) {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            places_[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
        }
        for (std::size_t i = order_.size(); i-- > 0;) { // what is read at the start alone stands before the first
            for (const int o : g.operands(order_[i])) {
                int& place = places_[static_cast<std::size_t>(o)];
                place = g[o].kind == op::input && place == unplaced ? (i < far ? -1 : everywhere) : place;
            }
        }
        for (std::size_t i = 0; i < order_.size(); ++i) {
            looks_.push_back(look(static_cast<int>(i)));
        }
    }

    /// Every operation alone.
    ANEMONE_INLINE std::vector<unit> all() const { return at_depth(deepest() + 1); }

    /// Neighbours whose scopes share `depth` parts are one.
    ANEMONE_INLINE std::vector<unit> at_depth(std::size_t depth) const {
        std::vector<unit> units;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const scope& here = scopes_[i];
            if (!units.empty() && depth > 0 && here.size() >= depth && units.back().where.size() >= depth &&
                shared_parts(units.back().where, here) >= depth) {
                units.back().where.resize(depth);
                units.back().nodes.push_back(order_[i]);
            } else {
                units.push_back({{order_[i]}, here, 0, {}});
            }
        }
        return units;
    }

    ANEMONE_INLINE std::size_t deepest() const {
        std::size_t most = 0;
        for (const scope& s : scopes_) {
            most = std::max(most, s.size());
        }
        return most;
    }

    /// The copies of a run of boxes as one box behind the first of them.
    ANEMONE_INLINE std::vector<unit> folded(const std::vector<unit>& units) const {
        std::vector<std::uint64_t> looks;
        for (const unit& u : units) {
            std::uint64_t all = u.nodes.size();
            for (const int n : u.nodes) {
                all = mixed(all, looks_[place_of(n)]);
            }
            looks.push_back(all);
        }
        const std::vector<repeat> repeats = find_repeats(looks, longest_block, [&](std::size_t i) { // a change of scope
            return i == 0 || i >= units.size() ? 0
                                               : -static_cast<int>(shared_parts(units[i - 1].where, units[i].where));
        });
        std::vector<unit> result;
        std::size_t done = 0;
        for (const repeat& r : repeats) {
            result.insert(result.end(), units.begin() + at(done), units.begin() + at(r.first + r.period));
            unit rest{{},
                      units[r.first + r.period].where,
                      r.copies - 1,
                      {units[r.first].nodes.front(), units[r.first + r.period - 1].nodes.back()}};
            for (std::size_t i = r.first + r.period; i < r.end(); ++i) {
                rest.nodes.insert(rest.nodes.end(), units[i].nodes.begin(), units[i].nodes.end());
                rest.where.resize(shared_parts(rest.where, units[i].where));
            }
            result.push_back(std::move(rest));
            done = r.end();
        }
        result.insert(result.end(), units.begin() + at(done), units.end());
        return result;
    }

private:
    static constexpr std::size_t far = 64; ///< operations; from further away it does not count how far
    static constexpr int unplaced = -2, everywhere = -3;

    static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
    std::size_t place_of(int node) const { return static_cast<std::size_t>(places_[static_cast<std::size_t>(node)]); }
    static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
        return (a ^ (b + 0x9E3779B97F4A7C15U + (a << 6U) + (a >> 2U))) * 0xFF51AFD7ED558CCDU;
    }

    /// What an operation looks like: what it is, the shapes around it, and from how far before it reads. What is read
    /// from far away is outside of a block, and differently far from each of its copies.
    ANEMONE_INLINE std::uint64_t look(int i) const {
        const node& n = graph_[order_[static_cast<std::size_t>(i)]];
        std::string text = formatted("{} {} {}", name(n.kind), print(n.type, n.shape), attribute_text(graph_, n));
        for (const int o : graph_.operands(n)) {
            const int from = places_[static_cast<std::size_t>(o)];
            const bool near = from >= -1 && i - from < static_cast<int>(far);
            text += near ? formatted(" {}", i - from) : " " + print(graph_[o].shape);
        }
        return std::hash<std::string>()(text);
    }

    graph_view graph_;
    std::vector<int> order_;
    std::vector<scope> scopes_;        ///< of each in `order_`
    std::vector<int> places_;          ///< in `order_`, of each node; -1
    std::vector<std::uint64_t> looks_; ///< of each in `order_`
};

} // namespace ane::drawing::detail::inline ANEMONE_WAY

namespace ane::drawing::inline ANEMONE_WAY {

/// The boxes of `order`, which is what is drawn but for the inputs, in execution order: to a depth of names, or as many
/// as are readable. Names of the graph are referred to.
ANEMONE_INLINE std::vector<unit> units_of(const graph_view& g, const std::vector<int>& order, int depth) {
    if (depth == every_operation || (depth == readable_depth && order.size() <= readable_boxes)) {
        std::vector<unit> units;
        units.reserve(order.size());
        for (const int i : order) {
            units.push_back({{i}, {}, 0, {}});
        }
        return units;
    }
    const detail::unit_search search(g, order);
    if (depth > 0) {
        return search.folded(search.at_depth(static_cast<std::size_t>(depth)));
    }
    std::vector<unit> units = search.folded(search.all());
    for (std::size_t d = search.deepest(); d > 0 && units.size() > readable_boxes; --d) {
        std::vector<unit> coarser = search.folded(search.at_depth(d));
        if (coarser.size() < units.size()) {
            units = std::move(coarser);
        }
    }
    return units;
}

/// "conv2d 12", "relu 12", "add": what a block holds, the most frequent first.
ANEMONE_INLINE std::vector<std::string> operations_in(const graph_view& g, const std::vector<int>& nodes) {
    std::map<op, int> counts;
    for (const int i : nodes) {
        ++counts[g[i].kind];
    }
    std::vector<std::pair<op, int>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    texts.reserve(sorted.size());
    for (const auto& [kind, count] : sorted) {
        texts.push_back(std::string(name(kind)) + (count > 1 ? formatted(" {}", count) : ""));
    }
    return texts;
}

/// "encoder.layers.3"
ANEMONE_INLINE std::string scope_text(const scope& s) {
    std::string text;
    for (const std::string_view part : s) {
        text.append(text.empty() ? "" : ".").append(part);
    }
    return text;
}

} // namespace ane::drawing::inline ANEMONE_WAY
