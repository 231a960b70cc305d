#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../forms/mil_faults.hpp"
#include "../graph/reflection.hpp"
#include "../io/file.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "../weights/encode.hpp"
#include "form_refusal.hpp"
#include "mil.hpp"
#include "mil_compressed.hpp"
#include "mil_words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_INLINE std::string mil_type(dtype type, const extents& shape) {
    return shape.rank == 0 ? std::string(mil_name(type)) : formatted("tensor<{}, {}>", mil_name(type), print(shape));
}

/// Literals are typed; fp16 ones are C99 hexadecimal floats of the value already rounded to fp16.
ANEMONE_INLINE std::string mil_literal(half value) { return formatted("fp16({:a})", static_cast<double>(value)); }
ANEMONE_INLINE std::string mil_literal(float value) { return mil_literal(half(value)); }
ANEMONE_INLINE std::string mil_literal(bool value) { return formatted("bool({})", value); }
ANEMONE_INLINE std::string mil_literal(int value) { return formatted("int32({})", value); }
ANEMONE_INLINE std::string mil_literal(std::string_view value) { return formatted("string(\"{}\")", value); }
ANEMONE_INLINE std::string mil_literal(const indices& value) {
    return formatted("tensor<int32, [{}]>({})", value.rank, print(value));
}
ANEMONE_INLINE std::string mil_literal(size2 value) { return mil_literal(indices{value.height, value.width}); }
ANEMONE_INLINE std::string mil_literal(const padding2& value) {
    return mil_literal(indices{value.top, value.bottom, value.left, value.right});
}

/// The type that a literal starts with: "int32" of "int32(1)".
ANEMONE_INLINE std::string mil_literal_type(const std::string& literal) { return literal.substr(0, literal.find('(')); }

/// Writes one function, statement by statement.
class mil_writer {
public:
    ANEMONE_INLINE mil_writer(const graph_view& g, const materialized& constants)
        : graph_(g), constants_(constants), stored_(stored_in_mil(g)) {
        names_.resize(g.nodes.size());
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                set_name(i, port_name(g.name(i)));
                program_.inputs.push_back(name(i));
            }
        }
        for (const output_port& port : g.outputs) {
            program_.outputs.push_back(port_name(g.name(port)));
        }
        output_of_.resize(g.nodes.size(), -1);
        for (std::size_t i = g.outputs.size(); i-- > 0;) { // the first of several names
            output_of_[static_cast<std::size_t>(g.outputs[i].node)] = static_cast<int>(i);
        }
        prefix_ = unused_prefix();
    }

    ANEMONE_INLINE mil_program write() && {
        std::string parameters;
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind == op::input) {
                parameters += formatted("{}{} {}", parameters.empty() ? "" : ", ",
                                        mil_type(graph_[i].type, graph_[i].shape), name(i));
            }
        }
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind != op::input && !constants_.known(i)) {
                operation(i);
            }
        }
        program_.text = formatted("program(1.3)\n"
                                  "[buildInfo = dict<string, string>({{{{\"coremlc-component-MIL\", \"3520.4.1\"}}, "
                                  "{{\"coremlc-version\", \"3520.5.1\"}}}})]\n"
                                  "{{\n    func main<ios18>({}) {{\n{}    }} -> ({});\n}}\n",
                                  parameters, body_, ane::detail::joined(program_.outputs));
        return std::move(program_);
    }

