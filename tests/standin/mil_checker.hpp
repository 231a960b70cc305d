#pragma once

#include "mil_constants.hpp"
#include "mil_result_shapes.hpp"
#include "program.hpp"
#include "weight_expansion.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ane::standin {

/// From a parsed text to a program: names resolved, constants loaded, every argument, type and shape checked against
/// the facts, with the messages of the real compiler where they are known.
class checker {
public:
    checker(const mil_text& text, weight_files& files, machine built_for) : text_(text), files_(files) {
        program_.built_for = built_for;
    }

    program run() {
        if (!at_least(program_.built_for.generation, family::a13)) {
            refuse("MIL is only supported for H13+ ANE architectures: " + std::string(program_.built_for.name));
        }
        heading();
        output_types();
        for (const declaration& parameter : text_.parameters) {
            const element type = parameter.type.type;
            if (type == element::fp32 || type == element::bf16 || type == element::int32 || type == element::boolean ||
                type == element::string || bits(type) < 8 || bits(type) > 16) {
                refuse_at(parameter.line, "Unsupported function input dtype " + std::string(name(type)));
            }
            const int id = define(parameter);
            program_.at(id).live = true;
            engine_limits(program_.at(id), parameter.line);
            program_.inputs.push_back(id);
        }
        for (const statement& s : text_.statements) {
            check(s);
        }
        outputs();
        return std::move(program_);
    }

private:
    void heading() const {
        for (const char* const key : {"coremlc-component-MIL", "coremlc-version"}) {
            const bool found = std::any_of(text_.build_info.begin(), text_.build_info.end(),
                                           [&](const auto& entry) { return entry.first == key; });
            if (!found) {
                refuse("buildInfo has no entry " + std::string(key));
            }
        }
        if (text_.function != "main" || text_.opset != "ios18") {
            refuse("func " + text_.function + "<" + text_.opset + ">: only main<ios18> is known to be accepted");
        }
    }

    /// Looked at before the statements, so that the message is the real one whatever operation makes the output.
    void output_types() const {
        for (const statement& s : text_.statements) {
            for (const declaration& d : s.results) {
                const bool is_output =
                    std::find(text_.outputs.begin(), text_.outputs.end(), d.name) != text_.outputs.end();
                if (is_output && d.type.type != element::fp16) {
                    refuse_at(d.line, "Unsupported function output dtype " + std::string(name(d.type.type)));
                }
            }
        }
    }

    int add_value(value v) {
        program_.values.push_back(std::move(v));
        return static_cast<int>(program_.values.size()) - 1;
    }

    int define(const declaration& d) {
        static_cast<void>(element_count(d.type.shape));
        value v;
        v.name = d.name;
        v.type = d.type;
        const int id = add_value(std::move(v));
        if (!names_.emplace(d.name, id).second) {
            refuse_at(d.line, "'" + d.name + "' is defined twice");
        }
        return id;
    }

    void engine_limits(const value& v, int line) const {
        const dimensions& shape = v.type.shape;
        const machine& m = program_.built_for;
        if (shape.size() > 5) {
            refuse_at(line, "Rank " + std::to_string(shape.size()) + " of '" + v.name + "' must be between 0 and 5");
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::size_t from_last = shape.size() - 1 - i;
            const std::int64_t limit = from_last < 2 ? m.max_extent : m.max_channels;
            if (shape[i] > limit) {
                refuse("ANECCompile() FAILED: line " + std::to_string(line) + ": extent " + std::to_string(shape[i]) +
                       " of '" + v.name + "' exceeds " + std::to_string(limit) + " of " + std::string(m.name));
            }
        }
    }

    static const argument* find(const std::vector<argument>& list, std::string_view name) {
        const auto found = std::find_if(list.begin(), list.end(), [&](const argument& a) { return a.name == name; });
        return found == list.end() ? nullptr : &*found;
    }

