#pragma once

#include "../base/cancellation.hpp"
#include "../base/unique_names.hpp"
#include "../formats/mil_names.hpp"
#include "../formats/mil_words.hpp"
#include "layer_name.hpp"
#include "mil_elementwise.hpp"
#include "mil_folding.hpp"
#include "mil_forms.hpp"
#include "mil_images.hpp"
#include "mil_input_shapes.hpp"
#include "mil_movement.hpp"
#include "mil_normalization.hpp"
#include "mil_recurrent.hpp"
#include "mil_reductions.hpp"
#include "mil_refused.hpp"
#include "mil_slices.hpp"
#include "mil_sources.hpp"
#include "mil_types.hpp"
#include "mil_unimplemented.hpp"
#include "mil_weights.hpp"
#include "mil_windows.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

ANEMONE_INLINE const statement_table& statements() {
    static const statement_table all = [] {
        statement_table t;
        add_sources(t);
        add_weights(t);
        add_elementwise(t);
        add_windows(t);
        add_reductions(t);
        add_normalization(t);
        add_slices(t);
        add_movement(t);
        add_images(t);
        add_recurrent(t);
        return t;
    }();
    return all;
}

/// A statement in sentences: its first result and its operation.
ANEMONE_INLINE std::string what_is_read(const mil_statement& s) {
    return s.results.empty() ? formatted("{}", s.operation) : formatted("{} ({})", s.results[0].name, s.operation);
}

/// Makes a graph of a function's inputs, statements and results, whatever they were read from.
class mil_function_reader {
public:
    /// Statements of a function; the largest that is known has 1,800.
    static constexpr int most_statements = 500'000;
    static constexpr std::size_t most_ports = 4096;

    ANEMONE_INLINE explicit mil_function_reader(mil_scope& scope) : scope_(scope) {}

    /// The inputs, before the first statement.
    ANEMONE_INLINE void inputs(const std::vector<mil_port>& all) {
        for (const mil_port& p : all) {
            inputs_.insert(p.name);
        }
        for (const mil_port& p : all) {
            input(p);
        }
    }

    /// Appends what a statement says; what is wrong with it is a fault of the scope.
    ANEMONE_INLINE void statement(const mil_statement& s) {
        ane::detail::stop_if_cancelled();
        std::vector<mil_value> values;
        const std::string what = what_is_read(s);
        scope_.graph.layer(name_of_layer(s));
        scope_.reading = {scope_.file, s.at.line, s.at.column, what, {}};
        try {
            values = results_of(s);
            scope_.doubt(s.at, what, refusal_of_the_compiler(s.operation));
            scope_.doubt(s.at, what, refusal_of_a_form(s));
            scope_.doubt(s.at, what, refusal_of_blocks(s));
            chains_of(s, what, values);
            note_types(scope_, s, what, values);
            forms_of(s, what);
        } catch (const refused_statement& refused) {
            scope_.blame(s.at, what, refused.reason);
        } catch (const follows_fault&) {
        } catch (const unreadable&) {
            throw;
        } catch (const error& e) {
            scope_.blame(s.at, what, e.what());
        }
        for (const mil_argument& a : s.attributes) {
            if (a.name != "name" && a.name != "val" && !a.written.empty()) {
                scope_.hint(s.results.empty() ? s.operation : s.results[0].name, a.at, a.name, a.written);
            }
        }
        for (const mil_result& r : s.results) {
            if (r.type.is_buffer) {
                buffers_.insert_or_assign(r.name, r.type);
            }
        }
        values.resize(s.results.size());
        for (std::size_t i = 0; i < s.results.size(); ++i) {
            if (!scope_.define(s.results[i].name, std::move(values[i]))) {
                scope_.blame(s.results[i].at, what, formatted("{} is defined a second time", s.results[i].name));
            }
        }
    }

