#pragma once

#include "../graph/tensor.hpp"
#include "derivatives.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

/// Reverse-mode differentiation, from graph to graph: the derivative of a loss is made of ordinary operations behind it, in
/// the same program (guide chapter 15).
namespace ane {

namespace detail::gradients {

/// A node of the graph, of the type that has cotangents.
constexpr void require_value(const graph_view& g, int index) {
    if (index < 0 || index >= g.size()) {
        refuse_graph("gradient", "there is no node of this number", index, g.size());
    }
    if (g[index].type != dtype::f16) {
        refuse_graph(name(g[index].kind), "only an fp16 value has a gradient");
    }
}

/// Calls visit(node) for the operations from a node to the loss, of those that have a cotangent already.
template <class Visit> constexpr void walk_to(int loss, int from, const tape& t, const graph_view& g, Visit visit) {
    for (int at = from, i = from + 1; i <= loss; ++i) {
        const auto operands = g.operands(i);
        if (t.cotangent(i) >= 0 && std::find(operands.begin(), operands.end(), at) != operands.end()) {
            at = i;
            visit(g[i]);
        }
    }
}

/// Their names, behind a sentence.
inline std::string way_to(int loss, int from, const tape& t, const graph_view& g) {
    constexpr int most = 8;
    std::string text;
    int count = 0;
    walk_to(loss, from, t, g, [&](const node& n) {
        if (++count <= most) {
            text.append(count == 1 ? "; the loss depends on it by " : ", ").append(name(n.kind));
        }
    });
    return count > most ? text + " and " + std::to_string(count - most) + " more" : text;
}

/// The same for the message of a compiler, which has room for 64 characters: "floor -> mul -> reduce_mean -> loss", with dots where
/// names are left out.
struct short_way {
    char characters[64]{};
    std::size_t size = 0;

