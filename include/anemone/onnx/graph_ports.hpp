#pragma once

#include "name_space.hpp"
#include "ports.hpp"

#include <set>
#include <string>
#include <string_view>

/// What stands around the nodes of a graph. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Initializers, inputs and outputs.
class graph_ports {
public:
    graph_ports(model_scope& scope, named_values& values) : scope_(scope), values_(values) {}

    ANEMONE_INLINE void read_initializers(const ::onnx::GraphProto& g, name_space& names, const node_place& place) {
        for (const tensor_proto& tensor : g.initializer()) {
            value& v = values_.fresh(tensor.name());
            v.is_initializer = true;
            v.type = element_of(tensor.data_type());
            const std::string what = formatted("initializer \"{}\"", shown(tensor.name()));
            try {
                v.constant = constant_of(tensor, scope_.files);
                v.form = value_form::known;
            } catch (const refused_node& refused) {
                scope_.blame(place.number, what, refused.reason);
            }
            values_.define(names, tensor.name(), v, place.number, what);
        }
        for (const auto& sparse : g.sparse_initializer()) {
            scope_.blame(place.number, formatted("initializer \"{}\"", shown(sparse.values().name())),
                         "is sparse: store it as a dense tensor");
        }
    }

    ANEMONE_INLINE void read_inputs(const ::onnx::GraphProto& g, name_space& names) {
        std::set<std::string_view> known;
        for (const auto& port : g.input()) {
            known.insert(port.name());
            if (names.find(port.name()) != nullptr) {
                continue; // an initializer, or the default of an input
            }
            value& v = values_.fresh(port.name());
            v.is_input = true;
            const std::string what = formatted("input \"{}\"", shown(port.name()));
            try {
                read_input(scope_, port, v);
            } catch (const refused_node& refused) {
                scope_.blame(0, what, refused.reason);
            } catch (const error& e) {
                scope_.blame(0, what, e.what());
            }
            values_.define(names, port.name(), v, 0, what);
        }
        const auto require = [&](const std::string& name, std::string_view option) {
            if (!known.contains(name)) {
                scope_.blame(0, formatted("input \"{}\"", shown(name)),
                             formatted("stands in onnx_reader_options::{}, but the model has no such input", option));
            }
        };
        for (const onnx_shape& s : scope_.options.shapes) {
            require(s.name, "shapes");
        }
        for (const onnx_value& s : scope_.options.values) {
            require(s.name, "values");
        }
    }

    ANEMONE_INLINE void read_outputs(const ::onnx::GraphProto& g, name_space& names) {
        std::set<int> ends;
        scope_.graph.layer("");
        for (const auto& port : g.output()) {
            const std::string what = formatted("output \"{}\"", shown(port.name()));
            scope_.reading = {scope_.file, 0, 0, what, {}};
            value* const v = names.find(port.name());
            if (v == nullptr) {
                scope_.blame(0, what, "is given by no node");
                continue;
            }
            if (v->form != value_form::tensor && v->form != value_form::known) {
                continue; // its node was refused
            }
            try {
                const std::string name = scope_.port_name(port.name(), "output");
                const source_location where{readers::kept_file_name(name), 0};
                dynamic_tensor t = scope_.in_graph(*v, where);
                if (t.type() == dtype::boolean) {
                    t = scope_.add(op::cast, {&t, 1}, {}, nullptr, where);
                    scope_.note("outputs of bool are fp16 here, 0 or 1");
                }
                if (v->form == value_form::known || v->is_input || !ends.insert(t.node()).second) {
                    t = scope_.add(op::identity, {&t, 1}, {}, nullptr, where);
                }
                scope_.graph.output(name, t);
            } catch (const refused_node& refused) {
                scope_.blame(0, what, refused.reason);
            } catch (const error& e) {
                scope_.blame(0, what, e.what());
            }
        }
        if (g.output_size() == 0) {
            scope_.blame(0, "", "has no outputs");
        }
    }

private:
    model_scope& scope_;
    named_values& values_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