    ANEMONE_INLINE void forms_of(const mil_statement& s, const std::string& what) {
        scope_.form(s.at, what, fault_of_form(s));
        for (const mil_argument& a : s.arguments) {
            scope_.form(a.at, what, fault_of_form(a));
        }
        for (const mil_argument& a : s.attributes) {
            if (a.name == "val" || a.name == "name") {
                scope_.form(a.at, what, fault_of_form(a));
            }
        }
        for (const std::string& said : scope_.blobs.taken_remarks()) {
            scope_.form(s.at, what, said);
        }
    }

    /// A result of the function, behind the last statement.
    ANEMONE_INLINE void output(std::string_view name, text_place at) {
        scope_.reading = {scope_.file, at.line, at.column, std::string(name), {}};
        try {
            mil_value* const v = scope_.find(name);
            if (v == nullptr) {
                throw refused_statement{"is an output that no statement defines"};
            }
            if (inputs_.contains(name)) {
                scope_.doubt(at, std::string(name), "unordered_map::at: key not found, of an input that is an output");
            }
            if (v->form != value_form::broken) {
                output(name, *v, at);
            }
        } catch (const refused_statement& refused) {
            scope_.blame(at, std::string(name), refused.reason);
        } catch (const unreadable&) {
            throw;
        } catch (const error& e) {
            scope_.blame(at, std::string(name), e.what());
        }
    }

    /// What the states are from the next run on.
    ANEMONE_INLINE void keep_states() {
        for (mil_state& s : scope_.states) {
            if (s.written) {
                scope_.graph.keep(s.before, s.value.tensor);
            }
        }
    }

private:
    /// A name that the graph takes for a port: letters, digits and underscores, and no other port's.
    ANEMONE_INLINE std::string port_name(std::string_view given) {
        std::string name(given);
        for (char& c : name) {
            const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            c = good ? c : '_';
        }
        if (ports_.take(name)) {
            return name;
        }
        std::string free = name + '_';
        return ports_.take(free) ? free : ports_.fresh(name, "_", 1);
    }

    /// The port goes on being called as in the file.
    ANEMONE_INLINE void call(const std::string& name, std::string_view given, std::string_view what) {
        if (name != given) {
            const std::string shown = ane::detail::printable(given);
            scope_.graph.call(name, shown);
            scope_.note(formatted("the {} {} is written as {}, where names are letters, digits and underscores", what,
                                  shown, name));
        }
    }
    /// The layout that a buffer says, as facts of the port.
    ANEMONE_INLINE void keep_layout(std::string_view port, const mil_type& type) {
        if (!type.is_buffer) {
            return;
        }
        const auto list = [](const extents& of) {
            return std::vector<std::int64_t>(std::begin(of.extent), std::begin(of.extent) + of.rank);
        };
        scope_.layouts.push_back({ane::detail::printable(port), list(type.strides), list(type.interleave)});
        std::string text = formatted("the port {} is a buffer", ane::detail::printable(port));
        text += type.strides.rank > 0 ? formatted(", strides {}", print(type.strides)) : "";
        text += type.interleave.rank > 0 ? formatted(", interleave factors {}", print(type.interleave)) : "";
        scope_.note(text + (type.strides.rank > 0 && type.strides != row_major_strides(type.shape)
                                ? ": rows do not stand close to each other, and arrays of callers are copied into it"
                                : ""));
    }

