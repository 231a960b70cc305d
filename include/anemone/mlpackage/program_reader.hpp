#pragma once

#include "../readers/mil.hpp"
#include "../readers/mil_file.hpp"
#include "syntax_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

/// The program of a model's file. Throws `unreadable` where the file has none.
class program_reader {
public:
    static constexpr std::size_t most_functions = 1000;

    /// The bytes outlive the reader.
    ANEMONE_INLINE program_reader(std::string_view bytes, std::string_view file) : wire_(bytes), file_(file) {
        try {
            model_ = wire_.decode<model>(bytes);
            if (!model_.ml_program) {
                refuse(why_no_program());
            }
            program_ = wire_.decode(*model_.ml_program);
        } catch (const wire_fault& fault) {
            refuse(told(fault));
        }
        if (program_.functions.size() > most_functions) {
            refuse(formatted("has more than {} functions", most_functions));
        }
    }

    /// The functions, with the shapes that their descriptions enumerate.
    ANEMONE_INLINE std::vector<file_function> file_functions() const {
        std::vector<file_function> all;
        for (const auto& each : program_.functions) {
            all.push_back({shown(each.key), flexible(each.key).enumerated});
        }
        return all;
    }

    ANEMONE_INLINE std::vector<std::string> functions() const {
        std::vector<std::string> names;
        for (const auto& each : program_.functions) {
            names.push_back(shown(each.key));
        }
        return names;
    }

    ANEMONE_INLINE read_model read(file_lookup files, const mil_reader_options& options) {
        const map_entry<encoded<function>>& entry = chosen_function(options.function);
        const encoded<function>& chosen = entry.value;
        return readers::model_of(files, options, file_, [&](readers::mil_scope& scope) {
            try {
                const function f = wire_.decode(chosen);
                scope.opset = f.opset;
                statements(f, flexible(entry.key), block_of(f), scope);
            } catch (const wire_fault& fault) {
                scope.blame({0, 0}, {}, told(fault));
            } catch (const refused_statement& refused) {
                scope.blame({0, 0}, {}, refused.reason);
            }
            notes(scope);
        });
    }

private:
    void refuse [[noreturn]] (std::string reason) const {
        throw unreadable(file_, {{file_, 0, 0, {}, std::move(reason)}});
    }
    ANEMONE_INLINE static std::string told(const wire_fault& fault) {
        return formatted("at byte {}: {}", fault.offset, fault.reason);
    }
    ANEMONE_INLINE std::string why_no_program() const {
        for (const unknown_field& each : wire_.unknown()) {
            if (each.message == model::name && !kind_of_model(each.number).empty()) {
                return formatted("is a model of the kind {}; an ML Program is needed (coremltools: "
                                 "convert_to=\"mlprogram\")",
                                 kind_of_model(each.number));
            }
        }
        return "is no model of Core ML: it has no ML Program";
    }

    /// What the description of a function, else that of the model, says of the shapes of its inputs.
    ANEMONE_INLINE readers::flexible_shapes flexible(std::string_view called) const {
        const std::vector<feature_description>* inputs = &model_.description.inputs;
        for (const function_description& each : model_.description.functions) {
            inputs = each.called == called ? &each.inputs : inputs;
        }
        readers::flexible_shapes found;
        for (const feature_description& each : *inputs) {
            const auto& array = each.type.array;
            if (!array || (!array->enumerated && !array->range)) {
                continue;
            }
            const std::string name(each.called);
            found.defaults.push_back({name, shape_of(array->shape)});
            for (std::size_t i = 0; array->enumerated && i < array->enumerated->shapes.size(); ++i) {
                found.enumerated.resize(std::max(found.enumerated.size(), i + 1));
                found.enumerated[i].push_back({name, shape_of(array->enumerated->shapes[i].extents)});
            }
            if (array->range) {
                readers::input_range& range = found.ranges.emplace_back(readers::input_range{name, {}});
                for (const size_range& axis : array->range->axes) {
                    range.axes.emplace_back(axis.lower, axis.upper);
                }
            }
        }
        return found;
    }
    ANEMONE_INLINE static extents shape_of(const std::vector<std::int64_t>& list) {
        extents shape;
        for (const std::int64_t e : list) {
            if (shape.rank == extents::capacity || e < 1) {
                return {};
            }
            shape.append(e);
        }
        return shape;
    }

