#pragma once

#include "../passes/prune.hpp"
#include "../passes/rewriter.hpp"
#include "../targets/table.hpp"

#include <cstdint>
#include <string_view>

/// Rewrites of a model into another that computes the same (cost facts and rewrites, section 1 to 3; guide chapter 18).
namespace ane {

/// What a rewrite does to results.
enum class rewrite_exactness : std::uint8_t {
    bits,    ///< every bit, by the oracle
    rounding ///< the value up to a rounding more or less for each place
};

constexpr std::string_view name(rewrite_exactness k) noexcept {
    constexpr std::string_view names[] = {"bits", "rounding"};
    return names[static_cast<std::size_t>(k)];
}

/// What a rewrite is for. A search tries those whose goal it has.
enum class rewrite_goal : std::uint8_t {
    time,   ///< a faster program
    values, ///< fewer values that may overflow
    errors, ///< products with smaller errors
    forms,  ///< weights in forms that the engine takes as they are stored
    layers  ///< layers that the target refuses
};

constexpr std::string_view name(rewrite_goal goal) noexcept {
    constexpr std::string_view names[] = {"time", "values", "errors", "forms", "layers"};
    return names[static_cast<std::size_t>(goal)];
}

/// A model after a rewrite, and at how many places it differs; 0: it is the old one.
struct rewritten {
    dynamic_graph graph;
    int places = 0;
};

/// One row of the registry (rewrites/registry.hpp). A rewrite is applied wherever it fits, or nowhere; whether that pays
/// is what the cost model decides.
struct rewrite_record {
    const char* id;
    rewrite_goal goal;
    rewrite_exactness kept;
    const char* when; ///< where it fits
    const char* gain; ///< what becomes cheaper
    const char* source;
    rewritten (*apply)(const graph_view& g, const target_description& t);
};

namespace detail {

/// Copies a graph with `change(w, index)` for each node, which gives the new node or -1 for a plain copy.
template <class Change> constexpr rewritten rewrite_each(const graph_view& g, Change change) {
    rewriter w(g);
    int places = 0;
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        const int made = change(w, i);
        places += made >= 0 ? 1 : 0;
        w.rename(i, made >= 0 ? made : w.copy(i));
    }
    for (const output_port& port : g.outputs) {
        w.add_output(w.renamed(port.node), port);
    }
    return {prune(w.result()), places};
}

} // namespace detail

} // namespace ane
