#pragma once

#include "../gradient/port_names.hpp"
#include "../graph/uses.hpp"
#include "training_options.hpp"
#include "update_nodes.hpp"

/// The states of a step: trained weights, and beside each its moments, written with what an optimizer makes of them.
namespace ane {

/// A state of a training step: an input of its graph, which the program keeps.
struct training_state {
    int input =
        -1; ///< a node of the step's graph; its name is the port's, and people call it by the weight's and the role's
    int weight = -1; ///< a node of the model
    state_role role{};
    /// Whether it is in units of the gradient times the loss scale: who changes the scale multiplies it by new / old.
    bool is_scaled = false;
};

namespace detail::training {

/// A weight that is a state.
struct weight_state {
    int input = -1;          ///< the node that is its value before the step
    int value = -1;          ///< its value when it is updated
    int weight = -1;         ///< what the description calls it
    std::string_view called; ///< its name, of a text that is not the graph's, which grows
};

class state_updates {
public:
    /// `finite` is a value [1]: where it is 0, nothing changes; -1 for none.
    constexpr state_updates(gradients::tape& t, port_names& names, const optimizer& by, const step_scalars& scalars,
                            bool pairs, int finite)
        : t_(t), names_(names), by_(by), scalars_(scalars), pairs_(pairs), finite_(finite),
          given_(node_ports(t.made())) {}

    /// Makes the moments of a weight by its gradient with its decay, and writes all of them. A promise of the weight bounds what is written.
    constexpr void update(const weight_state& w, int gradient, sequence<training_state>& states) {
        states.push_back({w.input, w.weight, state_role::weight});
        weight_nodes before{.weight = w.value};
        if (pairs_) {
            before.low = beside(w, state_role::low, false, states);
        }
        if (by_.kind != optimizer_kind::sgd) {
            before.mean = beside(w, state_role::mean, true, states);
        }
        if (by_.corrects()) {
            before.root = beside(w, state_role::root, true, states);
            if (by_.keeps_low_root() || pairs_) {
                before.root_low = beside(w, state_role::root_low, true, states);
            }
        }
        weight_nodes after = append_update(t_, before, gradient, by_, scalars_);
        const contract promise = t_.at(w.input).get<contract>();
        if (promise.declared) {
            after.weight = t_.clamp(after.weight, promise.low, promise.high);
        }
        keep(w.input, before.weight, after.weight);
        keep(before.low, before.low, after.low);
        keep(before.mean, before.mean, after.mean);
        keep(before.root, before.root, after.root);
        keep(before.root_low, before.root_low, after.root_low);
    }

private:
    constexpr dynamic_graph& graph() { return t_.made(); }

    /// A state beside a weight, of its shape.
    constexpr int beside(const weight_state& w, state_role role, bool is_scaled, sequence<training_state>& states) {
        sequence<char> name;
        name.append(w.called);
        name.append(suffix(role));
        const sequence<char> port = names_.fresh(text_of(name));
        node n;
        n.kind = op::input;
        n.shape = t_.shape(w.input);
        n.attributes = contract{};
        n.where = t_.at(w.input).where;
        const int made = graph().append_named(n, text_of(port), dynamic_graph::hash_of(text_of(port)));
        if (text_of(port) != text_of(name)) {
            graph().call(text_of(port), text_of(name));
        }
        states.push_back({made, w.weight, role, is_scaled});
        return made;
    }

    constexpr void keep(int input, int before, int after) {
        if (input < 0) {
            return;
        }
        if (finite_ >= 0) {
            after = t_.where(op::greater, finite_, t_.number(0), after, before);
        }
        const auto at = static_cast<std::size_t>(input);
        const int port = at < given_.size() ? given_[at].next : -1;
        if (port >= 0) {
            graph().outputs[static_cast<std::size_t>(port)].node = after;
            return;
        }
        sequence<char> name;
        name.append(graph().view().name(input));
        name.append(std::string_view("_out"));
        graph().add_named_output(after, text_of(name), dynamic_graph::hash_of(text_of(name)), input);
    }

    gradients::tape& t_;
    port_names& names_;
    optimizer by_;
    step_scalars scalars_;
    bool pairs_;
    int finite_;
    sequence<node_port> given_; ///< of the graph before: each state is updated once
};

} // namespace detail::training

} // namespace ane
