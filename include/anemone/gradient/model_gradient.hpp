#pragma once

#include "../graph/copy.hpp"
#include "../passes/prune.hpp"
#include "gradient.hpp"
#include "port_names.hpp"

#include <initializer_list>
#include <span>
#include <string_view>

namespace ane {

/// A model with further outputs: the derivatives of `loss`, an output of one element, by inputs and weights, each called as
/// they are with `_gradient` behind it ("layers.0.w" gives the port `layers_0_w_gradient`, which is called
/// "layers.0.w_gradient"). For models that were read from files and for those that a `dynamic_builder` made;
/// `gradient` (gradient.hpp) is for functions over a builder.
///
/// Throws `error` (errc::graph) for names that the model lacks, a loss of several elements, names that are taken, and
/// whatever `append_gradient` refuses.
constexpr dynamic_graph with_gradient(const graph_view& g, std::string_view loss,
                                      std::span<const std::string_view> by) {
    const int port = g.find_output(loss);
    if (port < 0) {
        detail::refuse_graph(loss, "the model has no output of this name, which was to be the loss");
    }
    const int from = g.outputs[static_cast<std::size_t>(port)].node;
    if (g[from].shape.count() != 1) {
        detail::refuse_graph(loss, "a loss must have one element: reduce it", g[from].shape.count(), 1);
    }
    sequence<int> wrt;
    for (const std::string_view name : by) {
        const int weight = g.find(op::weight, name);
        const int found = weight >= 0 ? weight : g.find(op::input, name);
        if (found < 0) {
            detail::refuse_graph(name, "the model has no input or weight of this name to take the gradient by");
        }
        wrt.push_back(found);
    }
    dynamic_graph result = copy_of(g);
    sequence<int> found(wrt.size(), -1);
    append_gradient(result, from, {wrt.data(), wrt.size()}, {found.data(), found.size()});
    for (std::size_t k = 0; k < by.size(); ++k) {
        sequence<char> name;
        name.append(by[k]);
        name.append(std::string_view("_gradient"));
        const sequence<char> identifier = detail::identifier_of(detail::text_of(name));
        const std::string_view text(identifier.data(), identifier.size());
        if (detail::is_port(result, text)) {
            detail::refuse_graph(text, "the model has a port of this name already");
        }
        result.add_output(found[k], text);
        if (!is_identifier({name.data(), name.size()})) {
            result.call(text, {name.data(), name.size()});
        }
    }
    return prune(result);
}
constexpr dynamic_graph with_gradient(const graph_view& g, std::string_view loss,
                                      std::initializer_list<std::string_view> by) {
    return with_gradient(g, loss, std::span<const std::string_view>(by.begin(), by.size()));
}

} // namespace ane
