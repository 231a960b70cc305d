#pragma once

#include "../gradient/gradient.hpp"
#include "../graph/copy.hpp"
#include "../passes/prune.hpp"
#include "../passes/validate.hpp"
#include "gradient_checks.hpp"
#include "state_updates.hpp"
#include "trained_weights.hpp"

/// A step of training as one program: forward pass, backward pass and update, from any model (guide chapter 15).
namespace ane {

/// A model with its training: what goes in with each step, what comes out, and what stays. Before the first step the states
/// of the role `weight` get the values of the model's weights, all others zeros.
struct training_step {
    dynamic_graph graph;
    sequence<training_state> states; ///< weight by weight, in the order of the model
    sequence<frozen_weight> frozen;  ///< those that stay weights of the graph, or are not in it

    // Inputs of the host, as nodes of the graph, beside those of the model; -1 for one that the step has not.
    int wanted = -1;        ///< what the prediction should be
    int mask = -1;          ///< 1 for the samples that count, else 0
    int rate = -1;          ///< [1]: the learning rate
    int correction = -1;    ///< [1]: optimizer::correction of the number of the step
    int loss_scale = -1;    ///< [1]
    int inverse_scale = -1; ///< [1]: 1 / loss_scale

    // Outputs, as positions; -1 for one that the step has not.
    int loss = -1;       ///< [1]: of this batch, before the update
    int finite = -1;     ///< [1]: 1 where all gradients were, else 0, and no state has changed
    int prediction = -1; ///< of this batch, before the update

    /// The name of a port.
    constexpr std::string_view input_name(int node) const { return graph.view().name(node); }
    constexpr std::string_view output_name(int position) const {
        return graph.view().name(graph.outputs[static_cast<std::size_t>(position)]);
    }
};

namespace detail::training {

/// The model with its training under construction: node numbers are those of the model, further ones behind them.
class step_maker {
public:
    constexpr step_maker(const graph_view& model, const training_options& options)
        : model_(model), options_(options), port_(prediction_of(model, options.prediction)) {
        require_possible(options.loss);
        require_possible(options.by);
        require_possible(options.clip);
        require_scale();
        if (!(options.weight_limit >= 0 && options.weight_limit <= 65504)) {
            refuse_graph("weight_limit", "must lie between 0, for none, and 65504");
        }
        prediction_ = model.outputs[static_cast<std::size_t>(port_)].node;
        parted_weights parts = part_weights(model, prediction_, options);
        trained_ = parts.trained;
        step_.frozen = parts.frozen;
        step_.graph = copy_of(model);
        graph().outputs = {};
        for (const output_port& port : model.outputs) {
            if (port.is_state()) {
                graph().outputs.push_back(port); // the model's own
            }
        }
    }

    constexpr training_step training() {
        states_are_weights(true);
        gradients::tape t(graph(), 0);
        t.visit(prediction_);
        const loss_nodes loss = append_loss_with_ports(t, true);
        sequence<int> g(trained_.size(), -1);
        append_gradient(graph(), prediction_, {trained_.data(), trained_.size()}, {g.data(), g.size()}, loss.slope);
        const int finite = options_.scale.skips ? all_within(t, g, largest_gradient(options_.by)) : -1;
        clip(t, g, options_.clip, scale_);
        step_scalars by{.loss_scale = scale_, .inverse_scale = step_.inverse_scale};
        by.rate = step_.rate = host_input("rate", {1}, within(0, 65504));
        if (options_.by.corrects()) {
            by.correction = step_.correction = host_input("correction", {1}, within(0, 65504));
        }
        if (finite >= 0) {
            step_.finite = output("finite", finite);
        }
        state_updates updates(t, options_.by, by, options_.pairs, finite);
        for (std::size_t k = 0; k < trained_.size(); ++k) {
            const int weight = trained_[k];
            t.visit(weight);
            updates.update({weight, weight, weight, model_.name(weight)}, g[k], step_.states);
        }
        return finished();
    }

    /// The weights are inputs of the host, under the names of the states of a training step.
    constexpr training_step validation() {
        states_are_weights(false);
        gradients::tape t(graph(), 0);
        t.visit(prediction_);
        append_loss_with_ports(t, false);
        for (const int weight : trained_) {
            step_.states.push_back({weight, weight, state_role::weight});
        }
        return finished();
    }

private:
    constexpr dynamic_graph& graph() { return step_.graph; }

