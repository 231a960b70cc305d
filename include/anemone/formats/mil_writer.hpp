#pragma once

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "mil.hpp"
#include "mil_arguments.hpp"
#include "mil_compressed.hpp"
#include "mil_names.hpp"
#include "mil_zero_points.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::formats::inline ANEMONE_WAY {

/// Writes one function, statement by statement, of a graph without faults.
class mil_writer {
public:
    ANEMONE_INLINE mil_writer(const graph_view& g, const folded_constants& constants, const mil_options& options)
        : graph_(g), constants_(constants), stored_(stored_in_mil(g, options.every_stored_form)),
          system_(options.system), names_(g.nodes.size()), output_of_(g.nodes.size(), -1) {
        std::vector<std::string_view> given;
        std::vector<int> inputs;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                given.push_back(g.name(i));
                inputs.push_back(i);
            }
        }
        std::vector<int> outputs;
        for (const output_port& port : g.outputs) {
            if (options.core_ml_states && port.is_state()) {
                states_.push_back({port.state, port.node});
            } else {
                given.push_back(g.name(port));
                outputs.push_back(port.node);
            }
        }
        if (outputs.empty()) {
            throw error(errc::lowering, "outputs", "a file for Core ML needs an output that is not a state");
        }
        const std::vector<std::string> ports = mil_port_names(given);
        prefix_ = unused_variable_prefix(ports);
        for (std::size_t i = 0; i < ports.size(); ++i) {
            (i < inputs.size() ? program_.inputs : program_.outputs).push_back(ports[i]);
            if (i < inputs.size()) {
                set_name(inputs[i], ports[i]);
            }
        }
        for (written_state& each : states_) {
            each.parameter =
                static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), each.input) - inputs.begin());
        }
        for (std::size_t i = outputs.size(); i-- > 0;) { // the first of several names
            output_of_[static_cast<std::size_t>(outputs[i])] = static_cast<int>(i);
        }
        name_layers(ports);
    }

    ANEMONE_INLINE mil_program write() && {
        std::string parameters;
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind == op::input) {
                const std::string type = mil_type(graph_[i].type, graph_[i].shape);
                parameters += formatted("{}{} {}", parameters.empty() ? "" : ", ",
                                        is_written_state(i) ? formatted("state<{}>", type) : type, name(i));
            }
        }
        for (const written_state& each : states_) { // all are read before one is written
            const int input = each.input;
            const std::string value = helper(input, "value");
            body_ += formatted("        {0} {1} = read_state(input = {2})[name = string(\"{1}\")];\n",
                               mil_type(graph_[input].type, graph_[input].shape), value, name(input));
            set_name(input, value);
        }
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind != op::input && !constants_.known(i)) {
                operation(i);
            }
        }
        for (const written_state& each : states_) {
            const std::string next = argument(each.next);
            body_ += formatted("        write_state(data = {}, input = {})[name = string(\"{}\")];\n", next,
                               program_.inputs[each.parameter], helper(each.input, "written"));
        }
        program_.text = formatted("program(1.3)\n"
                                  "[buildInfo = dict<string, string>({{{{\"coremlc-component-MIL\", \"3520.4.1\"}}, "
                                  "{{\"coremlc-version\", \"3520.5.1\"}}}})]\n"
                                  "{{\n    func main<{}>({}) {{\n{}    }} -> ({});\n}}\n",
                                  describe(system_).opset, parameters, body_, ane::detail::joined(program_.outputs));
        return std::move(program_);
    }

