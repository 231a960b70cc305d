#pragma once

#include "../base/cancellation.hpp"
#include "../readers/layer_name.hpp"
#include "folding.hpp"
#include "graph_ports.hpp"
#include "model_functions.hpp"
#include "node_order.hpp"
#include "operators.hpp"

/// Walks over the nodes of a model. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Nodes, the functions that they call and the branches that they choose.
class graph_reader {
public:
    ANEMONE_INLINE graph_reader(const ::onnx::ModelProto& model, model_scope& scope) : model_(model), scope_(scope) {}

    ANEMONE_INLINE void read() {
        node_place top;
        if (!read_opsets(top.opset)) {
            return;
        }
        name_space names;
        ports_.read_initializers(model_.graph(), names, top);
        ports_.read_inputs(model_.graph(), names);
        read_nodes(model_.graph().node(), names, top);
        ports_.read_outputs(model_.graph(), names);
    }

private:
    ANEMONE_INLINE bool read_opsets(int& version) {
        version = model_.opset_import_size() > 0 ? newest_opset : 0; // functions and training steps alone
        for (const auto& set : model_.opset_import()) {
            if (domain_of(set.domain()).empty()) {
                version = static_cast<int>(std::clamp<std::int64_t>(set.version(), -1, 1'000'000));
            }
        }
        if (!model_.has_graph()) {
            scope_.blame(0, "", "holds no graph: it is no ONNX model, or an empty one");
        } else if (version < 1) {
            scope_.blame(0, "", "imports no version of ONNX's operators (opset_import)");
        } else if (version > newest_opset) {
            scope_.blame(0, "",
                         formatted("imports version {} of ONNX's operators; up to {} are read", version, newest_opset));
        } else {
            return true;
        }
        return false;
    }

    ANEMONE_INLINE void read_nodes(const nodes_of& nodes, name_space& names, const node_place& place) {
        const node_order order = ordered(nodes, [&](const std::string& name) { return names.find(name) != nullptr; });
        if (!order.circle.empty()) {
            scope_.blame(
                place.number != 0 ? place.number : order.circle[0] + 1, place.callers,
                formatted("has a cycle, each node reading the one before it: {}", text_of_circle(nodes, order.circle)));
            mark_broken(nodes, order, names);
        }
        for (const int position : order.nodes) {
            const node_proto& n = nodes[position];
            const int number = position + 1;
            if (++scope_.nodes_read > model_scope::most_nodes) {
                scope_.blame(number, "",
                             formatted("has more than {} nodes, functions written out", model_scope::most_nodes));
                throw unreadable(scope_.file, std::move(scope_.faults));
            }
            node_place own = place;
            own.number = place.number == 0 ? number : place.number;
            const std::string label = label_of(n);
            own.callers = place.callers + (place.callers.empty() ? "" : " / ") + shown(label);
            own.layer = readers::layer_name(place.layer.empty() ? label : place.layer + "/" + label);
            scope_.graph.layer(own.layer);
            read_node(n, names, own);
        }
    }

    /// Of nodes that a cycle holds up the results are lost, of which readers say nothing.
    ANEMONE_INLINE void mark_broken(const nodes_of& nodes, const node_order& order, name_space& names) {
        const std::set<int> read(order.nodes.begin(), order.nodes.end());
        for (int i = 0; i < nodes.size(); ++i) {
            if (!read.contains(i)) {
                for (const std::string& name : nodes[i].output()) {
                    names.values.emplace(name, &values_.fresh(name));
                }
            }
        }
    }