    ANEMONE_INLINE void input(const mil_port& p) {
        const std::string what(p.name);
        try {
            if (p.type.form == type_form::other || p.type.element == element_type::text) {
                throw refused_statement{
                    formatted("is an input of type {}, not a tensor", p.type.written.substr(0, 80))};
            }
            if (!p.type.unknown.empty()) {
                throw refused_statement{formatted(
                    "is an input with the unknown dimension {}: a graph has one shape; give it", p.type.unknown)};
            }
            scope_.define(p.name, input_value(p));
        } catch (const refused_statement& refused) {
            scope_.define(p.name, {});
            scope_.blame(p.at, what, refused.reason);
        } catch (const error& e) {
            scope_.define(p.name, {});
            scope_.blame(p.at, what, e.what());
        }
    }
    ANEMONE_INLINE mil_value input_value(const mil_port& p) {
        const std::string name = port_name(p.name);
        const element_type given = p.type.element;
        const bool bytes = given == element_type::uint8 || given == element_type::boolean;
        const dtype type = bytes ? dtype::uint8 : given == element_type::int8 ? dtype::int8 : dtype::f16;
        call(name, p.name, "input");
        keep_layout(p.name, p.type);
        const source_location where{scope_.kept_file, p.at.line};
        mil_value v;
        v.form = value_form::tensor;
        v.element = given;
        v.tensor = scope_.graph.input(name, p.type.shape, {}, type, where);
        if (given == element_type::boolean) {
            scope_.note(formatted("the input {} is bool in the file and uint8 here: every byte but 0 is true", name));
            const dynamic_tensor numbers = scope_.graph.add(op::cast, {v.tensor}, {}, where);
            v.tensor = scope_.graph.add(op::not_equal, {numbers, scope_.graph.constant(0.0, where)}, {}, where);
        } else if (type == dtype::f16 && given != element_type::f16) {
            scope_.note(formatted("the input {} is {} in the file and fp16 here{}", name, mil_name(given),
                                  is_integer(given) ? ", exact up to 2048" : ""));
            if (is_integer(given)) {
                scope_.integers.push_back(name);
            }
        }
        if (p.type.form != type_form::state) {
            return v;
        }
        scope_.note(formatted("the state {} is kept by programs where it is written, and an input elsewhere", name));
        scope_.states.push_back({name, v, v.tensor, false});
        mil_value state;
        state.form = value_form::state;
        state.text = name;
        return state;
    }

    /// What the statement's attribute `name` says, else its variable; nothing where the library made up the name.
    ANEMONE_INLINE std::string name_of_layer(const mil_statement& s) {
        std::string_view given = s.results.empty() ? std::string_view() : s.results[0].name;
        for (const mil_argument& a : s.attributes) {
            const mil_expression& v =
                a.value.form == expression_form::typed && a.value.items.size() == 1 ? a.value.items[0] : a.value;
            if (a.name == "name" && v.form == expression_form::text && !v.text.empty()) {
                given = v.text;
            }
        }
        if (formats::is_made_up_mil_name(given)) {
            return {};
        }
        const std::string_view whole = formats::layer_of_part(given);
        layers_.emplace(given);
        return layer_name(layers_.contains(whole) ? whole : given);
    }

    /// Facts: mil-ops (M5, measured) and field-2026 section 1 (M5 Pro, measured). Of one scale for each output channel the
    /// sources disagree (mil-dialects).
    ANEMONE_INLINE std::string_view refusal_of_blocks(const mil_statement& s) {
        constexpr std::string_view readers_of_weights[] = {"conv", "conv_transpose", "linear", "matmul"};
        if (std::find(std::begin(readers_of_weights), std::end(readers_of_weights), s.operation) ==
            std::end(readers_of_weights)) {
            return {};
        }
        for (const mil_argument& a : s.arguments) {
            const mil_value* const v = a.value.form == expression_form::name ? scope_.find(a.value.name) : nullptr;
            if (v != nullptr && v->has_blocks) {
                return "Not implemented: a weight with scales for blocks, read by a convolution or a product (mil-ops: M5); "
                       "store it with one scale for each output channel";
            }
        }
        return {};
    }

    /// What is said of a constexpr operation that reads the result of another one.
    ANEMONE_INLINE void chains_of(const mil_statement& s, const std::string& what, std::vector<mil_value>& values) {
        if (!std::string_view(s.operation).starts_with("constexpr_")) {
            return;
        }
        for (const std::vector<mil_argument>* all : {&s.arguments, &s.attributes}) {
            for (const mil_argument& a : *all) {
                const mil_value* const v = a.value.form == expression_form::name ? scope_.peek(a.value.name) : nullptr;
                if (v != nullptr) {
                    scope_.doubt(s.at, what, refusal_of_a_chain(v->decoded_by, s.operation, a.name));
                    scope_.hazard(s.at, what, hazard_of_a_chain(v->decoded_by, s.operation, a.name));
                }
            }
        }
        for (mil_value& v : values) {
            v.decoded_by = s.operation;
        }
    }

