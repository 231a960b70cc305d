#pragma once

#include "../gradient/gradient.hpp"
#include "loss_nodes.hpp"

#include <concepts>
#include <tuple>

/// Losses of typed models: means over all samples, of one element, with the derivative by the prediction in closed form.
///
///     auto loss = cross_entropy(logits, wanted);
///     auto [dw, db] = gradient(loss, w, b);
///     g.output("loss"_s, loss.value);
namespace ane {

/// A loss, and its derivative by the prediction, which `gradient` goes on from.
template <class Prediction> struct loss_value {
    tensor<shape<1>> value;
    Prediction prediction;
    Prediction slope; ///< the derivative of value times scale
    double scale = 1;
};

/// Figures of losses; each takes what it needs.
struct loss_figures {
    double smoothing = 0; ///< of labels, in [0, 1): cross_entropy, binary_cross_entropy
    double delta = 1;     ///< where the Huber loss turns straight
    double scale = 1;     ///< the loss scale: gradients are those of the loss times it
};

namespace detail::training {

template <class T> inline constexpr bool is_values = false;
template <class Shape> inline constexpr bool is_values<tensor<Shape, dtype::f16>> = true;

template <class T>
concept values = is_values<T>;

/// Whether these are a prediction and what it should be; numbers of classes have its shape without the axis of classes.
template <loss_kind Kind, int Axis, class P, class W> constexpr bool loss_takes() {
    if constexpr (!values<P> || !values<W>) {
        return false;
    } else {
        loss_options o{.kind = Kind, .axis = Axis};
        constexpr int rank = P::extent.rank;
        if (rank == 0 || Axis >= rank || Axis < -rank) {
            return false;
        }
        if (W::extent == wanted_shape(o, P::extent)) {
            return true;
        }
        o.labels = true;
        return Kind == loss_kind::cross_entropy && W::extent == wanted_shape(o, P::extent);
    }
}
/// And a mask with an element for each sample.
template <loss_kind Kind, int Axis, class P, class M> constexpr bool marks_samples() {
    return M::extent.count() == sample_shape({.kind = Kind, .axis = Axis}, P::extent).count();
}

template <loss_kind Kind, int Axis, class P, class W>
constexpr loss_value<P> typed_loss(P p, W w, int mask, const loss_figures& f, source_location where) {
    if (!(p.graph == w.graph)) {
        p.graph->refuse(model_rule::the_operands_belong_to_different_graphs, name(Kind), where);
        return {{p.graph, p.node}, p, p, 1};
    }
    dynamic_graph& g = *p.graph.operator->();
    gradients::tape t(g, 0);
    t.visit(p.node);
    loss_options o{.kind = Kind, .axis = Axis, .smoothing = f.smoothing, .delta = f.delta};
    o.labels = W::extent != P::extent;
    const loss_nodes made = append_loss(t, p.node, w.node, mask, o, {.fixed = f.scale});
    return {{p.graph, made.value}, p, {p.graph, made.slope}, f.scale};
}

} // namespace detail::training

/// The cross entropy of logits, with classes along an axis, and rows of shares, such as a one among zeros, or numbers of
/// classes, whose shape lacks the axis.
template <axis Classes = axis{-1}, class P, class W>
    requires(detail::training::loss_takes<loss_kind::cross_entropy, Classes.index, P, W>())
constexpr loss_value<P> cross_entropy(P logits, W wanted, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::cross_entropy, Classes.index>(logits, wanted, -1, f, where);
}
/// The same over the samples that a mask of 0 and 1 marks.
template <axis Classes = axis{-1}, class P, class W, detail::training::values M>
    requires(detail::training::loss_takes<loss_kind::cross_entropy, Classes.index, P, W>() &&
             detail::training::marks_samples<loss_kind::cross_entropy, Classes.index, P, M>())
constexpr loss_value<P> cross_entropy(P logits, W wanted, M mask, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::cross_entropy, Classes.index>(logits, wanted, mask.node, f, where);
}

/// The mean of (p - w)^2.
template <class P, class W>
    requires(detail::training::loss_takes<loss_kind::mean_squared, -1, P, W>())
constexpr loss_value<P> mean_squared(P p, W wanted, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::mean_squared, -1>(p, wanted, -1, f, where);
}
template <class P, class W, detail::training::values M>
    requires(detail::training::loss_takes<loss_kind::mean_squared, -1, P, W>() &&
             detail::training::marks_samples<loss_kind::mean_squared, -1, P, M>())
constexpr loss_value<P> mean_squared(P p, W wanted, M mask, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::mean_squared, -1>(p, wanted, mask.node, f, where);
}

/// The mean of |p - w|.
template <class P, class W>
    requires(detail::training::loss_takes<loss_kind::mean_absolute, -1, P, W>())
constexpr loss_value<P> mean_absolute(P p, W wanted, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::mean_absolute, -1>(p, wanted, -1, f, where);
}
template <class P, class W, detail::training::values M>
    requires(detail::training::loss_takes<loss_kind::mean_absolute, -1, P, W>() &&
             detail::training::marks_samples<loss_kind::mean_absolute, -1, P, M>())
constexpr loss_value<P> mean_absolute(P p, W wanted, M mask, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::mean_absolute, -1>(p, wanted, mask.node, f, where);
}

/// The Huber loss: (p - w)^2 / 2 up to delta, delta (|p - w| - delta / 2) beyond.
template <class P, class W>
    requires(detail::training::loss_takes<loss_kind::huber, -1, P, W>())
constexpr loss_value<P> huber(P p, W wanted, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::huber, -1>(p, wanted, -1, f, where);
}
template <class P, class W, detail::training::values M>
    requires(detail::training::loss_takes<loss_kind::huber, -1, P, W>() &&
             detail::training::marks_samples<loss_kind::huber, -1, P, M>())
constexpr loss_value<P> huber(P p, W wanted, M mask, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::huber, -1>(p, wanted, mask.node, f, where);
}

/// The cross entropy of logits of one class each, and shares in [0, 1].
template <class P, class W>
    requires(detail::training::loss_takes<loss_kind::binary_cross_entropy, -1, P, W>())
constexpr loss_value<P> binary_cross_entropy(P logits, W wanted, loss_figures f = {}, source_location where = here()) {
    return detail::training::typed_loss<loss_kind::binary_cross_entropy, -1>(logits, wanted, -1, f, where);
}
template <class P, class W, detail::training::values M>
    requires(detail::training::loss_takes<loss_kind::binary_cross_entropy, -1, P, W>() &&
             detail::training::marks_samples<loss_kind::binary_cross_entropy, -1, P, M>())
constexpr loss_value<P> binary_cross_entropy(P logits, W wanted, M mask, loss_figures f = {},
                                             source_location where = here()) {
    return detail::training::typed_loss<loss_kind::binary_cross_entropy, -1>(logits, wanted, mask.node, f, where);
}

/// The derivatives of a loss, times its scale, by values that the prediction was computed from.
template <class P, class... Wrt>
    requires(sizeof...(Wrt) > 0 && ((Wrt::element == dtype::f16) && ...))
constexpr std::tuple<Wrt...> gradient(const loss_value<P>& loss, Wrt... wrt) {
    if (!((wrt.graph == loss.prediction.graph) && ...)) {
        loss.value.graph->refuse(model_rule::the_operands_belong_to_different_graphs, "gradient",
                                 loss.value.graph->nodes[static_cast<std::size_t>(loss.value.node)].where);
        return {wrt...};
    }
    const int nodes[] = {wrt.node...};
    int results[sizeof...(Wrt)]{};
    append_gradient(*loss.value.graph.operator->(), loss.prediction.node, nodes, results, loss.slope.node);
    int k = 0;
    return {Wrt{wrt.graph, results[k++]}...}; // in the order in which they are written
}

} // namespace ane