    constexpr short_way(int loss, int from, const tape& t, const graph_view& g) {
        add(name(g[from].kind));
        constexpr std::string_view dots = " -> ...";
        constexpr std::string_view end = " -> loss";
        bool is_full = false;
        walk_to(loss, from, t, g, [&](const node& n) {
            constexpr std::string_view arrow = " -> ";
            const std::string_view next = name(n.kind);
            if (is_full) {
                return;
            }
            is_full = size + arrow.size() + next.size() + dots.size() + end.size() > std::size(characters);
            add(is_full ? dots : arrow);
            add(is_full ? std::string_view() : next);
        });
        add(end);
    }
    constexpr std::string_view text() const { return {characters, size}; }

private:
    constexpr void add(std::string_view more) {
        for (const char c : more) {
            characters[size++] = c;
        }
    }
};

/// What stands between the loss and a value: which node has no derivative.
constexpr void refuse_derivative(dynamic_graph& g, int index, int loss, const tape& t) {
    const node& n = g.nodes[static_cast<std::size_t>(index)];
    const no_derivative r = derivative_refusal(n.kind);
    if (g.keeps_refusals) {
        g.refuse(model_rule::the_operation_has_no_derivative, short_way(loss, index, t, g).text(),
                 {.instead = g.intern(r.instead), .where = n.where});
        return;
    }
    detail::refuse_graph_at(name(n.kind),
                            std::string("has no derivative: ") + r.why + "; instead: " + r.instead +
                                way_to(loss, index, t, g),
                            n.where.file, n.where.line);
}

} // namespace detail::gradients

/// Appends to a graph the derivative of the sum of the elements of `loss` by each of `wrt`, all numbers of nodes; writes
/// the numbers of the results, which have the shapes of `wrt`. The loss is most often of one element. With a `slope`, a node
/// that broadcasts to the shape of `loss`, it is the derivative of the sum of `loss` times `slope`, where that is not
/// differentiated: the vector-Jacobian product.
///
/// Throws `error` (errc::graph) for numbers of no node and values that are not fp16; at the line of the operation, where the way from the loss to one of `wrt` leads through an
/// operation without a derivative, and where there is no way.
constexpr void append_gradient(dynamic_graph& g, int loss, std::span<const int> wrt, std::span<int> results,
                               int slope = -1) {
    const int size = static_cast<int>(g.nodes.size());
    detail::gradients::require_value(g, loss);
    if (slope >= 0) {
        detail::gradients::require_value(g, slope);
    }
    for (const int index : wrt) {
        detail::gradients::require_value(g, index);
    }
    if (results.size() != wrt.size()) {
        detail::refuse_graph("gradient", "there is not one place for each result",
                             static_cast<std::int64_t>(results.size()), static_cast<std::int64_t>(wrt.size()));
    }
    detail::gradients::tape t(g, size);
    for (const int index : wrt) {
        t.reach(index);
    }
    for (int i = 0; i <= loss; ++i) {
        const node& n = g.nodes[static_cast<std::size_t>(i)];
        if (n.type != dtype::f16 || detail::gradients::is_flat(n.kind)) {
            continue;
        }
        for (const int operand : g.view().operands(i)) {
            if (t.reached(operand)) {
                t.reach(i);
            }
        }
    }
    t.visit(loss);
    t.pull(loss, slope >= 0 ? slope : t.filled(t.shape(loss), 1));
    for (int i = loss; i >= 0; --i) {
        if (t.cotangent(i) < 0 || is_source(t.at(i).kind)) {
            continue;
        }
        bool read = false;
        for (const int operand : g.view().operands(i)) {
            read = read || t.reached(operand);
        }
        if (!read) {
            continue;
        }
        if (derivative_refusal(t.at(i).kind).any()) {
            detail::gradients::refuse_derivative(g, i, loss, t);
            continue;
        }
        t.visit(i);
        detail::gradients::pull({t, t.at(i), i, t.cotangent(i)});
    }
    for (std::size_t k = 0; k < wrt.size(); ++k) {
        const int found = t.cotangent(wrt[k]);
        if (found < 0) {
            const node& n = t.at(wrt[k]);
            g.refuse(model_rule::the_loss_does_not_depend_on_it, g.view().name(wrt[k]), n.where);
        }
        t.visit(wrt[k]);
        results[k] = found < 0 ? t.filled(t.shape(wrt[k]), 0) : found;
    }
}

/// The derivatives of a loss of one element by values that it was computed from: weights, inputs, anything between. One
/// value of the shape of each, as a tuple:
///
///     auto [dw, db] = gradient(loss, w, b);
///     g.output("step"_s, w - 0.1 * dw);
///
/// A loss of several elements is a mistake of most programs: take its mean, or `gradient(reduce_sum<>(y), x)`.
template <class Loss, class... Wrt>
    requires(Loss::extent.count() == 1 && sizeof...(Wrt) > 0 && ((Wrt::element == dtype::f16) && ...))
constexpr std::tuple<Wrt...> gradient(Loss loss, Wrt... wrt) {
    if (!((wrt.graph == loss.graph) && ...)) {
        loss.graph->refuse(model_rule::the_operands_belong_to_different_graphs, "gradient",
                           loss.graph->nodes[static_cast<std::size_t>(loss.node)].where);
        return {wrt...};
    }
    const int nodes[] = {wrt.node...};
    int results[sizeof...(Wrt)]{};
    append_gradient(*loss.graph.operator->(), loss.node, nodes, results);
    int k = 0;
    return {Wrt{wrt.graph, results[k++]}...}; // in the order in which they are written
}
template <class Loss, class... Wrt>
    requires(Loss::extent.count() != 1)
__attribute__((unavailable(
    "a loss must have one element: reduce it, as in reduce_mean<axes{...}>(y)"))) constexpr std::tuple<Wrt...>
gradient(Loss, Wrt... wrt) {
    return std::tuple<Wrt...>{wrt...};
}

} // namespace ane