    constexpr void require_scale() const {
        const loss_scaling& s = options_.scale;
        if (!s.by_host && !(s.fixed >= 0x1p-14 && s.fixed <= 65536)) {
            refuse_graph("loss scale", "must lie between 2^-14 and 65536");
        }
    }

    /// Turns the trained weights into inputs.
    constexpr void states_are_weights(bool kept) {
        for (const int weight : trained_) {
            const sequence<char> port = free_port_name(graph(), model_.name(weight));
            node& n = graph().nodes[static_cast<std::size_t>(weight)];
            n.kind = op::input;
            n.attributes = kept && options_.weight_limit > 0 ? bounded(options_.weight_limit) : contract{};
            n.name = graph().intern(text_of(port));
            call_as(text_of(port), model_.name(weight));
        }
    }
    constexpr void call_as(std::string_view port, std::string_view called) {
        if (port != called) {
            graph().call(port, called);
        }
    }

    constexpr int input(std::string_view port, const extents& shape, const contract& promise) {
        node n;
        n.kind = op::input;
        n.shape = shape;
        n.attributes = promise;
        n.name = graph().intern(port);
        return graph().append(n, {});
    }
    /// An input of the host: where the model has a port of its name, with a number behind it.
    constexpr int host_input(std::string_view name, const extents& shape, const contract& promise) {
        const sequence<char> port = free_port_name(graph(), name);
        return input(text_of(port), shape, promise);
    }
    constexpr int output(std::string_view name, int node) {
        const sequence<char> port = free_port_name(graph(), name);
        graph().add_output(node, text_of(port));
        return static_cast<int>(graph().outputs.size()) - 1;
    }

    constexpr loss_nodes append_loss_with_ports(gradients::tape& t, bool trains) {
        const loss_options& o = options_.loss;
        const extents shape = t.shape(prediction_);
        contract promise{};
        if (o.kind == loss_kind::cross_entropy || o.kind == loss_kind::binary_cross_entropy) {
            promise = within(0, 1);
        }
        if (o.labels) {
            promise = within(0, static_cast<double>(shape[class_axis(o, shape)] - 1));
        }
        step_.wanted = host_input("wanted", wanted_shape(o, shape), promise);
        if (o.masked) {
            step_.mask = host_input("mask", sample_shape(o, shape), within(0, 1));
        }
        if (trains && options_.scale.by_host) {
            step_.loss_scale = host_input("loss_scale", {1}, within(0x1p-14, 32768));
            scale_.node = step_.loss_scale;
            if (!options_.by.is_scale_free()) {
                step_.inverse_scale = host_input("inverse_scale", {1}, within(0x1p-15, 0x1p14));
            }
        } else if (trains) {
            scale_.fixed = options_.scale.fixed;
        }
        const loss_nodes loss = append_loss(t, prediction_, step_.wanted, step_.mask, o, scale_);
        step_.loss = output("loss", loss.value);
        if (options_.predicts || !trains) {
            step_.prediction = output("prediction", prediction_);
        }
        return loss;
    }

    /// Pruned: inputs stand in front, in their order.
    constexpr training_step finished() {
        sequence<int> place(graph().nodes.size(), -1);
        int next = 0;
        for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
            if (graph().nodes[i].kind == op::input) {
                place[i] = next++;
            }
        }
        for (training_state& s : step_.states) {
            s.input = place[static_cast<std::size_t>(s.input)];
        }
        for (int* each :
             {&step_.wanted, &step_.mask, &step_.rate, &step_.correction, &step_.loss_scale, &step_.inverse_scale}) {
            *each = *each < 0 ? -1 : place[static_cast<std::size_t>(*each)];
        }
        step_.graph = prune(graph());
        validate(step_.graph);
        return step_;
    }

    graph_view model_;
    training_options options_;
    int port_ = -1;
    int prediction_ = -1;
    sequence<int> trained_;
    scale_factor scale_;
    training_step step_;
};

} // namespace detail::training

/// A step of training of any model: a graph whose trained weights and moments are states, with inputs `wanted`, `rate` and
/// what else the options ask for, and the output `loss`. The description says what they are called.
///
/// Throws `error` (errc::graph) for impossible options, names that the model lacks, a prediction that depends on no weight,
/// and whatever `append_gradient` refuses.
constexpr training_step make_training_step(const graph_view& model, const training_options& options) {
    return detail::training::step_maker(model, options).training();
}

/// The same loss and the prediction, without an update: the trained weights are inputs, under the names of the states.
constexpr training_step make_validation_step(const graph_view& model, const training_options& options) {
    return detail::training::step_maker(model, options).validation();
}

} // namespace ane