    ANEMONE_INLINE std::vector<mil_value> results_of(const mil_statement& s) {
        const auto row = statements().find(s.operation);
        const bool folds = foldable().contains(s.operation);
        if (row == statements().end() && !folds) {
            throw refused_statement{why_refused(s.operation)};
        }
        if (s.has_blocks) {
            throw refused_statement{"has blocks of statements: a graph has no branches and loops"};
        }
        mil_call call(scope_, s);
        std::optional<std::vector<mil_value>> values = folded_statement(call);
        if (!values) {
            if (row == statements().end()) {
                throw refused_statement{why_refused(s.operation)};
            }
            values = row->second(call);
        }
        call.require_all_used();
        if (values->size() < s.results.size()) {
            throw refused_statement{
                formatted("gives {} results, the statement names {}", values->size(), s.results.size())};
        }
        for (std::size_t i = 0; i < s.results.size(); ++i) {
            check(s.results[i], (*values)[i]);
        }
        for (mil_value& v : *values) {
            v.constant.is_missing = v.constant.is_missing ||
                                    (v.form == value_form::known && s.operation != "shape" && call.reads_missing());
        }
        return std::move(*values);
    }

    /// Whether a shape is the declared one, wherever that is known.
    static bool fits(const extents& shape, const mil_type& declared) {
        bool same = shape.rank == declared.shape.rank;
        for (int i = 0; same && i < shape.rank; ++i) {
            same = declared.is_unknown(i) || shape[i] == declared.shape[i];
        }
        return same;
    }
    /// What the statement says of a result must be what the operation gives.
    ANEMONE_INLINE void check(const mil_result& r, mil_value& v) {
        if (v.form != value_form::tensor && v.form != value_form::known) {
            return;
        }
        if (r.type.form == type_form::other) {
            throw refused_statement{formatted("gives a tensor, declared is {}", r.type.written.substr(0, 80))};
        }
        if (!fits(v.shape(), r.type)) {
            throw refused_statement{formatted("gives {}, declared is {}", print(v.shape()), print(r.type.shape))};
        }
        const bool truths = r.type.element == element_type::boolean;
        if (v.form == value_form::tensor) {
            if (truths != (v.tensor.type() == dtype::boolean)) {
                throw refused_statement{formatted("gives {}, declared is {}", truths ? "numbers" : "truth values",
                                                  mil_name(r.type.element))};
            }
            v.element = r.type.element;
        }
    }

    ANEMONE_INLINE void output(std::string_view given, mil_value& v, text_place at) {
        if (v.form != value_form::tensor && v.form != value_form::known) {
            throw refused_statement{"is an output, but no tensor"};
        }
        const std::string name = port_name(given);
        call(name, given, "output");
        if (const auto found = buffers_.find(given); found != buffers_.end()) {
            keep_layout(given, found->second);
        }
        const source_location where{scope_.kept_file, at.line};
        dynamic_tensor t = scope_.in_graph(v, given, where);
        if (t.type() == dtype::boolean) {
            scope_.note(formatted("the output {} is bool in the file and fp16 here, 0 or 1", name));
            t = scope_.graph.add(op::cast, {t}, {}, where);
        } else if (t.type() == dtype::f16 && v.element != element_type::f16) {
            scope_.note(formatted("the output {} is {} in the file and fp16 here", name, mil_name(v.element)));
        }
        scope_.graph.output(name, t);
    }

    mil_scope& scope_;
    std::set<std::string_view> inputs_;
    unique_names ports_;
    std::map<std::string_view, mil_type> buffers_; ///< results that are no plain tensors
    std::set<std::string, std::less<>> layers_;    ///< the names of statements so far
};

} // namespace ane::readers::inline ANEMONE_WAY
