#pragma once

#include "../base/unique_names.hpp"
#include "../targets/system.hpp"
#include "syntax_writer.hpp"
#include "text_statements.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

/// One function of MIL text as a message. Each constant among the arguments becomes a `const` with a name, as in the
/// files of coremltools. Ports of bytes and truth values become int32 ports with a cast, for Core ML has no others.
class function_writer {
public:
    /// Throws `syntax_fault`.
    ANEMONE_INLINE function_writer(std::string_view text, const readers::mil_function& f) {
        outputs_ = statements_of(text, f, [&](const readers::mil_statement& s) {
            for (const readers::mil_result& r : s.results) {
                types_.emplace(r.name, r.type);
            }
        });
        for (const readers::mil_port& p : f.inputs) {
            types_.emplace(p.name, p.type);
        }
        find_system(f);
        for (const readers::mil_port& p : f.inputs) {
            input(p);
        }
        for (const std::string_view name : outputs_) {
            if (!types_.contains(name)) {
                throw syntax_fault{f.body.place(), formatted("the result {} is not defined", name)};
            }
            if (is_narrow(types_.at(name)) && !renamed_.contains(name)) {
                renamed_[name] = unused(name, mil_name(types_.at(name).element));
            }
        }
        statements_of(text, f, [&](const readers::mil_statement& s) { statement(s); });
        for (const std::string_view name : outputs_) {
            output(name);
        }
    }

    const system_description& system() const { return *system_; }

    /// The function. Points into the writer.
    ANEMONE_INLINE std::string encoded_function() {
        map_entry<block>& entry = message_.blocks.emplace_back();
        message_.opset = entry.key = system_->message;
        entry.value = std::move(block_);
        return encode(message_);
    }
    std::vector<feature_description> inputs, outputs, states;

private:
    /// Types that a variable may have and a port may not.
    static bool is_narrow(const mil_type& type) {
        return type.form == type_form::tensor &&
               (type.element == element_type::int8 || type.element == element_type::uint8 ||
                type.element == element_type::boolean);
    }
    static mil_type widened(mil_type type) {
        type.element = element_type::int32;
        return type;
    }

    ANEMONE_INLINE void find_system(const readers::mil_function& f) {
        const operating_system found = system_of_opset(f.opset);
        if (found == operating_system::any) {
            throw syntax_fault{f.body.place(), formatted("the opset {} is not one of ios15 to ios18", f.opset)};
        }
        system_ = &describe(found);
    }

    /// A name that no variable has.
    ANEMONE_INLINE std::string_view unused(std::string_view owner, std::string_view part) {
        return pool_.emplace_back(made_.fresh(formatted("{}_{}", owner, part), "_", 2,
                                              [&](const std::string& name) { return types_.contains(name); }));
    }
    /// The variable that a name stands for here.
    ANEMONE_INLINE std::string_view variable(std::string_view name) const {
        const auto found = renamed_.find(name);
        return found == renamed_.end() ? name : found->second;
    }

    ANEMONE_INLINE void append(const operation& o) { block_.operations.push_back({pool_.emplace_back(encode(o))}); }
    ANEMONE_INLINE static void add_result(operation& o, std::string_view name, value_type type) {
        named_value_type& result = o.outputs.emplace_back();
        result.called = name;
        result.type = std::move(type);
    }
    ANEMONE_INLINE static void add_attribute(operation& o, std::string_view key, value v) {
        map_entry<value>& a = o.attributes.emplace_back();
        a.key = key;
        a.value = std::move(v);
    }
    ANEMONE_INLINE static void add_input(operation& o, std::string_view key, std::string_view name) {
        map_entry<argument>& a = o.inputs.emplace_back();
        a.key = key;
        a.value.bindings.emplace_back().variable = name;
    }
    ANEMONE_INLINE value text_value(std::string_view text) {
        mil_expression e;
        e.form = expression_form::text;
        e.text = text;
        return message_of(e, pool_);
    }

    /// A constant with a name of its own, which it gives.
    ANEMONE_INLINE std::string_view constant(const mil_expression& e, std::string_view owner, std::string_view part) {
        const std::string_view name = unused(owner, part);
        operation o;
        o.type = "const";
        value given = message_of(e, pool_);
        const mil_type& type = e.form == expression_form::typed ? e.type : text_type();
        add_result(o, name, message_of(type, e.at));
        add_attribute(o, "name", text_value(name));
        add_attribute(o, "val", std::move(given));
        append(o);
        return name;
    }
    ANEMONE_INLINE static const mil_type& text_type() {
        static const mil_type type = [] {
            mil_type t;
            t.element = element_type::text;
            return t;
        }();
        return type;
    }
    ANEMONE_INLINE void cast(std::string_view from, std::string_view to, const mil_type& type, readers::text_place at) {
        mil_expression word;
        word.form = expression_form::text;
        word.text = mil_name(type.element);
        const std::string_view element = constant(word, to, "dtype");
        operation o;
        o.type = "cast";
        add_input(o, "dtype", element);
        add_input(o, "x", from);
        add_result(o, to, message_of(type, at));
        add_attribute(o, "name", text_value(to));
        append(o);
    }

