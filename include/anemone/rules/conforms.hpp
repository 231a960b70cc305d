#pragma once

#include "../analysis/chunked_ranges.hpp"
#include "design_rule.hpp"
#include "figures.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

/// `static_assert(ane::conforms<model, ane::h13>)`: the rules of a target as a concept over a constexpr model.
namespace ane {

namespace detail {

/// The elements of a sequence that a pass returns, as a constant.
template <class T, std::size_t Count, class Sequence> constexpr std::array<T, Count> array_of(const Sequence& all) {
    std::array<T, Count> a{};
    const T* const from = all.data();
    for (std::size_t i = 0; i < Count; ++i) {
        a[i] = from[i];
    }
    return a;
}

/// Facts about a model that do not depend on the target, each computed once and only where it is used (for class
/// members of deduced type, compilers would compute all of them).
template <const auto& Model> inline constexpr std::size_t size_of_model = Model.nodes.size();
template <const auto& Model>
inline constexpr std::array<int, size_of_model<Model>> uses_of = array_of<int, size_of_model<Model>>(uses(Model));
template <const auto& Model>
inline constexpr std::array<std::int64_t, size_of_model<Model>> live_of =
    array_of<std::int64_t, size_of_model<Model>>(live_bytes(Model));
template <const auto& Model>
inline constexpr std::array<int, size_of_model<Model>> branches_of =
    array_of<int, size_of_model<Model>>(reconverging_branches(Model));
template <const auto& Model>
inline constexpr std::array<spread, size_of_model<Model>> spreads_of =
    array_of<spread, size_of_model<Model>>(spreads(Model, model_ranges<Model>::value));

template <const auto& Model>
inline constexpr std::array<char, size_of_model<Model>> constant_of =
    array_of<char, size_of_model<Model>>(known_nodes_of_model(Model));

/// Nodes per constant expression: compilers limit the steps of each expression, not the number of expressions.
inline constexpr int chunk_size = 512;
template <const auto& Model>
inline constexpr std::size_t chunks_of = (Model.nodes.size() + chunk_size - 1) / chunk_size;
template <const auto& Model, std::size_t Chunk>
inline constexpr int end_of_chunk = Chunk + 1 == chunks_of<Model> ? static_cast<int>(Model.nodes.size())
                                                                  : static_cast<int>(Chunk + 1) * chunk_size;

template <const auto& Model, std::size_t Chunk>
inline constexpr int mil_faults_in_chunk = count_mil_faults(Model, static_cast<int>(Chunk) * chunk_size,
                                                            end_of_chunk<Model, Chunk>);
/// Whether MIL text can hold all nodes of a model.
template <const auto& Model, std::size_t Chunk = 0> constexpr bool is_held_by_mil() {
    if constexpr (Chunk == chunks_of<Model>) {
        return true;
    } else if constexpr (mil_faults_in_chunk<Model, Chunk> != 0) {
        return false;
    } else {
        return is_held_by_mil<Model, Chunk + 1>();
    }
}

/// What keeps a model from being written, as constants: of netplists only where it is requested or MIL text cannot hold
/// the model. What MIL text holds is looked at in chunks, all else at once.
template <const auto& Model, bool AsksForNetplist> struct forms_of {
    static constexpr std::array<int, 2> counts = [] {
        if constexpr (AsksForNetplist || !is_held_by_mil<Model>()) {
            const form_faults all = find_form_faults(Model, AsksForNetplist);
            return std::array{all.mil_count, all.netplist_count};
        } else {
            return std::array{0, -1};
        }
    }();
    static constexpr std::size_t size = counts[0] > 0 || counts[1] > 0 ? size_of_model<Model> : 0;
    static constexpr std::size_t netplist_size = counts[1] > 0 ? size : 0;
    static constexpr std::array<form_fault, size> mil = [] {
        std::array<form_fault, size> faults{};
        if constexpr (size > 0) {
            faults = array_of<form_fault, size>(find_form_faults(Model, AsksForNetplist).mil);
        }
        return faults;
    }();
    static constexpr std::array<form_fault, netplist_size> netplist = [] {
        std::array<form_fault, netplist_size> faults{};
        if constexpr (netplist_size > 0) {
            faults = array_of<form_fault, netplist_size>(find_form_faults(Model, AsksForNetplist).netplist);
        }
        return faults;
    }();
    static constexpr written_facts value{mil, netplist, counts[0], counts[1]};
};

/// The facts that a policy's errors need: what only warnings need is computed only if such a warning is an error.
template <const auto& Model, policy P> struct facts_under {
    static constexpr graph_facts value = [] {
        graph_facts f{model_ranges<Model>::value, uses_of<Model>};
        f.constant = constant_of<Model>;
        if constexpr (P.errors.contains(rule::live_set_exceeds)) {
            f.live = live_of<Model>;
        }
        if constexpr (P.errors.contains(rule::fan_in_exceeds)) {
            f.branches = branches_of<Model>;
        }
        if constexpr (P.errors.contains(rule::products_are_near_the_quantum)) {
            f.spreads = spreads_of<Model>;
        }
        return f;
    }();
};

/// The rules that a policy makes errors.
template <policy P> inline constexpr rule_set errors_under = active_rules(P, wanted::errors);

/// Searches one chunk of a model for errors.
template <const auto& Model, auto Target, policy P, std::size_t Chunk, class Found>
constexpr void search_chunk(Found found) {
    constexpr int begin = static_cast<int>(Chunk) * chunk_size;
    constexpr int end = end_of_chunk<Model, Chunk>;
    graph_facts facts = facts_under<Model, P>::value;
    if constexpr (errors_under<P>.contains(rule::operation_is_not_written)) {
        facts.written = forms_of < Model,
        P.route == compile_route::netplist || !describe(Target).mil_supported > ::value;
    }
    search(errors_under<P>, Model, facts, describe(Target), P, begin, end, found);
}

template <const auto& Model, auto Target, policy P, std::size_t Chunk>
inline constexpr violation first_in_chunk = [] {
    violation first;
    search_chunk<Model, Target, P, Chunk>([&first](const violation& v) {
        first = v;
        return false;
    });
    return first;
}();

/// The first error; later chunks are looked at only where there is none before.
template <const auto& Model, auto Target, policy P, std::size_t Chunk = 0> constexpr violation first_from_chunk() {
    if constexpr (Chunk == chunks_of<Model>) {
        return {};
    } else if constexpr (first_in_chunk<Model, Target, P, Chunk>.broken) {
        return first_in_chunk<Model, Target, P, Chunk>;
    } else {
        return first_from_chunk<Model, Target, P, Chunk + 1>();
    }
}
template <const auto& Model, auto Target, policy P> struct first_on_target {
    static constexpr violation value = first_from_chunk<Model, Target, P>();
};

/// The targets of a set, one for each group that has equal limits.
template <target_set Set, policy P> struct representatives {
    static constexpr target_set value = distinct(Set, P);
    static constexpr std::size_t count = static_cast<std::size_t>(value.size());
    static constexpr auto list = [] {
        std::array<target, count> a{};
        std::size_t i = 0;
        for (const target t : value) {
            a[i++] = t;
        }
        return a;
    }();
};

/// The first target of a set that a model fails on. Stops there: later targets are not looked at.
template <const auto& Model, target_set Set, policy P, std::size_t I = 0> constexpr violation first_in_set() {
    using all = representatives<Set, P>;
    if constexpr (I < all::count) {
        constexpr violation first = first_on_target<Model, all::list[I], P>::value;
        if constexpr (first.broken) {
            return first;
        } else {
            return first_in_set<Model, Set, P, I + 1>();
        }
    } else {
        return {};
    }
}

template <const auto& Model, auto Target, policy P> constexpr violation first_violation() {
    if constexpr (std::same_as<std::remove_cv_t<decltype(Target)>, target_set>) {
        return first_in_set<Model, Target, P>();
    } else {
        return first_on_target<Model, Target, P>::value;
    }
}

template <const auto& Model, auto Target, policy P>
inline constexpr told_violation first_told = [] {
    told_violation t{.first = first_violation<Model, Target, P>()};
    if (t.first.broken) {
        t.fact = short_text(record_of(t.first.rule).fact);
        t.file = short_text(base_name(t.first.file));
        t.nearest = find_nearest_name(Model, t.first.node);
    }
    return t;
}();

/// Whether the value of a model may stand in constant expressions.
template <const auto& Model>
concept is_constant = requires {
    typename std::bool_constant<(graph_view(Model).size() == 0 || graph_view(Model)[0].where.line >= 0)>;
};

/// What `graph` refused was reported where it is defined: no rule adds to it.
template <const auto& Model, auto Target, policy P> constexpr auto find_verdict() {
    if constexpr (is_refused_model<decltype(Model)>) {
        return all_design_rules{};
    } else if constexpr (!is_constant<Model>) {
        return the_model_must_be_constexpr{};
    } else {
        return as_design_rule<first_told<Model, Target, P>>();
    }
}

} // namespace detail

/// `design_rule<...>` of the first rule that a model breaks as an error, or `all_design_rules`.
template <const auto& Model, auto Target, policy P = policy{}>
using verdict = typename std::type_identity<decltype(detail::find_verdict<Model, Target, P>())>::type;

template <class Verdict>
concept kept = Verdict::kept;

/// Whether a model keeps all rules of a target: a `target`, a `target_set` (all of them; the first that fails is told)
/// or the address of a `target_description`. The policy says which findings are errors.
///
///     static_assert(ane::conforms<model, ane::macs, ane::as_error(ane::rule::working_set_exceeds)>);
template <const auto& Model, auto Target, policy P = policy{}>
concept conforms = kept<verdict<Model, Target, P>>;

} // namespace ane
