#pragma once

#include "../gradient/derivatives.hpp"
#include "../gradient/port_names.hpp"
#include "loss_nodes.hpp"
#include "training_options.hpp"

/// Which weights of a model a step trains, and why not the others.
namespace ane {

/// A weight of a model that stays as it is.
struct frozen_weight {
    int weight = -1; ///< a node of the model
    frozen_because why{};
};

namespace detail::training {

/// The output that is trained, as a position.
constexpr int prediction_of(const graph_view& g, std::string_view wanted) {
    int only = -1;
    int outputs = 0;
    for (std::size_t k = 0; k < g.outputs.size(); ++k) {
        if (!g.outputs[k].is_state()) {
            only = static_cast<int>(k);
            ++outputs;
        }
    }
    if (wanted.empty()) {
        if (outputs != 1) {
            refuse_graph("training", "the model has several outputs: name the one that is to be trained", outputs, 1);
        }
    } else {
        only = g.find_output(g.port_called(wanted));
        if (only < 0 || g.outputs[static_cast<std::size_t>(only)].is_state()) {
            refuse_graph(wanted, "the model has no output of this name, which was to be trained");
        }
    }
    if (g[g.outputs[static_cast<std::size_t>(only)].node].type != dtype::f16) {
        refuse_graph(g.name(g.outputs[static_cast<std::size_t>(only)]), "only an fp16 value has a gradient");
    }
    return only;
}

/// What a loss of logits is taken of: a softmax or a sigmoid at the end of a model is what the loss contains itself, so that its
/// operand has the logits.
constexpr int logits_of(const graph_view& g, int prediction, const loss_options& o) {
    const node& n = g[prediction];
    const bool shares = o.kind == loss_kind::cross_entropy && n.kind == op::softmax &&
                        normalized_axis(n.get<axis>().index, n.shape.rank) == class_axis(o, n.shape);
    const bool one = o.kind == loss_kind::binary_cross_entropy && n.kind == op::sigmoid;
    return shares || one ? g.operands(n)[0] : prediction;
}

/// For each node whether the derivative of the prediction comes by it.
constexpr sequence<char> on_the_way(const graph_view& g, int prediction) {
    sequence<char> reached(g.nodes.size(), 0);
    reached[static_cast<std::size_t>(prediction)] = 1;
    for (int i = prediction; i >= 0; --i) {
        const node& n = g[i];
        if (reached[static_cast<std::size_t>(i)] == 0 || n.type != dtype::f16 || gradients::is_flat(n.kind)) {
            continue;
        }
        for (const int operand : g.operands(i)) {
            reached[static_cast<std::size_t>(operand)] = 1;
        }
    }
    return reached;
}

/// Whether what reads a weight keeps it from training: its stored form, or a norm whose statistic it is.
constexpr sequence<char> statistics_and_stored_forms(const graph_view& g) {
    sequence<char> found(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const auto operands = g.operands(i);
        if (g[i].kind == op::compressed) {
            found[static_cast<std::size_t>(operands[0])] = 1;
        } else if (g[i].kind == op::batch_norm) {
            found[static_cast<std::size_t>(operands[1])] = 2;
            found[static_cast<std::size_t>(operands[2])] = 2;
        }
    }
    return found;
}

/// The weights of a model, parted.
struct parted_weights {
    sequence<int> trained; ///< nodes of the model
    sequence<frozen_weight> frozen;
};
/// Throws `error` (errc::graph) for patterns that no weight fits, and where nothing is left to train.
constexpr parted_weights part_weights(const graph_view& g, int prediction, const training_options& o) {
    for (const std::span<const std::string_view> patterns : {o.trained, o.frozen}) {
        for (const std::string_view pattern : patterns) {
            bool used = false;
            for (int i = 0; i < g.size(); ++i) {
                used = used || (g[i].kind == op::weight && fits(g.name(i), pattern));
            }
            if (!used) {
                refuse_graph(pattern, "no weight of the model has such a name");
            }
        }
    }
    const sequence<char> reached = on_the_way(g, prediction);
    const sequence<char> kept = statistics_and_stored_forms(g);
    parted_weights all;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind != op::weight) {
            continue;
        }
        const auto at = static_cast<std::size_t>(i);
        const bool asked = (!o.trained.empty() && !fits_any(g.name(i), o.trained)) || fits_any(g.name(i), o.frozen);
        if (asked) {
            all.frozen.push_back({i, frozen_because::it_was_asked_for});
        } else if (kept[at] != 0) {
            all.frozen.push_back({i, kept[at] == 1 ? frozen_because::it_is_stored_compressed
                                                   : frozen_because::it_is_a_running_statistic});
        } else if (reached[at] == 0) {
            all.frozen.push_back({i, frozen_because::the_prediction_does_not_depend_on_it});
        } else {
            all.trained.push_back(i);
        }
    }
    if (all.trained.empty()) {
        refuse_graph("training", "no weight of the model is left to train");
    }
    return all;
}

} // namespace detail::training

} // namespace ane