    ANEMONE_INLINE void read_node(const node_proto& n, name_space& names, const node_place& place) {
        ane::detail::stop_if_cancelled();
        const std::string what = formatted("{} ({})", place.callers, operator_name(n));
        scope_.reading = {scope_.file, place.number, 0, what, {}};
        results made;
        element_type first_type = element_type::f32;
        scope_.reads_missing = false;
        try {
            std::vector<value*> operands;
            bool broken = false;
            for (const std::string& name : n.input()) {
                value* const v = name.empty() ? &absent_ : names.find(name);
                if (v == nullptr) {
                    throw refused_node{formatted(
                        "reads \"{}\", which nothing gives: a weight or a node that is missing", shown(name))};
                }
                broken = broken || v->form == value_form::broken;
                scope_.reads_missing = scope_.reads_missing || (v->form == value_form::known && v->constant.is_missing);
                operands.push_back(v);
            }
            const std::string domain(domain_of(n.domain()));
            if (const auto* const f = functions_.find(domain, n.op_type()); f != nullptr) {
                return call_function(n, *f, operands, names, place);
            }
            node_call c(scope_, n, attributes_of(n, place), operands, place.opset,
                        {readers::kept_file_name(scope_.file), place.number});
            if (n.op_type() == "If" && domain.empty()) {
                if (!broken) {
                    return read_branches(c, names, place);
                }
            } else {
                const converter convert = converter_of(n, domain, !broken && c.all_known());
                made = broken ? results() : convert(c);
            }
            first_type = c.operand_count() > 0 && c.has(0) ? c.type(0) : first_type;
        } catch (const refused_node& refused) {
            scope_.blame(place.number, what, refused.reason);
            made.clear();
        } catch (const unreadable&) {
            throw;
        } catch (const error& e) {
            scope_.blame(place.number, what, e.what());
            made.clear();
        }
        for (int i = 0; i < n.output_size(); ++i) {
            if (!n.output(i).empty()) {
                value& v = values_.fresh(n.output(i));
                if (static_cast<std::size_t>(i) < made.size()) {
                    fill(v, made[static_cast<std::size_t>(i)], first_type);
                    v.constant.is_missing =
                        v.constant.is_missing || (v.form == value_form::known && scope_.reads_missing &&
                                                  n.op_type() != "Shape" && n.op_type() != "Size");
                }
                if (v.form == value_form::broken && !made.empty()) {
                    scope_.blame(place.number, what, formatted("output {} of this operator is not read", i));
                }
                values_.define(names, n.output(i), v, place.number, what);
            }
        }
    }

    ANEMONE_INLINE static void fill(value& v, produced& p, element_type first_type) {
        if (p.known) {
            v.form = value_form::known;
            v.type = p.known->type;
            v.constant = std::move(*p.known);
        } else if (p.tensor.node() >= 0) {
            v.form = value_form::tensor;
            v.tensor = p.tensor;
            v.type = p.type != element_type::undefined ? p.type
                     : p.tensor.type() != dtype::f16   ? element_of(p.tensor.type())
                                                       : first_type;
        }
    }

    ANEMONE_INLINE converter converter_of(const node_proto& n, const std::string& domain, bool known) {
        const std::string_view name = n.op_type();
        if (!domain.empty() && (domain != "ai.onnx.preview.training" || !is_training_step(name))) {
            throw refused_node{formatted("is of the domain \"{}\", whose operators are not known here", shown(domain))};
        }
        if (known) {
            if (const auto found = folding_table().find(name); found != folding_table().end()) {
                return found->second;
            }
        }
        if (const auto found = operator_table().find(name); found != operator_table().end()) {
            return found->second;
        }
        throw refused_node{std::string(reason_for(name))};
    }

    ANEMONE_INLINE attribute_map attributes_of(const node_proto& n, const node_place& place) {
        attribute_map given;
        for (const attribute_proto& a : n.attribute()) {
            if (a.ref_attr_name().empty()) {
                given.insert_or_assign(a.name(), &a);
            } else if (const auto found = place.given.find(a.ref_attr_name()); found != place.given.end()) {
                given.insert_or_assign(a.name(), found->second);
            }
        }
        return given;
    }

    ANEMONE_INLINE void go_deeper(node_place& inner) const {
        if (++inner.depth > model_scope::deepest) {
            throw refused_node{formatted("stands within more than {} functions and branches: a function that calls "
                                         "itself has no end",
                                         model_scope::deepest)};
        }
    }

