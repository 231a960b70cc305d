#pragma once

#include "acceptance.hpp"
#include "divergence_search.hpp"

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

/// Where a model can give different results on two targets, and why.
namespace ane {

/// Every way in which the nodes of a model can differ between two machines, in the order of the lowered graph. Derived
/// from the parameters of the two arithmetics, the capabilities and limits of the two devices and the ranges of the
/// values: an empty list says that the model computes the same bits on both, as far as the arithmetic is known, for
/// inputs that are numbers (what a product reads a NaN as differs too: datapath::mac_nan). Throws `error`
/// (errc::lowering) for a model that cannot be lowered.
constexpr std::vector<divergent_node> divergences_of(const graph_view& g, const machine& a, const machine& b) {
    const lowered_graph lowered = lower(g);
    const graph_view l = lowered.view();
    const std::vector<interval> known = ranges(l);
    const sequence<fusion> stages = fuse(l);
    const sequence<char> constant = constant_nodes(l);
    const std::vector<violation> on_a = blockers_of(g, a.device);
    const std::vector<violation> on_b = blockers_of(g, b.device);
    return detail::divergence_search(g, {l, lowered.origins, known, stages, constant}, a, b).run(on_a, on_b);
}
constexpr std::vector<divergent_node> divergences_of(const graph_view& g, const target_description& a,
                                                     const target_description& b) {
    return divergences_of(g, machine_of(a), machine_of(b));
}
constexpr std::vector<divergent_node> divergences_of(const graph_view& g, target a, target b) {
    return divergences_of(g, describe(a), describe(b));
}

namespace detail {

template <std::size_t Size, class Range> constexpr auto as_array(const Range& from) {
    std::array<std::remove_cvref_t<decltype(from[0])>, Size> all{};
    const auto* const source = from.data();
    for (std::size_t i = 0; i < Size; ++i) {
        all[i] = source[i];
    }
    return all;
}

/// The lowered form of a constexpr model, one constant for each pass: compilers bound the steps of each.
template <const auto& Model> struct lowered_constants {
    static constexpr graph_size size = size_of(lower(Model).graph);
    struct stored {
        static_graph<size> graph;
        std::array<int, size.nodes> origins;
    };
    static constexpr stored lowered = [] {
        const lowered_graph l = lower(Model);
        return stored{static_graph<size>(l.graph), as_array<size.nodes>(l.origins)};
    }();
    static constexpr std::array<interval, size.nodes> known = as_array<size.nodes>(ranges(lowered.graph));
    static constexpr std::array<fusion, size.nodes> stages = as_array<size.nodes>(fuse(lowered.graph));
    static constexpr std::array<char, size.nodes> constant = as_array<size.nodes>(constant_nodes(lowered.graph));
    static constexpr lowered_facts facts{lowered.graph, lowered.origins, known, stages, constant};
};

template <const auto& Model, auto A, auto B> struct divergences_between {
    static constexpr machine a = machine_of(describe(A));
    static constexpr machine b = machine_of(describe(B));
    static constexpr std::vector<divergent_node> find() {
        return divergence_search(Model, lowered_constants<Model>::facts, a, b)
            .run(blockers<Model, A>, blockers<Model, B>);
    }
    static constexpr std::size_t count = find().size();
    static constexpr std::array<divergent_node, count> value = as_array<count>(find());
};

} // namespace detail

/// `divergences_of` a constexpr model between two targets as a constant array:
/// `static_assert(diverges<model, ane::h16, ane::h17s>.empty())`.
template <const auto& Model, auto A, auto B>
inline constexpr auto diverges = detail::divergences_between<Model, A, B>::value;

} // namespace ane
