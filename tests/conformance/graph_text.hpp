#pragma once

#include "text_values.hpp"
#include <anemone/graph/graph.hpp>
#include <anemone/graph/reflection.hpp>
#include <anemone/ops/element_types.hpp>
#include <anemone/ops/infer.hpp>
#include <anemone/print.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
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
///
/// Operations are called as in graph/op.hpp and members as in graph/attributes.hpp, by reflection: one reader serves
/// all operations. Members that are left out keep their defaults. Whatever is malformed is an error.
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

using attribute_structs =
    std::tuple<no_attributes, contract, literal, conv, conv_transpose, pool, transposed, axis, axes, permutation,
               window, strided_window, pads, repeats, factors, coefficients, stabilizer, grouping, response, cumulation,
               sampling, quantization, compression, selection, amount, scaling>;

template <class Struct> attributes read_struct(assignments& given) {
    Struct result{};
    for_each_member(result, [&](std::string_view name, auto& member) {
        std::string_view text;
        if (given.take(name, text)) {
            assign(member, text);
        }
    });
    return result;
}

/// The attributes of a kind, made of the members that are given.
inline attributes read_attributes(attribute_kind kind, assignments& given) {
    return [&]<class... Struct>(const std::tuple<Struct...>*) {
        attributes result;
        const bool found =
            ((ane::detail::kind_of<Struct> == kind && (result = read_struct<Struct>(given), true)) || ...);
        if (!found) {
            refuse("has attributes that this reader lacks", "operation");
        }
        return result;
    }(static_cast<const attribute_structs*>(nullptr));
}

/// One case: a graph, and where each input and weight lies among the tensors (node, byte offset).
struct described {
    std::string name;
    dynamic_graph graph;
    std::vector<std::pair<int, std::size_t>> tensors;
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
        } else if (words.size() >= 2) {
            add(words);
        } else {
            refuse("is no line of a graph", text);
        }
    }
    described& result() { return result_; }

private:
    int find(std::string_view name) const {
        const auto found = nodes_.find(name);
        if (found == nodes_.end()) {
            refuse("names no node before this line", name);
        }
        return found->second;
    }

    void output(std::string_view name) {
        const int node = find(name);
        for (const output_port& port : result_.graph.outputs) {
            if (port.node == node) {
                refuse("is an output twice", name);
            }
        }
        result_.graph.add_output(node, name);
    }

    static op operation(std::string_view word) {
        for (std::size_t i = 0; i < op_count; ++i) {
            if (name(static_cast<op>(i)) == word) {
                return static_cast<op>(i);
            }
        }
        refuse("is no operation", word);
    }

    void add(std::span<const std::string_view> words) {
        node n;
        n.kind = operation(words[1]);
        std::vector<int> operands;
        assignments given;
        for (const std::string_view word : words.subspan(2)) {
            const std::size_t equals = word.find('=');
            if (equals == std::string_view::npos) {
                operands.push_back(find(word));
            } else {
                given.add(word.substr(0, equals), word.substr(equals + 1));
            }
        }
        const op_signature& takes = signature(n.kind);
        const auto count = static_cast<std::int64_t>(operands.size());
        if (count < takes.least_operands || count > takes.most_operands) {
            refuse("has a wrong number of operands", words[1]);
        }
        std::string_view shape;
        const bool stated = given.take("shape", shape);
        if (stated) {
            n.shape = list(shape);
            check_shape(n.shape);
        }
        int index = -1;
        if (is_source(n.kind)) {
            index = source(n, words[0], given);
        } else {
            n.attributes = read_attributes(takes.attributes, given);
            index = result_.graph.append(n, operands);
            finish_node(result_.graph.nodes.back());
            if (stated && result_.graph.nodes.back().shape != n.shape) {
                refuse("is not the shape of the result", shape);
            }
        }
        given.finish();
        if (words[0] == "output" || words[0] == "case" || !nodes_.emplace(words[0], index).second) {
            refuse("is taken as a name", words[0]);
        }
    }

    int source(node& n, std::string_view name, assignments& given) {
        dynamic_graph& g = result_.graph;
        if (n.kind == op::constant) {
            std::vector<float> values;
            for (const std::string_view word : split(given.need("values"), ',')) {
                values.push_back(static_cast<float>(number(word)));
            }
            n.attributes = g.keep(values);
            return g.append(n, {}); // validate counts the values
        }
        std::string_view type;
        if (given.take("type", type)) {
            assign(n.type, type);
            const bool known = n.type == dtype::f16 || n.type == dtype::uint8 || n.type == dtype::int8;
            if (!known || (n.kind == op::weight && n.type != dtype::f16)) {
                refuse("is no type of a tensor here", type);
            }
        }
        const auto at = integer<std::size_t>(given.need("at"));
        n.attributes = read_attributes(attribute_kind::contract, given);
        n.name = g.intern(name);
        const int index = g.append(n, {});
        result_.tensors.emplace_back(index, at);
        return index;
    }

    /// The shape that the rules give, and the element type.
    void finish_node(node& n) const {
        const graph_view g = result_.graph;
        const inferred r = infer(g, n);
        if (!r.ok()) {
            throw error(errc::graph, std::string(name(n.kind)),
                        fmt::format("{} ({}, {})", sentence(r.broken), r.got, r.want));
        }
        check_shape(r.shape);
        n.type = inferred_type(g, n); // validate holds the operands to theirs
        n.shape = r.shape;
    }

    described result_;
    std::map<std::string_view, int> nodes_; ///< the text outlives the reader
};

} // namespace graph_text
