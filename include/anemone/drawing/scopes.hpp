#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Where in a model's modules an operation stands, from its name: "/encoder/layers.3/attention/MatMul" and the weight
/// "encoder.layers.3.attention.weight" are in encoder, layers, 3, attention.
namespace ane::drawing::inline ANEMONE_WAY {

using scope = std::vector<std::string_view>;

/// The parts of a name between '/' and '.', but the last, which is the operation's own.
ANEMONE_INLINE scope scope_of(std::string_view name) {
    scope parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '/' || name[i] == '.') {
            if (i > begin) {
                parts.push_back(name.substr(begin, i - begin));
            }
            begin = i + 1;
        }
    }
    return parts;
}

/// How many parts two scopes have in common from the start.
ANEMONE_INLINE std::size_t shared_parts(const scope& a, const scope& b) {
    const auto ends =
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
    return static_cast<std::size_t>(ends.first - a.begin());
}

/// The scope of each of some nodes, given in execution order: by the node's name, else by that of a weight that it
/// reads. One that has neither stands in the innermost scope that the named ones before and after it share.
ANEMONE_INLINE std::vector<scope> scopes_of(const graph_view& g, const std::vector<int>& order) {
    std::vector<scope> all(order.size());
    std::vector<char> named(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::string_view name = g.name(order[i]);
        for (const int o : g.operands(order[i])) {
            name = name.empty() && g[o].kind == op::weight ? g.name(o) : name;
        }
        all[i] = scope_of(name);
        named[i] = name.empty() ? 0 : 1;
    }
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> next(order.size(), none);
    for (std::size_t i = order.size(), last = none; i-- > 0;) {
        next[i] = last;
        last = named[i] != 0 ? i : last;
    }
    for (std::size_t i = 0, before = none; i < order.size(); ++i) {
        if (named[i] != 0) {
            before = i;
        } else if (before != none && next[i] != none) {
            all[i] = all[before];
            all[i].resize(shared_parts(all[before], all[next[i]]));
        }
    }
    return all;
}

} // namespace ane::drawing::inline ANEMONE_WAY