private:
    ANEMONE_INLINE void name_layers(const std::vector<std::string>& ports) {
        layer_names names;
        for (const std::string& port : ports) {
            names.take(port);
        }
        std::vector<std::string> wanted(graph_.nodes.size());
        for (int i = 0; i < graph_.size(); ++i) {
            if (!is_source(graph_[i].kind) && !constants_.known(i) && !graph_.name(i).empty()) {
                names.keep(wanted[static_cast<std::size_t>(i)] = mil_layer_name(graph_.name(i)));
            }
        }
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const bool is_its_port =
                output_of_[i] >= 0 && wanted[i] == program_.outputs[static_cast<std::size_t>(output_of_[i])];
            layers_.push_back(wanted[i].empty() || is_its_port ? wanted[i] : names.fresh(wanted[i]));
        }
    }

    /// A state as Core ML has it.
    struct written_state {
        int input;
        int next;
        std::size_t parameter = 0; ///< its position among the program's inputs
    };
    ANEMONE_INLINE bool is_written_state(int input) const {
        return std::any_of(states_.begin(), states_.end(), [&](const written_state& s) { return s.input == input; });
    }

    ANEMONE_INLINE const std::string& name(int index) const { return names_[static_cast<std::size_t>(index)]; }
    ANEMONE_INLINE void set_name(int index, std::string text) {
        names_[static_cast<std::size_t>(index)] = std::move(text);
    }
    ANEMONE_INLINE int operand(int index, int position) const {
        return graph_.operands(index)[static_cast<std::size_t>(position)];
    }

    /// Variables have the names of outputs and layers, or are called t0, t1, ...; a port of such a name moves them aside.
    ANEMONE_INLINE std::string variable(int index) const {
        const int output = output_of_[static_cast<std::size_t>(index)];
        return output < 0 ? title(index) : program_.outputs[static_cast<std::size_t>(output)];
    }
    ANEMONE_INLINE std::string title(int index) const {
        const std::string& layer = layers_[static_cast<std::size_t>(index)];
        return layer.empty() ? formatted("{}{}", prefix_, index) : layer;
    }
    /// A name beside that of an operation; not derived from a port's, so that it cannot collide with one.
    ANEMONE_INLINE std::string helper(int index, std::string_view of) const {
        return formatted("{}{}_{}", prefix_, index, of);
    }

    /// The attribute `name` is the layer's, also of an output, or that of the result.
    ANEMONE_INLINE void statement(const std::string& type, const std::string& result, std::string_view operation,
                                  const std::vector<std::string>& arguments, std::string_view layer = {}) {
        body_ += formatted("        {} {} = {}({})[name = string(\"{}\")];\n", type, result, operation,
                           ane::detail::joined(arguments), layer.empty() ? std::string_view(result) : layer);
    }

    /// A constant as an argument: a number in place, a tensor as a statement that refers to the blob.
    ANEMONE_INLINE std::string constant(int index) {
        const node& n = graph_[index];
        if (n.type == dtype::boolean) {
            return condition(index);
        }
        const auto& values = constants_.values[static_cast<std::size_t>(index)];
        for (const half value : values) {
            require_finite(index, value);
        }
        if (n.shape.rank == 0) {
            return mil_literal(values.front());
        }
        if (name(index).empty()) {
            set_name(index, variable(index));
            if (!stored_weight(index)) {
                body_ += mil_part(mil_type(n.type, n.shape), name(index), program_.weights.add(values));
            }
        }
        return name(index);
    }

    /// Constant booleans: a blob cannot hold them, so a comparison with zero makes them of numbers.
    ANEMONE_INLINE std::string condition(int index) {
        const node& n = graph_[index];
        const std::vector<std::byte>& bytes = constants_.bytes[static_cast<std::size_t>(index)];
        if (n.shape.rank == 0) {
            return mil_literal(bytes.front() != std::byte{0});
        }
        if (name(index).empty()) {
            std::vector<half> numbers;
            numbers.reserve(bytes.size());
            for (const std::byte b : bytes) {
                numbers.emplace_back(b != std::byte{0} ? 1.0 : 0.0);
            }
            const std::string source = helper(index, "numbers");
            body_ += mil_part(mil_type(dtype::f16, n.shape), source, program_.weights.add(numbers));
            set_name(index, variable(index));
            statement(mil_type(n.type, n.shape), name(index), "not_equal",
                      {"x = " + source, "y = " + mil_literal(half{})});
        }
        return name(index);
    }

    /// Writes a compressed weight as it is stored, encoded anew from the values that it was given, and says whether it
    /// did; not a sparse weight of zeros alone, whose list of values would be empty.
    ANEMONE_INLINE bool stored_weight(int index) {
        const stored_place place = stored_[static_cast<std::size_t>(index)];
        if (place == stored_place::nowhere) {
            return false;
        }
        const node& n = graph_[index];
        const auto given = static_cast<std::size_t>(operand(index, 0));
        const encoded_weight w = encode_weight(constants_.values[given], n.shape, n.get<compression>());
        if (w.data.empty()) {
            return false;
        }
        const std::string result = name(index);
        const bool sums = place == stored_place::by_way_of_a_sum;
        const std::string stored = sums ? helper(index, "stored") : result;
        body_ += mil_stored_weight(stored, w, program_.weights);
        if (sums) { // as a weight the compiler takes the sum, though not the stored form
            statement(mil_type(n.type, n.shape), result, "add", {"x = " + stored, "y = " + mil_literal(half{})});
        }
        return true;
    }

    ANEMONE_INLINE std::string argument(int index) { return constants_.known(index) ? constant(index) : name(index); }

    /// The engine reads no infinite literal, and weights must be finite (R006).
    ANEMONE_INLINE void require_finite(int index, half value) const {
        if (!is_finite(value)) {
            throw error(errc::lowering, print(graph_, index),
                        formatted("a value is {} as fp16, the limit is {}", static_cast<double>(value), half_max));
        }
    }

    ANEMONE_INLINE void operation(int index) {
        const node& n = graph_[index];
        const mil_form& form = *find_mil_form(n.kind);
        const std::string result = variable(index);
        const std::string type = mil_type(n.type, n.shape);
        const int beside = indices_beside(graph_, index);
        if (n.kind == op::top_k_indices) {
            places(index, type, result);
        } else if (beside >= 0) {
            ranked(type, result, helper(beside, "integers"), arguments(index, form));
        } else {
            const std::vector<std::string> given = arguments(index, form);
            statement(type, result, mil_name_of(graph_, n, form), given, layers_[static_cast<std::size_t>(index)]);
        }
        set_name(index, result);
    }

    ANEMONE_INLINE std::vector<std::string> arguments(int index, const mil_form& form) {
        const node& n = graph_[index];
        std::vector<std::string> list;
        const auto add = [&](std::string_view key, const std::string& value) {
            list.push_back(formatted("{} = {}", key, value));
        };
        for (const mil_argument& a : mil_arguments(graph_, index).of(form)) {
            add(a.key, a.in_place ? a.literal : named(index, a.key, a.literal));
        }
        if (n.kind == op::concat) {
            add("values", tuple(index));
        }
        for (int i = 0; i < n.operands.count && !form.operands[static_cast<std::size_t>(i)].empty(); ++i) {
            add(form.operands[static_cast<std::size_t>(i)], argument(operand(index, i)));
        }
        if (n.kind == op::pad) {
            const int value = operand(index, 1);
            require_finite(value, constants_.data(value)[0]);
            add("constant_val", mil_literal(constants_.data(value)[0]));
        }
        if (n.kind == op::quantize || n.kind == op::dequantize) {
            scales(index, add);
        }
        return list;
    }

    /// A literal as a constant with a name: lists, flags and strings need a statement of their own.
    ANEMONE_INLINE std::string named(int owner, std::string_view key, const std::string& literal) {
        std::string constant_name = helper(owner, key);
        body_ += mil_constant(mil_literal_type(literal), constant_name, literal);
        return constant_name;
    }

    ANEMONE_INLINE std::string tuple(int index) {
        std::vector<std::string> parts;
        for (const int o : graph_.operands(index)) {
            parts.push_back(argument(o));
        }
        return "(" + ane::detail::joined(parts) + ")";
    }

    /// topk with both of its results.
    ANEMONE_INLINE void ranked(const std::string& type, const std::string& values, const std::string& integers,
                               const std::vector<std::string>& list) {
        const std::string of_integers = "tensor<int32" + type.substr(type.find(','));
        body_ += formatted("        {0} {1}, {2} {3} = topk({4})[name = string(\"{1}\")];\n", type, values, of_integers,
                           integers, ane::detail::joined(list));
        ranked_.push_back(integers);
    }
    /// The second result, which holds integers, as numbers; of a topk of its own where no top_k has it.
    ANEMONE_INLINE void places(int index, const std::string& type, const std::string& result) {
        const std::string integers = helper(index, "integers");
        if (std::find(ranked_.begin(), ranked_.end(), integers) == ranked_.end()) {
            ranked(type, helper(index, "values"), integers, arguments(index, *find_mil_form(op::top_k_indices)));
        }
        const std::string to = named(index, "dtype", mil_literal(std::string_view("fp16")));
        statement(type, result, "cast", {"dtype = " + to, "x = " + integers});
    }

    /// The scale, the zero point and the axis of quantize and dequantize: both numbers, or both vectors of the axis.
    template <class Add> void scales(int index, const Add& add) {
        const node& n = graph_[index];
        const bool shifted = n.operands.count == 3;
        const auto values_of = [&](int position) {
            const auto at = static_cast<std::size_t>(operand(index, position));
            return constants_.values[at];
        };
        std::vector<half> scale = values_of(1);
        std::vector<half> zero = shifted ? values_of(2) : std::vector<half>();
        const std::size_t count = std::max(scale.size(), zero.size());
        for (const half value : scale) {
            require_finite(operand(index, 1), value);
        }
        scale.resize(count, scale.front());
        const quantization& q = n.get<quantization>();
        if (shifted) {
            zero.resize(count, zero.front());
            const std::vector<std::int64_t> integers = zero_point_integers(graph_, index, zero);
            add("zero_point",
                count == 1 ? formatted("{}({})", mil_name(q.type), integers.front()) : zero_points(index, integers));
        }
        if (count == 1) {
            add("scale", mil_literal(scale.front()));
            return;
        }
        const std::string vector = helper(index, "scale");
        body_ +=
            mil_part(mil_type(dtype::f16, {static_cast<std::int64_t>(count)}), vector, program_.weights.add(scale));
        add("scale", vector);
        add("axis", named(index, "axis", mil_literal(normalized_axis(q.axis, n.shape.rank))));
    }
    ANEMONE_INLINE std::string zero_points(int index, const std::vector<std::int64_t>& integers) {
        const dtype type = graph_[index].get<quantization>().type;
        std::vector<std::byte> bytes;
        bytes.reserve(integers.size());
        for (const std::int64_t z : integers) {
            bytes.push_back(static_cast<std::byte>(z & 0xFF));
        }
        std::string vector = helper(index, "zero_point");
        const auto stored = type == dtype::uint8 ? blob_type::uint8 : blob_type::int8;
        body_ += mil_part(mil_type(type, {std::ssize(integers)}), vector, program_.weights.add(stored, bytes, 0));
        return vector;
    }

    graph_view graph_;
    const folded_constants& constants_;
    std::vector<stored_place> stored_; ///< of compressed weights
    operating_system system_;
    std::vector<std::string> names_;
    std::vector<std::string> layers_; ///< by node; empty where it has no name
    std::vector<written_state> states_;
    std::vector<int> output_of_;      ///< by node; -1 where it is none
    std::vector<std::string> ranked_; ///< the second results of topk, as far as they are written
    std::string prefix_;
    std::string body_;
    mil_program program_;
};

} // namespace ane::formats::inline ANEMONE_WAY
