#pragma once

#include "../base/error.hpp"
#include "../graph/uses.hpp"
#include "../weights/statistics.hpp"
#include "cpp.hpp"
#include "cpp_calls.hpp"
#include "cpp_lines.hpp"
#include "cpp_names.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ane::formats::inline ANEMONE_WAY {

/// Writes the header of a graph, statement by statement.
class cpp_writer {
public:
    ANEMONE_INLINE cpp_writer(const graph_view& g, const cpp_options& options)
        : graph_(g), options_(options), readers_(uses(g)), ports_(node_ports(g)), values_(g.nodes.size()) {
        for (const node& n : g.nodes) {
            if (n.kind == op::pad) {
                --readers_[static_cast<std::size_t>(g.operands(n)[1])];
            }
        }
        for (std::size_t i = 0; i < op_count; ++i) {
            if (!is_source(static_cast<op>(i))) { // sources are members of the builder
                names_.reserve(name(static_cast<op>(i)));
            }
        }
        for (std::size_t begin = 1; begin < words.size();) {
            const std::size_t end = words.find(' ', begin);
            names_.reserve(words.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    /// Whether a word means something in the function.
    ANEMONE_INLINE static bool is_reserved(std::string_view word) {
        for (std::size_t i = 0; i < op_count; ++i) {
            if (!is_source(static_cast<op>(i)) && name(static_cast<op>(i)) == word) {
                return true;
            }
        }
        return words.find(formatted(" {} ", word)) != std::string_view::npos;
    }

    ANEMONE_INLINE std::string write() && {
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind == op::input) { // a port's name comes first
                identifier(i);
            }
        }
        for (int i = 0; i < graph_.size(); ++i) {
            node_statement(i);
        }
        for (const output_port& port : graph_.outputs) {
            const std::string value = tensor(port.node);
            if (port.is_state()) {
                body_ += cpp_line(1, formatted("write({}, {});", identifier(port.state), value));
            } else {
                body_ += cpp_line(1, formatted("g.output({}, {});", cpp_string(graph_.name(port)), value));
            }
        }
        std::string text = beginning();
        if (!statistics_.empty()) {
            text += "\n/// What the weights are, stored as fp16: the contracts of the model.\nnamespace stats {\n";
            text += statistics_ + "} // namespace stats\n";
        }
        return text + model();
    }

private:
    /// What stands in the function besides operations, and so can be the name of nothing else: words between blanks.
    static constexpr std::string_view words =
        " ane std g model stats weights_file f16 u8 i8 to_f16 within bounded_by contract read "
        "write cut on_host conv pool transposed axis axes permutation window pads repeats "
        "factors sampling quantization compression cumulation dtype weight_form strided_window "
        "index_range scaled_function same valid size2 sampling_method sampling_border "
        "sampling_grid palette sparse affine_int8 blockwise string_view builder graph tensor "
        "shape macs ";

    ANEMONE_INLINE std::string& at(int index) { return values_[static_cast<std::size_t>(index)]; }

    /// The value of a node where it has to be a tensor.
    ANEMONE_INLINE std::string tensor(int index) {
        return numbers_.contains(index) ? formatted("g.constant(f16<>, {})", at(index)) : at(index);
    }

    /// The variable of a node, made of the layer's name, or of what it computes.
    ANEMONE_INLINE const std::string& identifier(int index) {
        const auto [place, is_new] = variables_.try_emplace(index);
        if (is_new) {
            const std::string_view given = graph_.name(index);
            place->second = names_.fresh(given.empty() ? name(graph_[index].kind) : given);
        }
        return place->second;
    }

    ANEMONE_INLINE void define(int index, const std::string& value) {
        body_ += cpp_line(1, formatted("const auto {} = {};", identifier(index), value));
        at(index) = identifier(index);
    }

    ANEMONE_INLINE void node_statement(int index) {
        const node& n = graph_[index];
        if (n.kind == op::input) {
            const bool is_state = ports_[static_cast<std::size_t>(index)].next >= 0;
            define(index, formatted("g.{}({}, {}{})", is_state ? "state" : "input", cpp_string(graph_.name(index)),
                                    cpp_type(n.type, n.shape), promise(index)));
            if (is_state) {
                at(index) = formatted("read({})", identifier(index));
            }
        } else if (n.kind == op::weight) {
            define(index, formatted("g.weight({}, {}{})", cpp_string(graph_.name(index)), cpp_type(n.type, n.shape),
                                    promise(index)));
        } else if (n.kind == op::constant) {
            constant(index);
        } else {
            operation(index);
        }
    }

    /// What is promised of a source, as a last argument.
    ANEMONE_INLINE std::string promise(int index) {
        const contract& c = graph_[index].get<contract>();
        if (c == contract{}) {
            return "";
        }
        const tensor_statistics s{c.low, c.high, c.row_l1, c.column_l1, c.deviation, c.zeros};
        if (graph_[index].kind == op::weight && c == bounded_by(s)) {
            statistics_ += cpp_line(
                0, formatted("inline constexpr ane::tensor_statistics {}{};", identifier(index), ane::print(s)));
            return formatted(", bounded_by(stats::{})", identifier(index));
        }
        if (c == within(c.low, c.high)) {
            return formatted(", within({}, {})", cpp_number(c.low), cpp_number(c.high));
        }
        return ", " + cpp_struct(c);
    }

    /// Whether several operations read a node; pads, which take numbers alone, do not count.
    ANEMONE_INLINE bool is_shared(int index) const { return readers_[static_cast<std::size_t>(index)] > 1; }

    /// A number that a single operation reads stands in its call; other constants have a statement.
    ANEMONE_INLINE void constant(int index) {
        const node& n = graph_[index];
        const std::span<const float> values = graph_.values(n);
        if (n.shape.rank == 0 && !is_shared(index)) {
            at(index) = cpp_number(values.front());
            numbers_.insert(index);
            return;
        }
        std::string list;
        if (values.size() == 1) {
            list = cpp_number(values.front());
        } else {
            for (const float value : values) {
                list += formatted("{}{}", list.empty() ? "{" : ", ", cpp_value(value));
            }
            list += "}";
        }
        define(index, formatted("g.constant({}, {})", cpp_type(n.type, n.shape), list));
    }

    /// Whether an operation takes a number in the place of an operand.
    ANEMONE_INLINE bool takes_number(int index, int position) const {
        const node& n = graph_[index];
        if (n.kind == op::pad || n.kind == op::select) {
            return position > 0;
        }
        return is_binary(n.kind) || is_comparison(n.kind);
    }

    ANEMONE_INLINE void operation(int index) {
        const node& n = graph_[index];
        cpp_call call = cpp_call_of(graph_, index);
        std::vector<std::string> arguments;
        int numbers = 0;
        for (int i = 0; i < n.operands.count; ++i) {
            const int o = graph_.operands(index)[static_cast<std::size_t>(i)];
            std::string value = at(o);
            if (numbers_.contains(o)) {
                const bool fits = takes_number(index, i) && numbers++ == 0;
                value = fits ? value : tensor(o);
            } else if (n.kind == op::pad && i == 1) {
                const bool known = graph_[o].kind == op::constant && graph_[o].shape.rank == 0;
                call.fault = known ? "" : "its value is not a constant of rank 0, which the typed function requires";
                value = known ? cpp_number(graph_.value(graph_[o], 0)) : value;
            }
            arguments.push_back(value);
        }
        if (!call.fault.empty()) {
            throw error(errc::graph, ane::print(graph_, index), std::string(call.fault));
        }
        arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
        std::string text =
            formatted("{}{}({}){}", call.function, constants_of(call), ane::detail::joined(arguments), call.result);
        text = n.on_host ? formatted("on_host({})", text) : text;
        text = n.ends_segment ? formatted("cut({})", text) : text;
        if (const std::string_view given = graph_.name(index); !given.empty()) {
            text = formatted("g.layer({}, {})", cpp_string(given), text);
        }
        define(index, text);
    }

    ANEMONE_INLINE std::string constants_of(const cpp_call& call) const {
        if (call.constants.empty()) {
            return "";
        }
        return formatted("<{}>", ane::detail::joined(call.constants));
    }

    // ---- around the statements ------------------------------------------------------------------------------------

    /// "image [1, 3, 32, 32] and mask [1, 1] (bytes)"
    ANEMONE_INLINE std::string ports(bool inputs) const {
        std::vector<std::string> all;
        const auto add = [&](std::string_view called, const node& n) {
            all.push_back(formatted("{} {}{}", called, ane::print(n.shape), n.type == dtype::f16 ? "" : " (bytes)"));
        };
        for (int i = 0; i < graph_.size() && inputs; ++i) {
            if (graph_[i].kind == op::input && ports_[static_cast<std::size_t>(i)].next < 0) {
                add(graph_.name(i), graph_[i]);
            }
        }
        for (const output_port& port : graph_.outputs) {
            if (!inputs && !port.is_state()) {
                add(graph_.name(port), graph_[port.node]);
            }
        }
        return all.empty() ? "nothing" : ane::detail::joined(all);
    }

    ANEMONE_INLINE std::string beginning() const {
        std::string text =
            cpp_note("Made by `anemone convert --to cpp`: convert the model again rather than edit this file.");
        if (!options_.source.empty()) {
            text += cpp_note(formatted("file: {}", cpp_comment(options_.source)));
        }
        if (!options_.digest.empty()) {
            text += cpp_note(formatted("sha256: {}", cpp_comment(options_.digest)));
        }
        text += "#pragma once\n\n#include <anemone/model.hpp>\n\n";
        if ((statistics_ + body_).find("infinity()") != std::string::npos) {
            text += "#include <limits>\n";
        }
        text += formatted("#include <string_view>\n\nnamespace {} {{\n", options_.name);
        text += "\n/// The file with the values of the weights.\n";
        text += formatted("inline constexpr std::string_view weights_file = {};\n", cpp_string(options_.weights_file));
        return text;
    }

    ANEMONE_INLINE std::string model() const {
        std::string text;
        text += formatted("\n/// From {} to {}.\n", ports(true), ports(false));
        text += "inline constexpr auto model = ane::graph([](ane::builder& g) {\n    using namespace ane;\n";
        text += body_ + "});\n";
        const target_set wanted = options_.targets;
        if (!wanted.empty()) {
            std::vector<std::string> each;
            wanted.for_each([&](target t) { each.push_back(formatted("ane::{}", describe(t).runtime)); });
            text += "\n" + cpp_line(0, formatted("static_assert(ane::conforms<model, {}>);",
                                                 wanted == macs          ? std::string("ane::macs")
                                                 : wanted == all_targets ? std::string("ane::all_targets")
                                                 : each.size() == 1
                                                     ? each.front()
                                                     : formatted("ane::target_set{{{}}}", ane::detail::joined(each))));
        }
        return text + formatted("\n}} // namespace {}\n", options_.name);
    }

    graph_view graph_;
    const cpp_options& options_;
    sequence<int> readers_;
    sequence<node_port> ports_;
    cpp_names names_;
    std::map<int, std::string> variables_;
    std::set<int> numbers_;           ///< constants that stand in the calls of their readers
    std::vector<std::string> values_; ///< what a reader of a node writes
    std::string statistics_;
    std::string body_;
};

} // namespace ane::formats::inline ANEMONE_WAY