    ANEMONE_INLINE void input(const readers::mil_port& p) {
        const bool narrow = is_narrow(p.type);
        const mil_type type = narrow ? widened(p.type) : p.type;
        (type.form == type_form::state ? states : inputs).push_back(feature_of(p.name, type, p.at));
        named_value_type& port = message_.inputs.emplace_back();
        port.called = p.name;
        port.type = message_of(type, p.at);
        if (narrow) {
            const std::string_view inner = unused(p.name, mil_name(p.type.element));
            cast(p.name, inner, p.type, p.at);
            renamed_[p.name] = inner;
        }
    }
    ANEMONE_INLINE void output(std::string_view name) {
        const mil_type& type = types_.at(name);
        const bool narrow = is_narrow(type);
        const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                          [&](const feature_description& each) { return each.called == name; });
        if (narrow && !is_input) {
            cast(renamed_.at(name), name, widened(type), {0, 0});
        }
        outputs.push_back(feature_of(name, narrow ? widened(type) : type, {0, 0}));
        block_.outputs.push_back(name);
    }

    ANEMONE_INLINE void statement(const readers::mil_statement& s) {
        const std::string_view owner = s.results.empty() ? s.operation : s.results[0].name;
        operation o;
        o.type = s.operation;
        if (s.has_blocks) {
            throw syntax_fault{s.at, "statements with blocks cannot stand in a package"};
        }
        for (const readers::mil_argument& a : s.arguments) {
            map_entry<argument> given;
            given.key = a.name;
            const bool list = a.value.form == expression_form::list;
            for (const mil_expression& each : list ? a.value.items : std::vector<mil_expression>(1, a.value)) {
                given.value.bindings.emplace_back().variable =
                    each.form == expression_form::name ? variable(each.name) : constant(each, owner, a.name);
            }
            o.inputs.push_back(std::move(given));
        }
        for (const readers::mil_result& r : s.results) {
            add_result(o, variable(r.name), message_of(r.type, r.at));
        }
        for (const readers::mil_argument& a : s.attributes) {
            if (a.value.form != expression_form::dictionary) { // says how the file was made
                add_attribute(o, a.name, message_of(a.value, pool_));
            }
        }
        append(o);
    }

    const system_description* system_ = nullptr;
    text_pool pool_;
    std::map<std::string_view, mil_type> types_; ///< of all variables
    std::map<std::string_view, std::string_view> renamed_;
    unique_names made_;
    std::vector<std::string_view> outputs_;
    function message_;
    block block_;
};

/// The file of a model: what a program's text says. Throws `unreadable`, with the place in the text.
ANEMONE_INLINE std::string model_bytes(std::string_view text) {
    const std::string_view file = "model.mil";
    const std::vector<readers::mil_function> functions = readers::functions_of(text, file);
    text_pool encoded_functions;
    std::deque<function_writer> writers;
    program all;
    model m;
    all.version = 1;
    try {
        for (const readers::mil_function& f : functions) {
            function_writer& writer = writers.emplace_back(text, f);
            map_entry<encoded<function>>& entry = all.functions.emplace_back();
            entry.key = f.name;
            entry.value.bytes = encoded_functions.emplace_back(writer.encoded_function());
            m.specification_version = std::max(m.specification_version, writer.system().specification);
        }
    } catch (const syntax_fault& fault) {
        throw unreadable(file, {{std::string(file), fault.at.line, fault.at.column, {}, fault.reason}});
    }
    if (functions.empty()) {
        throw unreadable(file, {{std::string(file), 0, 0, {}, "has no function"}});
    }
    if (functions.size() == 1) {
        m.description.inputs = std::move(writers[0].inputs);
        m.description.outputs = std::move(writers[0].outputs);
        m.description.states = std::move(writers[0].states);
    } else {
        for (std::size_t i = 0; i < functions.size(); ++i) {
            function_description& each = m.description.functions.emplace_back();
            each.called = functions[i].name;
            each.inputs = std::move(writers[i].inputs);
            each.outputs = std::move(writers[i].outputs);
            each.states = std::move(writers[i].states);
        }
        const bool has_main = std::any_of(functions.begin(), functions.end(),
                                          [](const readers::mil_function& f) { return f.name == "main"; });
        m.description.default_function = has_main ? "main" : functions[0].name;
    }
    const std::string bytes = encode(all);
    m.ml_program.emplace().bytes = bytes;
    return encode(m);
}

} // namespace ane::mlpackage::inline ANEMONE_WAY