private:
    ANEMONE_INLINE const std::string& name(int index) const { return names_[static_cast<std::size_t>(index)]; }
    ANEMONE_INLINE void set_name(int index, std::string text) {
        names_[static_cast<std::size_t>(index)] = std::move(text);
    }

    /// A port's name in the text: not a word of the grammar, and unique among the ports.
    ANEMONE_INLINE std::string port_name(std::string_view given) const {
        std::string result(given);
        if (is_mil_word(given)) {
            do {
                result += '_';
            } while (is_port(result));
        }
        return result;
    }
    ANEMONE_INLINE bool is_port(std::string_view given) const {
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind == op::input && graph_.name(i) == given) {
                return true;
            }
        }
        return std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                           [&](const output_port& port) { return graph_.name(port) == given; });
    }

    /// Variables are called t0, t1, ...; a port of such a name moves them aside.
    ANEMONE_INLINE std::string unused_prefix() const {
        std::string prefix = "t";
        const auto clashes = [&](const std::string& port) { return port.compare(0, prefix.size(), prefix) == 0; };
        while (std::any_of(program_.inputs.begin(), program_.inputs.end(), clashes) ||
               std::any_of(program_.outputs.begin(), program_.outputs.end(), clashes)) {
            prefix += '_';
        }
        return prefix;
    }

    ANEMONE_INLINE std::string variable(int index) const {
        const int output = output_of_[static_cast<std::size_t>(index)];
        return output < 0 ? formatted("{}{}", prefix_, index) : program_.outputs[static_cast<std::size_t>(output)];
    }

    /// A constant as an argument: a number in place, a tensor as a statement that refers to the blob.
    ANEMONE_INLINE std::string constant(int index) {
        const node& n = graph_[index];
        const auto& values = constants_.values[static_cast<std::size_t>(index)];
        for (const half value : values) {
            require_finite(index, value);
        }
        if (n.shape.rank == 0) {
            return mil_literal(values.front());
        }
        if (name(index).empty()) {
            set_name(index, variable(index));
            body_ += stored_weight(index);
            if (stored_[static_cast<std::size_t>(index)] == 0) {
                body_ += mil_part(mil_type(n.type, n.shape), name(index), program_.weights.add(values));
            }
        }
        return name(index);
    }

    /// The statements of a compressed weight that is written as it is stored: encoded anew, from the values that it was
    /// given. Nothing for other constants, nor for a sparse weight of zeros alone, whose list of values would be empty.
    ANEMONE_INLINE std::string stored_weight(int index) {
        char& stored = stored_[static_cast<std::size_t>(index)];
        if (stored == 0) {
            return {};
        }
        const node& n = graph_[index];
        const auto given = static_cast<std::size_t>(graph_.operands(index)[0]);
        const encoded_weight w = encode_weight(constants_.values[given], n.shape, n.get<compression>());
        stored = w.data.empty() ? 0 : 1;
        return stored == 0 ? std::string() : mil_stored_weight(name(index), w, program_.weights);
    }

    ANEMONE_INLINE std::string argument(int index) { return constants_.known(index) ? constant(index) : name(index); }

    /// The engine reads no infinite literal, and weights must be finite (R006).
    ANEMONE_INLINE void require_finite(int index, half value) const {
        if (!is_finite(value)) {
            throw error(errc::lowering, print(graph_, index),
                        formatted("a value is {} as fp16, the limit is {}", static_cast<double>(value), half_max));
        }
    }

    /// A literal as an argument. Numbers are written inline; lists, flags and strings need a statement of their own,
    /// whose name is not derived from a port's, so that it cannot collide with one.
    ANEMONE_INLINE std::string attribute(int owner, std::string_view key, const std::string& literal, bool in_place) {
        if (in_place) {
            return literal;
        }
        std::string constant_name = formatted("{}{}_{}", prefix_, owner, key);
        body_ += formatted("        {} {} = const()[name = string(\"{}\"), val = {}];\n", mil_literal_type(literal),
                           constant_name, constant_name, literal);
        return constant_name;
    }

    ANEMONE_INLINE void operation(int index) {
        const node& n = graph_[index];
        const mil_form* const form = find_mil_form(n.kind);
        const std::string result = variable(index);
        std::vector<std::string> arguments;
        const auto add = [&](std::string_view key, const std::string& value) {
            arguments.push_back(formatted("{} = {}", key, value));
        };
        attributes(index, *form, add);
        if (n.kind == op::concat) {
            add("values", tuple(index));
        } else {
            for (int i = 0; i < n.operands.count; ++i) {
                add(form->operands[static_cast<std::size_t>(i)],
                    argument(graph_.operands(index)[static_cast<std::size_t>(i)]));
            }
        }
        body_ += formatted("        {} {} = {}({})[name = string(\"{}\")];\n", mil_type(n.type, n.shape), result,
                           form->name, ane::detail::joined(arguments), result);
        set_name(index, result);
    }

    ANEMONE_INLINE std::string tuple(int index) {
        std::vector<std::string> parts;
        for (const int o : graph_.operands(index)) {
            parts.push_back(argument(o));
        }
        return "(" + ane::detail::joined(parts) + ")";
    }

    /// Every argument is written: the engine's parser does not fill in the public defaults (mil-ops section 3).
    template <class Add> void attributes(int index, const mil_form& form, const Add& add) {
        const node& n = graph_[index];
        const ane::attributes written = is_pool(n.kind) ? ane::attributes(padded_out(index)) : n.attributes;
        written.visit([&](const auto& values) {
            std::size_t position = 0;
            for_each_member(values, [&](std::string_view, const auto& member) {
                using member_type = std::remove_cvref_t<decltype(member)>;
                const std::string_view key = position < form.members.size() ? form.members[position] : "";
                ++position;
                if constexpr (requires { mil_literal(member); }) {
                    if (!key.empty()) {
                        const bool in_place = std::is_same_v<member_type, float> || n.kind == op::matmul;
                        add(key, attribute(index, key, mil_literal(member), in_place));
                    }
                }
            });
        });
        const auto also = [&](std::string_view key, const auto& value) {
            add(key, attribute(index, key, mil_literal(value), false));
        };
        if (!form.fixed_argument.empty()) {
            also(form.fixed_argument, form.fixed_value);
        }
        if (is_reduction(n.kind)) {
            also("keep_dims", true);
        } else if (n.kind == op::reshape) {
            also("shape", n.shape);
        } else if (n.kind == op::concat) {
            also("interleave", false);
        } else if (n.kind == op::pad) {
            const pads& amounts = n.get<pads>();
            also("pad", interleaved(amounts));
        }
    }

    ANEMONE_INLINE pool padded_out(int index) const {
        const node& n = graph_[index];
        pool p = n.get<pool>();
        p.padding = forms::written_padding(p, graph_.operand(n, 0).shape, n.shape);
        p.ceil_mode = false;
        return p;
    }

    /// before and after of each axis in turn, as the pad operation wants them, of the last four axes at most.
    ANEMONE_INLINE static indices interleaved(const pads& amounts) {
        indices flat;
        const int first = amounts.before.rank > 4 ? amounts.before.rank - 4 : 0;
        for (int i = first; i < amounts.before.rank; ++i) {
            flat.append(amounts.before[i]);
            flat.append(amounts.after[i]);
        }
        return flat;
    }

    graph_view graph_;
    const materialized& constants_;
    std::vector<char> stored_; ///< compressed weights that are written as they are stored
    std::vector<std::string> names_;
    std::vector<int> output_of_; ///< by node; -1 where it is none
    std::string prefix_;
    std::string body_;
    mil_program program_;
};

} // namespace ane::formats::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY mil_program emit_mil(const graph_view& lowered, const materialized& constants) {
    validate(lowered);
    require_constants_of(lowered, constants);
    formats::refuse_faults(lowered, mil_faults(lowered), constants);
    return formats::mil_writer(lowered, constants).write();
}

ANEMONE_BODY std::string write_mil(const mil_program& program, const std::string& directory) {
    std::string text = std::filesystem::path(directory) / "model.mil";
    const detail::named_bytes files[]{{std::filesystem::path(directory) / "weights.bin", program.weights.bytes()},
                                      {text, std::as_bytes(std::span(program.text))}};
    detail::write_files(files);
    return text;
}

} // namespace ane::inline ANEMONE_WAY
