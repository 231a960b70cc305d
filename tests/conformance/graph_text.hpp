#pragma once

#include "text_values.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/gradient/gradient.hpp>
#include <anemone/graph/copy.hpp>
#include <anemone/graph/op.hpp>
#include <anemone/graph/reflection.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/passes/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// Graphs as text, one line a node:
///
///     x input shape=1,3,8,8 at=0              an input or weight; `at` is where its elements lie among the tensors
///     b input shape=4 at=384 type=uint8       fp16 unless it says uint8 or int8
///     k constant shape=2 values=0.5,2         one value for each element, or one for all
///     y conv2d x w stride=2,2 padding=1,1,1,1 name, operation, operands, members of its attribute struct
///     z reshape y shape=4,32                  the result's shape: where operands and attributes do not decide it, or
///                                             to have it checked
///     output z
///     gradient z x w                          outputs more: the derivatives of the sum of z by x and by w
///
/// Operations are called as in graph/operations.def and members as in graph/attribute_structs.hpp, by reflection: one
/// reader serves all operations. Members that are left out keep their defaults. Whatever is malformed is an error.
namespace graph_text {

using namespace ane;

/// The words `key=value` of a line. Each is taken once; what is left at the end is an error.
class assignments {
public:
    void add(std::string_view key, std::string_view value) {
        if (!values_.emplace(key, value).second) {
            refuse("is given twice", key);
        }
    }
    /// Takes the value of `key` out; false where there is none.
    bool take(std::string_view key, std::string_view& value) {
        const auto found = values_.find(key);
        if (found == values_.end()) {
            return false;
        }
        value = found->second;
        values_.erase(found);
        return true;
    }
    std::string_view need(std::string_view key) {
        std::string_view value;
        if (!take(key, value)) {
            refuse("is missing", key);
        }
        return value;
    }
    void finish() const {
        if (!values_.empty()) {
            refuse("is no member of the operation's attributes", values_.begin()->first);
        }
    }

private:
    std::map<std::string_view, std::string_view> values_;
};

/// The attributes of a kind, made of the members that are given.
inline attributes read_attributes(attribute_kind kind, assignments& given) {
    return attributes::of(kind).visit<attributes>([&](auto members) {
        for_each_member(members, [&](std::string_view name, auto& member) {
            std::string_view text;
            if (given.take(name, text)) {
                assign(member, text);
            }
        });
        return attributes(members);
    });
}

/// One case: a graph, and where each input and weight lies among the tensors (node, byte offset).
struct described {
    std::string name;
    dynamic_builder graph;
    std::vector<std::pair<int, std::size_t>> tensors;
    std::vector<std::vector<int>> gradients; ///< the node that is derived, then those that it is derived by

    /// The graph with its gradients as outputs; nodes keep their numbers.
    dynamic_graph whole() const {
        dynamic_graph g = copy_of(graph.graph());
        for (const std::vector<int>& each : gradients) {
            std::vector<int> found(each.size() - 1, -1);
            append_gradient(g, each[0], std::span(each).subspan(1), found);
            for (const int node : found) {
                g.add_output(node, "output" + std::to_string(g.outputs.size()));
            }
        }
        validate(g);
        return g;
    }
};

/// The most elements of one tensor here: far below where counts and sizes in bytes overflow.
inline constexpr std::int64_t most_elements = 1 << 26;

inline void check_shape(const extents& shape) {
    std::int64_t count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] < 1 || shape[i] > most_elements / count) {
            refuse("is no shape of a tensor that fits here", print(shape));
        }
        count *= shape[i];
    }
}

/// Reads the lines of one case.
class reader {
public:
    void line(std::string_view text) {
        std::vector<std::string_view> words;
        for (const std::string_view word : split(text, ' ')) {
            if (!word.empty()) {
                words.push_back(word);
            }
        }
        if (words.size() == 2 && words[0] == "output") {
            output(words[1]);
        } else if (words.size() >= 3 && words[0] == "gradient") {
            std::vector<int> nodes;
            for (const std::string_view word : std::span(words).subspan(1)) {
                nodes.push_back(find(word).node());
            }
            result_.gradients.push_back(nodes);
        } else if (words.size() >= 2) {
            add(words);
        } else {
            refuse("is no line of a graph", text);
        }
    }
    described& result() { return result_; }

private:
    const dynamic_tensor& find(std::string_view name) const {
        const auto found = nodes_.find(name);
        if (found == nodes_.end()) {
            refuse("names no node before this line", name);
        }
        return found->second;
    }

    void output(std::string_view name) {
        const dynamic_tensor& value = find(name);
        const auto& outputs = result_.graph.graph().outputs;
        for (const output_port& port : outputs) {
            if (port.node == value.node()) {
                refuse("is an output twice", name);
            }
        }
        result_.graph.output("output" + std::to_string(outputs.size()), value);
    }

    static op operation(std::string_view word) {
        if (const std::optional<op> known = find_op(word)) {
            return *known;
        }
        refuse("is no operation", word);
    }

    void add(std::span<const std::string_view> words) {
        const op kind = operation(words[1]);
        std::vector<dynamic_tensor> operands;
        assignments given;
        for (const std::string_view word : words.subspan(2)) {
            const std::size_t equals = word.find('=');
            if (equals == std::string_view::npos) {
                operands.push_back(find(word));
            } else {
                given.add(word.substr(0, equals), word.substr(equals + 1));
            }
        }
        std::string_view text;
        const bool stated = given.take("shape", text);
        const extents shape = stated ? list(text) : extents{};
        check_shape(shape);
        dynamic_tensor made;
        if (is_source(kind)) {
            if (!operands.empty()) {
                refuse("has a wrong number of operands", words[1]);
            }
            made = source(kind, words[0], shape, given);
        } else {
            const attributes values = read_attributes(signature(kind).attributes, given);
            made = stated || kind == op::reshape ? result_.graph.add(kind, operands, values, shape)
                                                 : result_.graph.add(kind, operands, values);
            check_shape(made.shape());
        }
        given.finish();
        if (words[0] == "output" || words[0] == "gradient" || words[0] == "case" ||
            !nodes_.emplace(words[0], made).second) {
            refuse("is taken as a name", words[0]);
        }
    }

    dynamic_tensor source(op kind, std::string_view name, const extents& shape, assignments& given) {
        dynamic_builder& g = result_.graph;
        if (kind == op::constant) {
            std::vector<float> values;
            for (const std::string_view word : split(given.need("values"), ',')) {
                values.push_back(static_cast<float>(number(word)));
            }
            return g.constant(shape, values);
        }
        dtype type = dtype::f16;
        std::string_view text;
        if (given.take("type", text)) {
            assign(type, text);
            const bool known = type == dtype::f16 || type == dtype::uint8 || type == dtype::int8;
            if (!known || (kind == op::weight && type != dtype::f16)) {
                refuse("is no type of a tensor here", text);
            }
        }
        const auto at = integer<std::size_t>(given.need("at"));
        const contract promise = read_attributes(attribute_kind::contract, given).get<contract>();
        const dynamic_tensor made =
            kind == op::input ? g.input(name, shape, promise, type) : g.weight(name, shape, promise);
        result_.tensors.emplace_back(made.node(), at);
        return made;
    }

    described result_;
    std::map<std::string_view, dynamic_tensor> nodes_; ///< the text outlives the reader
};

} // namespace graph_text
