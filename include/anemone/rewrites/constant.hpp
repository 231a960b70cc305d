#pragma once

#include "../graph/graph.hpp"
#include "optimize.hpp"

/// Rewrites of models that are constants.
namespace ane {

namespace detail {
template <const auto& Model, auto Target, optimize_options Options> struct optimized_constant {
    static constexpr graph_size size = size_of(optimize(Model, describe(Target), Options).graph);
    static constexpr static_graph<size> value{optimize(Model, describe(Target), Options).graph};
};
} // namespace detail

/// A constexpr model as the rewrites make it fastest for a target; a model as any other: `conforms`, `compile`, the
/// emitters take it. For models of some dozens of nodes: compilers bound the steps of a constant.
///
///     inline constexpr auto& fast = ane::optimized_model<model, ane::h17s>;
///     static_assert(ane::within_budget<fast, ane::h17s, ane::microseconds{400}>);
template <const auto& Model, auto Target, optimize_options Options = optimize_options{}>
inline constexpr const auto& optimized_model = detail::optimized_constant<Model, Target, Options>::value;

} // namespace ane