    ANEMONE_INLINE const map_entry<encoded<function>>& chosen_function(std::string_view wanted) const {
        const std::string_view otherwise = model_.description.default_function;
        const std::string_view name = !wanted.empty() ? wanted : !otherwise.empty() ? otherwise : "main";
        for (const auto& each : program_.functions) {
            if (each.key == name || (wanted.empty() && program_.functions.size() == 1)) {
                return each;
            }
        }
        std::string known;
        for (const std::string& each : functions()) {
            known += (known.empty() ? "" : ", ") + each;
        }
        refuse(program_.functions.empty()
                   ? "has no function"
                   : formatted("has no function {}, only {}", shown(name), known.substr(0, 1000)));
    }
    /// The block of the function's own opset, or the only one.
    ANEMONE_INLINE static const block& block_of(const function& f) {
        for (const map_entry<block>& each : f.blocks) {
            if (each.key == f.opset || f.blocks.size() == 1) {
                return each.value;
            }
        }
        throw refused_statement{
            formatted("has a function with {} blocks, none of them for its opset {}", f.blocks.size(), shown(f.opset))};
    }

    ANEMONE_INLINE void statements(const function& f, const readers::flexible_shapes& shapes, const block& b,
                                   readers::mil_scope& scope) {
        readers::mil_function_reader reader(scope);
        scope.converts_ports = true;
        if (f.inputs.size() > readers::mil_function_reader::most_ports ||
            b.outputs.size() > readers::mil_function_reader::most_ports) {
            throw refused_statement{formatted("has a function with {} inputs and {} outputs, the limit is {}",
                                              f.inputs.size(), b.outputs.size(),
                                              readers::mil_function_reader::most_ports)};
        }
        if (b.operations.size() > readers::mil_function_reader::most_statements) {
            throw refused_statement{formatted("has a function of {} operations, the limit is {}", b.operations.size(),
                                              readers::mil_function_reader::most_statements)};
        }
        reader.inputs(readers::with_shapes(ports_of(f.inputs), shapes, scope));
        int number = 0;
        for (const encoded<operation>& each : b.operations) {
            statement(reader, scope, wire_.decode(each), {++number, 0});
        }
        for (const std::string_view output : b.outputs) {
            reader.output(readable(output), {number, 0});
        }
        reader.keep_states();
    }
    ANEMONE_INLINE void statement(readers::mil_function_reader& reader, readers::mil_scope& scope, const operation& o,
                                  text_place at) {
        mil_statement s;
        try {
            s = statement_of(o, at);
        } catch (const refused_statement& refused) {
            const std::string result = o.outputs.empty() ? "" : shown(o.outputs[0].called) + " ";
            scope.blame(at, formatted("{}({})", result, shown(o.type)), refused.reason);
            for (const named_value_type& lost : o.outputs) { // readers of them say nothing
                scope.define(lost.called, {});
            }
            return;
        }
        reader.statement(s);
    }

    ANEMONE_INLINE void notes(readers::mil_scope& scope) const {
        for (const auto* ports : {&model_.description.inputs, &model_.description.outputs}) {
            for (const feature_description& each : *ports) {
                if (each.type.image.present) {
                    scope.note(formatted("the port {} is an image in the file and a tensor here: whoever calls "
                                         "converts its pixels",
                                         shown(each.called)));
                }
            }
        }
        for (const unknown_field& each : wire_.unknown()) {
            scope.note(formatted("field {} of {} is not known here and was passed over", each.number, each.message));
        }
    }

    wire_reader wire_;
    std::string file_;
    model model_;
    program program_;
};

} // namespace ane::mlpackage::inline ANEMONE_WAY
