#pragma once

#include "../cost/cost.hpp"
#include "divergence.hpp"

#include <cstdint>

/// `static_assert(ane::within_budget<model, ane::h17s, ane::microseconds{400}>)`: the time of a dispatch as a concept
/// over a constexpr model.
namespace ane {

/// A whole number of microseconds.
struct microseconds {
    std::int64_t count = 0;
};

/// A model that may take longer than its budget, as a type that compilers print: the target, the microseconds that nine
/// of ten dispatches stay below, the budget; then the costliest layer with its line, its node and its own microseconds,
/// the file, and the nearest name.
template <target Target, std::int64_t AtMost, std::int64_t Budget, op Costliest, int Line, int Node, std::int64_t Takes,
          class... Place>
struct budget_exceeded {
    static constexpr bool kept = false;
};
/// The clock of the target is not known: nothing can be promised.
template <target Target> struct time_not_known { static constexpr bool kept = false; };
struct budget_kept {
    static constexpr bool kept = true;
};

namespace detail {

constexpr std::int64_t whole_microseconds(double seconds) {
    const double exact = seconds * 1e6;
    const auto below = static_cast<std::int64_t>(exact);
    return static_cast<double>(below) < exact ? below + 1 : below;
}

/// What a program needs of a budget's message: all that of the costliest layer.
struct told_cost {
    bool known = false;
    std::int64_t at_most = 0;
    int node = 0; ///< of the model
    std::int64_t takes = 0;
    short_text file{};
    nearest_name nearest{};
};

template <const auto& Model, auto Target>
inline constexpr told_cost first_told_cost = [] {
    const cost c = estimate(lowered_constants<Model>::lowered.graph, describe(Target));
    told_cost t;
    t.known = c.seconds.has_value();
    t.at_most = whole_microseconds(c.clock.at_most);
    if (const layer_cost* most = c.costliest(); most != nullptr) {
        t.node = lowered_constants<Model>::lowered.origins[static_cast<std::size_t>(most->node)];
        t.takes = whole_microseconds(most->seconds());
        const graph_view g = Model;
        t.file = short_text(base_name(g[t.node].where.file));
        t.nearest = find_nearest_name(g, t.node);
    }
    return t;
}();

template <class... Place> struct places {};

/// The file and the nearest name of the costliest layer, as types.
template <const told_cost& T> constexpr auto place_of() {
    using file = in_file<named<fixed_string<T.file.size + 1>(T.file.characters)>>;
    using name = named<fixed_string<T.nearest.name.size + 1>(T.nearest.name.characters)>;
    if constexpr (T.nearest.how == nearness::reads) {
        return places<file, reads<name>>{};
    } else if constexpr (T.nearest.how == nearness::gives) {
        return places<file, gives<name>>{};
    } else if constexpr (T.nearest.how == nearness::after) {
        return places<file, after<name>>{};
    } else {
        return places<file>{};
    }
}

template <const auto& Model, auto Target, std::int64_t Budget, class... Place>
constexpr auto as_exceeded(places<Place...>) {
    constexpr const told_cost& t = first_told_cost<Model, Target>;
    constexpr op kind = graph_view(Model)[t.node].kind;
    constexpr int line = graph_view(Model)[t.node].where.line;
    return budget_exceeded<describe(Target).id, t.at_most, Budget, kind, line, t.node, t.takes, Place...>{};
}

template <const auto& Model, auto Target, std::int64_t Budget> constexpr auto find_budget_verdict() {
    if constexpr (!is_refused_model<decltype(Model)>) { // a refusal is said where the model is defined
        constexpr const told_cost& told = first_told_cost<Model, Target>;
        if constexpr (!told.known) {
            return time_not_known<describe(Target).id>{};
        } else if constexpr (told.at_most > Budget) {
            return as_exceeded<Model, Target, Budget>(place_of<first_told_cost<Model, Target>>());
        } else {
            return budget_kept{};
        }
    } else {
        return budget_kept{};
    }
}

} // namespace detail

/// `budget_exceeded<...>`, `time_not_known<...>` or `budget_kept`.
template <const auto& Model, auto Target, microseconds Budget>
using budget_verdict =
    typename std::type_identity<decltype(detail::find_budget_verdict<Model, Target, Budget.count>())>::type;

/// Whether nine of ten dispatches of a model stay within a budget by the clock, as the cost model has it (docs/cost.md):
/// a `target`, or the address of a `target_description`.
template <const auto& Model, auto Target, microseconds Budget>
concept within_budget = kept<budget_verdict<Model, Target, Budget>>;

} // namespace ane