    ANEMONE_INLINE void call_function(const node_proto& n, const ::onnx::FunctionProto& f,
                                      const std::vector<value*>& operands, name_space& names, const node_place& place) {
        node_place inner = place;
        go_deeper(inner);
        inner.given = attributes_of(n, place);
        for (const attribute_proto& a : functions_.defaults_of(f)) {
            inner.given.emplace(a.name(), &a); // unless the caller gives it
        }
        for (const auto& set : f.opset_import()) {
            inner.opset = domain_of(set.domain()).empty()
                              ? static_cast<int>(std::clamp<std::int64_t>(set.version(), 1, newest_opset))
                              : inner.opset;
        }
        name_space own;
        for (int i = 0; i < f.input_size(); ++i) {
            own.values[f.input(i)] =
                i < static_cast<int>(operands.size()) ? operands[static_cast<std::size_t>(i)] : &absent_;
        }
        read_nodes(f.node(), own, inner);
        for (int i = 0; i < n.output_size() && i < f.output_size(); ++i) {
            alias(names, n.output(i), own.find(f.output(i)), place);
        }
    }

    /// Gives a value a name around the graph that it was made in.
    ANEMONE_INLINE void alias(name_space& names, const std::string& name, value* v, const node_place& place) {
        if (name.empty()) {
            return;
        }
        if (v == nullptr) {
            scope_.blame(place.number, place.callers, formatted("gives no \"{}\"", shown(name)));
            v = &values_.fresh(name);
        }
        values_.define(names, name, *v, place.number, place.callers);
    }

    /// One branch where the condition is known, else both and a choice between their results.
    ANEMONE_INLINE void read_branches(node_call& c, name_space& names, const node_place& place) {
        const node_proto& n = c.node();
        const attribute_map given = attributes_of(n, place);
        const auto results_of = [&](std::string_view key) {
            const auto found = given.find(key);
            if (found == given.end() || !found->second->has_g()) {
                c.refuse(formatted("has no {}", key));
            }
            const ::onnx::GraphProto& g = found->second->g();
            node_place inner = place;
            go_deeper(inner);
            name_space own;
            own.around = &names;
            ports_.read_initializers(g, own, inner);
            read_nodes(g.node(), own, inner);
            std::vector<value*> ends;
            for (const auto& port : g.output()) {
                ends.push_back(own.find(port.name()));
            }
            c.require(static_cast<int>(ends.size()) == n.output_size(), "has branches with another number of results");
            return ends;
        };
        if (c.is_known(0)) {
            const std::vector<value*> ends = results_of(c.number(0) != 0 ? "then_branch" : "else_branch");
            for (std::size_t i = 0; i < ends.size(); ++i) {
                alias(names, n.output(static_cast<int>(i)), ends[i], place);
            }
            return;
        }
        const std::vector<value*> then = results_of("then_branch");
        const std::vector<value*> otherwise = results_of("else_branch");
        for (std::size_t i = 0; i < then.size(); ++i) {
            value& v = values_.fresh(n.output(static_cast<int>(i)));
            const bool both = then[i] != nullptr && otherwise[i] != nullptr && then[i]->form != value_form::broken &&
                              otherwise[i]->form != value_form::broken;
            if (both) {
                value* operands[] = {&c.operand(0), then[i], otherwise[i]};
                node_call choice(scope_, n, {}, {operands, operands + 3}, place.opset,
                                 {readers::kept_file_name(scope_.file), place.number});
                c.require(then[i]->shape() == otherwise[i]->shape(),
                          formatted("has branches of different shapes, {} and {}, and a condition that depends on data",
                                    print(then[i]->shape()), print(otherwise[i]->shape())));
                results made{choice.add(op::select, {choice.boolean(0), choice.x(1), choice.x(2)})};
                fill(v, made[0], then[i]->type);
            }
            values_.define(names, n.output(static_cast<int>(i)), v, place.number, place.callers);
        }
    }

    const ::onnx::ModelProto& model_;
    model_scope& scope_;
    named_values values_{scope_};
    graph_ports ports_{scope_, values_};
    model_functions functions_{model_};
    value absent_{.form = value_form::absent};
};

} // namespace ane::onnx::inline ANEMONE_WAY
