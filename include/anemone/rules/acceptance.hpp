#pragma once

#include "conforms.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// Which target is the first to accept a model, and what blocks the others.
namespace ane {

/// The order by age: by generation (M11 counts as A15; the reference profiles, which are not silicon, come last), then
/// by cores, then in the order of `target`.
constexpr bool is_older(const target_description& a, const target_description& b) noexcept {
    const auto rank = [](family f) { return f == family::reference ? 99 : detail::generation_rank(f); };
    if (rank(a.tier) != rank(b.tier)) {
        return rank(a.tier) < rank(b.tier);
    }
    return a.cores != b.cores ? a.cores < b.cores : a.id < b.id;
}

namespace detail {

/// Targets in some order, without memory of their own.
struct target_list {
    std::array<target, target_count> members{};
    std::size_t count = 0;

    constexpr const target* begin() const { return members.data(); }
    constexpr const target* end() const { return members.data() + count; }
};

/// The members of a set, the oldest first; of those with equal figures under a policy only the oldest.
constexpr target_list by_age(const target_set& set, const policy& p) {
    target_list all;
    for (const target t : set) {
        std::size_t at = all.count++;
        for (; at > 0 && is_older(describe(t), describe(all.members[at - 1])); --at) {
            all.members[at] = all.members[at - 1];
        }
        all.members[at] = t;
    }
    target_list kept;
    for (const target t : all) {
        bool known = false;
        for (const target k : kept) {
            known = known || figures_for_rules(describe(k), p) == figures_for_rules(describe(t), p);
        }
        if (!known) {
            kept.members[kept.count++] = t;
        }
    }
    return kept;
}

constexpr std::optional<target> first_keeping(const graph_view& g, const graph_facts& facts, const target_list& among,
                                              const policy& p, int first, int last) {
    for (const target t : among) {
        if (keeps_rules(g, facts, describe(t), p, first, last)) {
            return t;
        }
    }
    return std::nullopt;
}

} // namespace detail

/// The oldest target of a set that accepts a graph; none where no target of the set does.
constexpr std::optional<target> first_target_of(const graph_view& g, const target_set& among = macs,
                                                const policy& p = {}) {
    const detail::computed_facts facts(g, p, true);
    return detail::first_keeping(g, facts.view(), detail::by_age(among, p), p, 0, g.size());
}

/// The violations that keep a target from accepting a graph, in the order of its nodes.
constexpr std::vector<violation> blockers_of(const graph_view& g, const target_description& t, const policy& p = {}) {
    std::vector<violation> errors;
    for (const violation& v : violations(g, t, p)) {
        if (v.is_error) {
            errors.push_back(v);
        }
    }
    return errors;
}
constexpr std::vector<violation> blockers_of(const graph_view& g, target t, const policy& p = {}) {
    return blockers_of(g, describe(t), p);
}

/// Finds the oldest target of a set that accepts one node of a graph, for reports on many nodes: what does not depend
/// on the node is computed once. The graph and its memory must outlive it.
class node_acceptance {
public:
    explicit node_acceptance(const graph_view& g, const target_set& among = macs, const policy& p = {})
        : graph_(g), policy_(p), among_(detail::by_age(among, p)), facts_(g, p, true) {}

    std::optional<target> first_for(int index) const {
        return detail::first_keeping(graph_, facts_.view(), among_, policy_, index, index + 1);
    }

private:
    graph_view graph_;
    policy policy_;
    detail::target_list among_;
    detail::computed_facts facts_;
};

namespace detail {

template <const auto& Model, target_set Set, policy P, std::size_t I = 0>
constexpr std::optional<target> first_accepting() {
    constexpr target_list among = by_age(Set, P);
    if constexpr (I < among.count) {
        constexpr target candidate = among.members[I];
        if constexpr (first_on_target<Model, candidate, P>::value.broken) {
            return first_accepting<Model, Set, P, I + 1>();
        } else {
            return candidate;
        }
    } else {
        return std::nullopt;
    }
}

/// The errors in one chunk of nodes, counted and then listed: a constant each.
template <const auto& Model, auto Target, policy P, std::size_t Chunk> struct errors_in_chunk {
    static constexpr std::size_t count = [] {
        std::size_t n = 0;
        search_chunk<Model, Target, P, Chunk>([&n](const violation&) { return ++n > 0; });
        return n;
    }();
    static constexpr std::array<violation, count> value = [] {
        std::array<violation, count> all{};
        if constexpr (count > 0) {
            std::size_t n = 0;
            search_chunk<Model, Target, P, Chunk>([&](const violation& v) {
                all[n++] = v;
                return true;
            });
        }
        return all;
    }();
};

template <const auto& Model, auto Target, policy P, std::size_t... Chunk>
constexpr auto joined_chunks(std::index_sequence<Chunk...>) {
    std::array<violation, (errors_in_chunk<Model, Target, P, Chunk>::count + ... + 0)> all{};
    std::size_t n = 0;
    const auto append = [&](const auto& chunk) {
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            all[n++] = chunk[i];
        }
    };
    (append(errors_in_chunk<Model, Target, P, Chunk>::value), ...);
    return all;
}

} // namespace detail

/// `first_target_of` a constexpr model as a constant: `static_assert(first_target<model> == ane::h16)`.
template <const auto& Model, target_set Among = macs, policy P = policy{}>
inline constexpr std::optional<target> first_target = detail::first_accepting<Model, Among, P>();

/// `blockers_of` a constexpr model as a constant array: `static_assert(blockers<model, ane::h16>.empty())`.
template <const auto& Model, auto Target, policy P = policy{}>
inline constexpr auto blockers =
    detail::joined_chunks<Model, Target, P>(std::make_index_sequence<detail::chunks_of<Model>>{});

} // namespace ane
