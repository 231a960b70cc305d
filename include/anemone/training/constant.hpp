#pragma once

#include "training_step.hpp"

/// Training steps that are constants.
namespace ane {

namespace detail::training {
template <const auto& Model, const auto& Options> struct constant_step {
    static constexpr graph_size size = size_of(step_maker(Model, Options).training().graph);
    static constexpr static_graph<size> value{step_maker(Model, Options).training().graph};
};
} // namespace detail::training

/// The graph of a training step of a constexpr model, with constexpr options; a model as any other: `conforms`, `compile`, the
/// emitters take it. For models of some dozens of nodes: compilers bound the steps of a constant.
///
///     constexpr training_options how{.by = momentum{}, .weight_limit = 4, .unfolds = true};
///     static_assert(ane::conforms<ane::training_graph<model, how>, ane::macs>);
template <const auto& Model, const auto& Options>
inline constexpr const auto& training_graph = detail::training::constant_step<Model, Options>::value;

} // namespace ane
