#pragma once

#include "../ops/state.hpp"
#include "gradient_checks.hpp"
#include "loss.hpp"
#include "state_updates.hpp"

/// Optimizers of typed models.
namespace ane {

/// What a step takes beside the loss: inputs of the host, and limits.
struct step_inputs {
    tensor<shape<1>> rate;         ///< the learning rate
    tensor<shape<1>> correction{}; ///< for adam and adamw: optimizer::correction of the number of the step
    clipping clip{};               ///< limits of the gradients
    bool pairs = false;            ///< weights as two fp16, of which the low one keeps what rounding takes
};

/// Updates states, which are the weights of a model, by the gradient of its loss. The optimizer's moments are states too:
/// `w.momentum` and `w.root` of a state `w`, as ports `w_momentum` and `w_root`. Where a state promises a range, what is
/// written is clipped to it.
///
///     auto rate = g.input("rate"_s, f16<1>, within(0, 1));
///     auto w = g.state("w"_s, f16<1, 2>, within(-8, 8));
///     auto loss = mean_squared(linear(x, read(w)), wanted);
///     update(momentum{}, loss, {.rate = rate}, w);
template <class P, class... Shapes>
    requires(sizeof...(Shapes) > 0)
constexpr void update(const optimizer& by, const loss_value<P>& loss, const step_inputs& given,
                      const state<Shapes>&... weights) {
    namespace training = detail::training;
    training::require_possible(by);
    training::require_possible(given.clip);
    dynamic_graph& g = *loss.value.graph.operator->();
    constexpr std::size_t count = sizeof...(Shapes);
    const int ports[count] = {weights.port...};
    sequence<int> values;
    for (const int port : ports) {
        values.push_back(g.outputs[static_cast<std::size_t>(port)].node);
    }
    sequence<int> gradients(count, -1);
    append_gradient(g, loss.prediction.node, {values.data(), count}, {gradients.data(), count}, loss.slope.node);
    detail::gradients::tape t(g, 0);
    const training::scale_factor scale{.fixed = loss.scale};
    training::clip(t, gradients, given.clip, scale);
    if (by.corrects() && given.correction.node < 0) {
        detail::refuse_graph(name(by.kind), "needs the input `correction` beside the rate");
    }
    detail::port_names names(g);
    training::state_updates updates(t, names, by,
                                    {.rate = given.rate.node, .correction = given.correction.node, .loss_scale = scale},
                                    given.pairs, -1);
    sequence<training_state> states;
    for (std::size_t k = 0; k < count; ++k) {
        const int input = g.outputs[static_cast<std::size_t>(ports[k])].state;
        t.visit(input);
        sequence<char> name;
        name.append(g.view().name(input));
        const int decayed = training::with_decay(t, gradients[k], values[k], by, scale);
        updates.update({input, values[k], input, detail::text_of(name)}, decayed, states);
        g.outputs[static_cast<std::size_t>(ports[k])].unread = true;
    }
}

} // namespace ane
