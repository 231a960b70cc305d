#pragma once

#include "../gradient/gradient.hpp"
#include "../graph/copy.hpp"
#include "../passes/prune.hpp"
#include "../passes/validate.hpp"
#include "gradient_checks.hpp"
#include "state_updates.hpp"
#include "trained_weights.hpp"
#include "turned_slices.hpp"
#include "unfold.hpp"

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
    int rate = -1;          ///< [1]: the learning rate, 64 at most
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

/// The model with its training under construction.
class step_maker {
public:
    constexpr step_maker(const graph_view& model, const training_options& options)
        : model_(model), options_(options), names_(without_outputs(model)),
          port_(prediction_of(model, options.prediction)) {
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
        for (int i = 0; i < model.size(); ++i) {
            place_.push_back(i);
        }
        if (options.unfolds) {
            unfolded_model other = unfold_convolutions(model, {trained_.data(), trained_.size()});
            step_.graph = other.graph;
            place_ = other.renamed;
        } else {
            step_.graph = copy_of(model);
        }
        output_ = place_[static_cast<std::size_t>(prediction_)];
        prediction_ = logits_of(graph(), output_, options.loss);
        sequence<output_port> kept; // the model's own states
        for (const output_port& port : graph().outputs) {
            if (port.is_state()) {
                kept.push_back(port);
                names_.take(graph().view().name(port));
            }
        }
        graph().outputs = kept;
    }

    constexpr training_step training() {
        states_are_weights(true);
        gradients::tape t(graph(), 0);
        t.visit(prediction_);
        const loss_nodes loss = append_loss_with_ports(t, true);
        sequence<int> g(trained_.size(), -1);
        sequence<int> inputs;
        for (const int weight : trained_) {
            inputs.push_back(input_of(weight));
        }
        append_gradient(graph(), prediction_, {inputs.data(), inputs.size()}, {g.data(), g.size()}, loss.slope);
        const double most = largest_gradient(options_.by);
        int finite = -1; // of what reaches the moments; limits hide what was infinite before
        if (options_.scale.skips && (options_.clip.any() || !options_.by.decays_gradient())) {
            finite = all_within(t, g, most);
        }
        clip(t, g, options_.clip, scale_);
        add_decay(t, inputs, {g.data(), g.size()});
        if (options_.scale.skips && options_.by.decays_gradient()) {
            const int decayed = all_within(t, g, most);
            finite = finite < 0 ? decayed : t.mul(finite, decayed);
        }
        step_scalars by{.loss_scale = scale_, .inverse_scale = step_.inverse_scale};
        by.rate = step_.rate = host_input("rate", {1}, within(0, 64));
        if (options_.by.corrects()) {
            by.correction = step_.correction = host_input("correction", {1}, within(0, 1 / (1 - options_.by.beta1)));
        }
        if (finite >= 0) {
            step_.finite = output("finite", finite);
        }
        state_updates updates(t, names_, options_.by, by, options_.pairs, finite);
        for (std::size_t k = 0; k < trained_.size(); ++k) {
            t.visit(inputs[k]);
            updates.update({inputs[k], inputs[k], trained_[k], model_.name(trained_[k])}, g[k], step_.states);
        }
        return finished();
    }

    /// The gradients alone, each with its decay, in the order of `trained`, behind the node of the scaled slope of the loss, which is the first of
    /// them. Neither pruned nor with outputs.
    constexpr sequence<int> scaled_gradients(dynamic_graph& made) {
        states_are_weights(false);
        gradients::tape t(graph(), 0);
        t.visit(prediction_);
        const loss_nodes loss = append_loss_with_ports(t, true);
        sequence<int> found(trained_.size() + 1, loss.slope);
        sequence<int> inputs;
        for (const int weight : trained_) {
            inputs.push_back(input_of(weight));
        }
        append_gradient(graph(), prediction_, {inputs.data(), inputs.size()}, {found.data() + 1, inputs.size()},
                        loss.slope);
        add_decay(t, inputs, {found.data() + 1, inputs.size()});
        made = graph();
        return found;
    }

    /// The weights are inputs of the host, under the names of the states of a training step.
    constexpr training_step validation() {
        states_are_weights(false);
        gradients::tape t(graph(), 0);
        t.visit(prediction_);
        append_loss_with_ports(t, false);
        for (const int weight : trained_) {
            step_.states.push_back({input_of(weight), weight, state_role::weight});
        }
        return finished();
    }

private:
    constexpr dynamic_graph& graph() { return step_.graph; }
    static constexpr graph_view without_outputs(graph_view g) {
        g.outputs = {};
        return g;
    }
    /// Where a weight of the model is in the graph.
    constexpr int input_of(int weight) const { return place_[static_cast<std::size_t>(weight)]; }

    constexpr void require_scale() const {
        const loss_scaling& s = options_.scale;
        if (!s.by_host && !(s.fixed >= 0x1p-14 && s.fixed <= 65536)) {
            refuse_graph("loss scale", "must lie between 2^-14 and 65536");
        }
    }

    /// Turns the trained weights into inputs.
    constexpr void states_are_weights(bool kept) {
        for (const int weight : trained_) {
            const sequence<char> port = names_.fresh(model_.name(weight));
            node& n = graph().nodes[static_cast<std::size_t>(input_of(weight))];
            n.kind = op::input;
            if (options_.weight_limit > 0) {
                n.attributes = bounded(options_.weight_limit);
            } else if (kept) { // what is promised of its present values does not bound those to come
                n.attributes = contract{};
            }
            n.name = graph().intern(text_of(port));
            call_as(text_of(port), model_.name(weight));
        }
    }
    constexpr void call_as(std::string_view port, std::string_view called) {
        if (port != called) {
            graph().call(port, called);
        }
    }

    constexpr void add_decay(gradients::tape& t, const sequence<int>& weights, std::span<int> g) {
        for (std::size_t k = 0; k < weights.size(); ++k) {
            t.visit(weights[k]);
            g[k] = with_decay(t, g[k], weights[k], options_.by, scale_);
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
        const sequence<char> port = names_.fresh(name);
        return input(text_of(port), shape, promise);
    }
    constexpr int output(std::string_view name, int node) {
        const sequence<char> port = names_.fresh(name);
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
            // Without a promise: that a mean over the marked samples is no larger than the largest of them follows from no
            // range, and would be refuted.
            step_.mask = host_input("mask", sample_shape(o, shape), {});
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
            step_.prediction = output("prediction", output_);
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
        if (options_.unfolds) {
            step_.graph = turn_slices(step_.graph);
        }
        return step_;
    }

    graph_view model_;
    training_options options_;
    port_names names_; ///< the model's, and those of the step
    int port_ = -1;
    int output_ = -1;
    int prediction_ = -1;   ///< the same, or the logits that it was made of
    sequence<int> trained_; ///< nodes of the model
    sequence<int> place_;   ///< where its nodes are in the graph
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
    training_step step = detail::training::step_maker(model, options).training();
    validate(step.graph);
    return step;
}

/// The same loss and the prediction, without an update: the trained weights are inputs, under the names of the states.
constexpr training_step make_validation_step(const graph_view& model, const training_options& options) {
    training_step step = detail::training::step_maker(model, options).validation();
    validate(step.graph);
    return step;
}

} // namespace ane
