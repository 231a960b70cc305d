#pragma once

#include "evaluate.hpp"
#include "profile.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

/// `static_assert(ane::conforms<model, ane::h13>)`: the rules of a target as a concept over a constexpr model.
namespace ane {

/// The first rule that a model breaks, as a type that compilers print: the operation, the rule, the target, the source
/// line, the node, the value and the limit.
template <op Operation, rule Rule, target Target, int Line, int Node, std::int64_t Got, std::int64_t Limit>
struct design_rule {
    static constexpr bool kept = false;
};
struct all_design_rules {
    static constexpr bool kept = true;
};

namespace detail {

/// Facts of a model that do not depend on the target, computed once.
template <const auto& Model> struct facts_of {
    static constexpr std::size_t count = Model.nodes.size();
    static constexpr auto known = [] {
        std::array<interval, count> a{};
        const std::vector<interval> all = ranges(Model);
        for (std::size_t i = 0; i < count; ++i) {
            a[i] = all[i];
        }
        return a;
    }();
    static constexpr auto read = [] {
        std::array<int, count> a{};
        const std::vector<int> all = uses(Model);
        for (std::size_t i = 0; i < count; ++i) {
            a[i] = all[i];
        }
        return a;
    }();
    static constexpr graph_facts value{known, read};
};

constexpr violation earlier(const violation& a, const violation& b) {
    return !a.broken || (b.broken && b.node < a.node) ? b : a;
}

/// Nodes of one constant expression: compilers bound the steps of each, not their number.
inline constexpr int chunk_size = 1024;

template <const auto& Model, auto Target, policy P, std::size_t Family, std::size_t Chunk> struct first_in_chunk {
    static constexpr violation value = [] {
        violation first;
        constexpr int begin = static_cast<int>(Chunk) * chunk_size;
        constexpr int size = static_cast<int>(Model.nodes.size());
        constexpr int end = begin + chunk_size < size ? begin + chunk_size : size;
        constexpr const rule_family& family = rule_families[Family];
        search(family, active_rules(family, P, wanted::errors), Model, facts_of<Model>::value, describe(Target), P,
               begin, end, [&first](const violation& v) {
                   first = v;
                   return false;
               });
        return first;
    }();
};

template <const auto& Model, auto Target, policy P> struct first_on_target {
    static constexpr std::size_t families = rule_families.size();
    static constexpr std::size_t chunks = (Model.nodes.size() + chunk_size - 1) / chunk_size;

    template <std::size_t... I> static constexpr violation reduce(std::index_sequence<I...>) {
        const violation all[] = {first_in_chunk<Model, Target, P, I % families, I / families>::value...};
        violation first;
        for (const violation& v : all) {
            first = earlier(first, v);
        }
        return first;
    }
    static constexpr violation value = reduce(std::make_index_sequence<families * chunks>{});
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

template <const auto& Model, auto Target, policy P> struct verdict_of {
    static constexpr violation first = first_violation<Model, Target, P>();
    using type = std::conditional_t<
        first.broken,
        design_rule<first.operation, first.rule, first.target, first.line, first.node, first.got, first.limit>,
        all_design_rules>;
};

} // namespace detail

/// `design_rule<...>` of the first rule that a model breaks as an error, or `all_design_rules`.
template <const auto& Model, auto Target, policy P = policy{}>
using verdict = typename detail::verdict_of<Model, Target, P>::type;

template <class Verdict>
concept kept = Verdict::kept;

/// Whether a model keeps all rules of a target: a `target`, a `target_set` (all of them; the first that fails is told)
/// or the address of a `target_description`. The policy says which findings are errors.
///
///     static_assert(ane::conforms<model, ane::macs, ane::as_error(ane::rule::working_set_exceeds)>);
template <const auto& Model, auto Target, policy P = policy{}>
concept conforms = kept<verdict<Model, Target, P>>;

} // namespace ane
