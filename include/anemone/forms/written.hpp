#pragma once

#include "../analysis/held_weights.hpp"
#include "../base/stop_point.hpp"
#include "../catalogue/catalogue.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "../targets/operation_support.hpp"
#include "mil_faults.hpp"
#include "netplist_faults.hpp"

#include <optional>
#include <span>

namespace ane {

/// What keeps the nodes of a model from being written, by route. A model is written in one format as a whole.
struct form_faults {
    sequence<form_fault> mil;      ///< by node of the model
    sequence<form_fault> netplist; ///< the same
    int mil_count = 0;             ///< nodes that MIL text cannot hold
    int netplist_count = 0; ///< nodes that a netplist cannot hold; -1 where that was not checked, or could not be
};

namespace detail {

constexpr int count_faults(const sequence<form_fault>& faults) {
    int count = 0;
    for (const form_fault& f : faults) {
        count += f ? 1 : 0;
    }
    return count;
}

/// What of a model cannot be written as MIL text once it is lowered, node by node. Nothing needs to be lowered for that:
/// what lowering takes apart can be written in parts, unless a number of its own cannot, and it leaves alone what else
/// has a fault.
class mil_file_faults {
public:
    constexpr explicit mil_file_faults(const graph_view& model)
        : model_(model), known_(constant_nodes(without_outputs(model))), dequantized_(dequantized_reshapes(model)),
          returned_(model.nodes.size(), 0) {
        for (const output_port& port : model.outputs) {
            returned_[static_cast<std::size_t>(port.node)] = 1;
        }
    }

    constexpr form_fault operator()(int index) const {
        const auto at = static_cast<std::size_t>(index);
        const node& n = model_[index];
        if (returned_[at] != 0 && n.type != dtype::f16) {
            return {form_reason::result_is_no_fp16};
        }
        if (returned_[at] != 0 && n.shape.rank == 0) {
            return {form_reason::rank_is_zero};
        }
        const form_fault f = known_[at] == 0 ? mil_fault(model_, index, known_) : form_fault{};
        if (f && f.why != form_reason::rank_is_zero && forms::is_for_lowering(n)) {
            return forms::number_fault(n);
        }
        const bool is_cast_first =
            f.why == form_reason::moves_no_halves && n.type == dtype::uint8 && dequantized_[at] == 0;
        return is_cast_first ? form_fault{} : f;
    }

private:
    /// Lowering makes a product of an output that is known when it is compiled.
    static constexpr graph_view without_outputs(graph_view model) {
        model.outputs = {};
        return model;
    }

    graph_view model_;
    sequence<char> known_;
    sequence<char> dequantized_;
    sequence<char> returned_;
};

/// How many of the nodes [begin, end) MIL text cannot hold.
constexpr int count_mil_faults(const graph_view& model, int begin, int end) {
    const mil_file_faults fault_of(model);
    int count = 0;
    for (int i = begin; i < end; ++i) {
        count += fault_of(i) ? 1 : 0;
    }
    return count;
}

/// Whether every node has the shape that its operation gives, and counts its axes from the first: of other graphs, which
/// nothing but raw code makes, the rules tell what they can, and lowering cannot begin.
constexpr bool can_be_lowered(const graph_view& model) {
    for (const node& n : model.nodes) {
        if (!is_source(n.kind)) {
            const inferred rule = infer(model, n);
            if (!rule.ok() || rule.shape != n.shape || unresolved_axis(model, n) != 0) {
                return false;
            }
        }
    }
    return true;
}

/// The faults of a lowered graph, told of the model's nodes.
constexpr sequence<form_fault> netplist_faults_of_model(const graph_view& model) {
    const lowered_graph lowered = lower(model);
    const sequence<form_fault> parts = netplist_faults(lowered.view());
    sequence<form_fault> faults(model.nodes.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        form_fault& fault = faults[static_cast<std::size_t>(lowered.origins[i])];
        if (!fault) {
            fault = parts[i];
        }
    }
    return faults;
}

} // namespace detail

/// What keeps a model from being written as MIL text, and as a netplist: that is looked at where it is requested, and
/// where MIL text cannot hold the model. It takes a compiler many steps, because the model has to be lowered.
constexpr form_faults find_form_faults(const graph_view& model, bool asks_for_netplist = false) {
    form_faults all;
    bool returns_fp16 = true;
    const detail::mil_file_faults fault_of(model);
    all.mil = sequence<form_fault>(model.nodes.size());
    for (int i = 0; i < model.size(); ++i) {
        if ((i & 1023) == 0) {
            detail::stop_point();
        }
        all.mil[static_cast<std::size_t>(i)] = fault_of(i);
    }
    for (const output_port& port : model.outputs) {
        returns_fp16 = returns_fp16 && model[port.node].type == dtype::f16;
    }
    all.mil_count = detail::count_faults(all.mil);
    all.netplist_count = -1;
    if ((asks_for_netplist || all.mil_count > 0) && detail::can_be_lowered(model)) {
        if (returns_fp16) { // not one assignment of either: g++ 12 would free the same memory twice in a constant
            all.netplist = detail::netplist_faults_of_model(model);
        } else {
            all.netplist = all.mil;
        }
        all.netplist_count = detail::count_faults(all.netplist);
    }
    return all;
}

/// The route on which our files can hold a whole model: MIL text, which the direct route to the engine needs, where both
/// can; nothing where none can.
constexpr std::optional<compile_route> writing_route(const graph_view& model) {
    const form_faults faults = find_form_faults(model);
    if (faults.mil_count == 0) {
        return compile_route::mil;
    }
    return faults.netplist_count == 0 ? std::optional(compile_route::netplist) : std::nullopt;
}

/// The same of a model that is a constant: `static_assert(ane::writing_route_of<model> == ane::compile_route::mil)`.
template <const auto& Model> inline constexpr std::optional<compile_route> writing_route_of = writing_route(Model);

/// The forms of weights in the file that we write of a model: MIL text, unless a netplist is requested or alone can hold the
/// model.
constexpr held_forms held_forms_of(const graph_view& model, const target_description& t,
                                   compile_route route = compile_route::any) {
    for (const node& n : model.nodes) {
        if (is_stored_form(n) && route == compile_route::any) {
            route = writing_route(model) == compile_route::netplist ? compile_route::netplist : compile_route::mil;
        }
    }
    return held_forms_on(route, t);
}

} // namespace ane