    static void no_duplicates(const std::vector<argument>& list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (list[i].name == list[j].name) {
                    refuse_at(list[i].line, "argument '" + list[i].name + "' is given twice");
                }
            }
        }
    }

    void check(const statement& s) {
        no_duplicates(s.arguments);
        no_duplicates(s.attributes);
        const argument* const label = find(s.attributes, "name");
        if (label == nullptr || !label->value || label->value->type != tensor_type{element::string, {}}) {
            refuse_at(s.line, s.operation + ": no attribute name = string(...)");
        }
        if (s.operation == "const") {
            check_constant(s);
        } else if (const signature* const rule = signature_of(s.operation)) {
            check_operation(s, *rule);
        } else {
            refuse("Not implemented: line " + std::to_string(s.line) + ": operation '" + s.operation +
                   "'. Some ops are not supported on any of the specified backends");
        }
    }

    void check_constant(const statement& s) {
        const argument* const val = find(s.attributes, "val");
        if (s.results.size() != 1 || !s.arguments.empty() || s.attributes.size() != 2 || val == nullptr ||
            !val->value) {
            refuse_at(s.line, "a constant is written TYPE n = const()[name = string(\"n\"), val = literal]");
        }
        if (val->value->type != s.results.front().type) {
            refuse_at(s.line, "'" + s.results.front().name + "' is declared " + to_string(s.results.front().type) +
                                  " and given " + to_string(val->value->type));
        }
        constant data = read_literal(*val->value, files_);
        program_.at(define(s.results.front())).data = std::move(data);
    }

    int operand(const argument& given, const std::string& written) {
        const auto found = names_.find(written);
        if (found == names_.end()) {
            refuse_at(given.line, "'" + written + "' is not defined");
        }
        return found->second;
    }

    std::vector<int> resolve(const statement& s, const argument& given, bool tensor_literals) {
        std::vector<int> result;
        if (!given.value) {
            for (const std::string& written : given.names) {
                result.push_back(operand(given, written));
            }
            return result;
        }
        if (given.value->tensor_spelling && !tensor_literals) {
            refuse_at(given.line, s.operation + "." + given.name + ": an inline literal must be a scalar");
        }
        value v;
        v.name = s.operation + "." + given.name;
        v.type = given.value->type;
        v.data = read_literal(*given.value, files_);
        return {add_value(std::move(v))};
    }

    void check_role(const statement& s, const argument& given, const parameter& wanted,
                    const std::vector<int>& ids) const {
        const std::string where = s.operation + "." + std::string(wanted.name);
        if (given.is_tuple != (wanted.is == role::tensors)) {
            refuse_at(given.line, where + (given.is_tuple ? ": a tuple is not accepted" : ": must be a tuple"));
        }
        for (const int id : ids) {
            const value& v = program_.at(id);
            const element type = v.type.type;
            const std::size_t rank = v.type.shape.size();
            const bool fixed = v.data.has_value();
            bool good = false;
            switch (wanted.is) {
            case role::tensor:
            case role::tensors: good = type == element::fp16; break;
            case role::numbers:
                good = type == element::uint8 || type == element::fp16 || type == element::boolean ||
                       (type == element::int32 && !fixed);
                break;
            case role::bytes: good = type == element::int8 || type == element::uint8; break;
            case role::booleans: good = type == element::boolean; break;
            case role::real: good = fixed && type == element::fp16 && rank == 0; break;
            case role::vector: good = fixed && type == element::fp16 && rank == 1; break;
            case role::constant: good = fixed && type == element::fp16; break;
            case role::integer: good = fixed && type == element::int32 && rank == 0; break;
            case role::integers: good = fixed && type == element::int32 && rank == 1; break;
            case role::natural: good = fixed && type == element::uint32 && rank == 0; break;
            case role::matrix: good = fixed && type == element::int32 && rank == 2; break;
            case role::flags: good = fixed && type == element::boolean && rank == 1; break;
            case role::flag: good = fixed && type == element::boolean && rank == 0; break;
            case role::word: good = fixed && type == element::string; break;
            case role::packed: good = fixed && is_integer(type); break;
            }
            if (!good && !fixed && is_integer(type)) {
                refuse("Not implemented: line " + std::to_string(given.line) + ": " + where + ": '" + v.name + "' is " +
                       std::string(name(type)) +
                       ", which needs a cast. Some ops are not supported on any of the "
                       "specified backends");
            }
            if (!good) {
                refuse_at(given.line, where + ": '" + v.name + "' is " + (fixed ? "a constant " : "a runtime ") +
                                          to_string(v.type) + ", not what the argument takes");
            }
            const bool spare_rank = wanted.name == "lut"; // two axes more than the weight, which may have four
            if (rank > 5 && !spare_rank) {
                refuse_at(given.line, "Rank " + std::to_string(rank) + " of '" + v.name + "' must be between 0 and 5");
            }
        }
    }

    void check_operation(const statement& s, const signature& rule) {
        node n;
        n.rule = &rule;
        n.line = s.line;
        const std::vector<argument>& written = rule.in_attributes ? s.attributes : s.arguments;
        const std::vector<argument>& other = rule.in_attributes ? s.arguments : s.attributes;
        std::size_t used = rule.in_attributes ? 1 : 0; // the name
        for (const parameter& wanted : rule.parameters()) {
            const argument* const given = find(written, wanted.name);
            if (given == nullptr && wanted.required) {
                refuse_at(s.line, s.operation + ": argument '" + std::string(wanted.name) + "' is missing");
            }
            if (given != nullptr) {
                std::vector<int> ids = resolve(s, *given, rule.in_attributes);
                check_role(s, *given, wanted, ids);
                n.arguments.emplace(wanted.name, std::move(ids));
                ++used;
            }
        }
        if (used != written.size() || other.size() != (rule.in_attributes ? 0U : 1U)) {
            refuse(
                "Not implemented: line " + std::to_string(s.line) + ": " + s.operation +
                " with an argument or attribute it does not take. Some ops are not supported on any of the specified "
                "backends");
        }
        specific(n);
        results(s, n);
    }

    void specific(const node& n) const {
        if (n.rule->act == action::cast && program_.text(n, "dtype") != "fp16") {
            refuse("Not implemented: line " + std::to_string(n.line) + ": cast to " + program_.text(n, "dtype") +
                   ". Some ops are not supported on any of the specified backends");
        }
        for (const char* const weight : {"y", "weight"}) {
            const bool contraction = n.rule->act == action::convolution || n.rule->act == action::matmul ||
                                     n.rule->act == action::transposed_convolution;
            if (contraction && program_.has(n, weight) && program_.at(program_.id(n, weight)).blockwise) {
                refuse("Not implemented: line " + std::to_string(n.line) + ": a blockwise weight as operand of " +
                       std::string(n.rule->name) + ". Some ops are not supported on any of the specified backends");
            }
        }
        if (n.rule->name == "mul") {
            zero_after_reduction(n, "x", "y");
            zero_after_reduction(n, "y", "x");
        }
    }

    void zero_after_reduction(const node& n, const char* factor, const char* other) const {
        const value& f = program_.at(program_.id(n, factor));
        const int producer = program_.at(program_.id(n, other)).producer;
        if (!f.data || producer < 0 || program_.nodes[static_cast<std::size_t>(producer)].rule->act != action::reduce) {
            return;
        }
        if (std::all_of(f.data->halves.begin(), f.data->halves.end(), [](half h) { return (h.bits & 0x7FFFU) == 0; })) {
            refuse("ANECCompile() FAILED: line " + std::to_string(n.line) + ": multiplication by 0 after a reduction");
        }
    }

    void results(const statement& s, node& n) {
        const std::vector<dimensions> shapes = result_shapes(program_, n);
        if (shapes.size() != s.results.size()) {
            refuse_at(s.line, s.operation + " has " + std::to_string(shapes.size()) + " results, " +
                                  std::to_string(s.results.size()) + " are named");
        }
        bool live = false;
        for (const auto& [argument_name, ids] : n.arguments) {
            for (const int id : ids) {
                live = live || program_.at(id).live;
            }
        }
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            for (const std::int64_t extent : shapes[i]) {
                if (extent < 1) {
                    refuse_at(s.line, s.operation + ": a result has extent " + std::to_string(extent));
                }
            }
            const tensor_type inferred{result_type(program_, n, i), shapes[i]};
            if (s.results[i].type != inferred) {
                refuse_at(s.line, s.operation + ": '" + s.results[i].name + "' is declared " +
                                      to_string(s.results[i].type) + ", inferred is " + to_string(inferred));
            }
            const int id = define(s.results[i]);
            program_.at(id).live = live;
            n.results.push_back(id);
        }
        if (is_weight_form(n.rule->act)) {
            value& v = program_.at(n.results.back());
            v.data.emplace();
            v.data->halves = expanded_weight(program_, n);
            v.expanded = true;
            if (n.results.size() == 2) { // the mask
                const bool indices = n.rule->act == action::sparse_palette_weight;
                program_.at(n.results.front()).data = program_.data(n, indices ? "indices_mask" : "data_mask");
            }
            v.int8_weight = n.rule->act == action::affine_weight;
            if (v.int8_weight) {
                expansion::keep_codes(program_, n, v);
            }
            v.blockwise = n.rule->act == action::blockwise_weight;
            return; // nothing is left to execute
        }
        for (const int id : n.results) {
            program_.at(id).producer = static_cast<int>(program_.nodes.size());
            engine_limits(program_.at(id), s.line);
        }
        program_.nodes.push_back(std::move(n));
    }

    void outputs() {
        for (const std::string& written : text_.outputs) {
            const auto found = names_.find(written);
            if (found == names_.end()) {
                refuse("output '" + written + "' is not defined");
            }
            const value& v = program_.at(found->second);
            if (v.producer < 0) {
                refuse("unordered_map::at: key not found"); // an input or a constant as output: an empty function body
            }
            if (std::find(program_.outputs.begin(), program_.outputs.end(), found->second) != program_.outputs.end()) {
                refuse("output '" + written + "' is named twice");
            }
            program_.outputs.push_back(found->second);
        }
    }

    const mil_text& text_;
    weight_files& files_;
    program program_;
    std::map<std::string, int, std::less<>> names_;
};

inline program check_program(const mil_text& text, weight_files& files, machine built_for) {
    return checker(text, files, built_for).run();
}

} // namespace ane::standin
