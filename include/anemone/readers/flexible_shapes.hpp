#pragma once

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "input_shape.hpp"
#include "mil_lexer.hpp"
#include "mil_syntax.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The shapes that a compiled model allows for its inputs: the attribute FlexibleShapeInformation of a function. Only
/// bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The least and the largest extent of each axis of an input; a largest one below 0 is open.
struct input_range {
    std::string name;
    std::vector<std::pair<std::int64_t, std::int64_t>> axes;
};

struct flexible_shapes {
    std::vector<input_shape> defaults;
    std::vector<std::vector<input_shape>> enumerated; ///< each a shape for every flexible input
    std::vector<input_range> ranges;
};

/// A value of any kind as a tree: brackets are lists, types are passed over.
struct value_tree {
    std::string text; ///< of a string
    double number = 0;
    bool is_number = false;
    std::vector<value_tree> items;
};

ANEMONE_INLINE value_tree tree_of(mil_lexer& in, int depth = 0) {
    constexpr int deepest = 32;
    constexpr std::size_t most = 100'000;
    value_tree t;
    const mil_token first = in.take();
    if (depth > deepest) {
        throw syntax_fault{first.place(), "an attribute is nested too deep"};
    }
    if (first.kind == token_kind::text) {
        t.text = unescaped(first.written);
        return t;
    }
    if (first.kind == token_kind::number) {
        t.is_number = parse_number(first.written, t.number);
        return t;
    }
    if (first.kind == token_kind::word) {
        int angles = 0;
        while (in.peek().is('<') || angles > 0) {
            const mil_token next = in.take();
            if (next.kind == token_kind::end) {
                throw syntax_fault{next.place(), "'<' is not closed"};
            }
            angles += next.is('<') ? 1 : next.is('>') ? -1 : 0;
        }
        return in.peek().is('(') ? tree_of(in, depth + 1) : t;
    }
    const char close = first.is('(') ? ')' : first.is('[') ? ']' : first.is('{') ? '}' : '\0';
    if (close == '\0') {
        throw syntax_fault{first.place(), "a value is expected in an attribute"};
    }
    while (!in.take_if(close)) {
        if (!t.items.empty() && !in.take_if(',')) {
            throw syntax_fault{in.peek().place(), "',' is expected between two values of an attribute"};
        }
        t.items.push_back(tree_of(in, depth + 1));
        if (t.items.size() > most) {
            throw syntax_fault{first.place(), formatted("an attribute has more than {} values", most)};
        }
    }
    // A list of one list in brackets of a tuple is that list.
    return t.items.size() == 1 && first.is('(') ? value_tree(t.items[0]) : t;
}

ANEMONE_INLINE extents shape_of(const value_tree& list) {
    extents shape;
    for (const value_tree& each : list.items) {
        if (!each.is_number || each.number < 1 || each.number > 1e12 || shape.rank == extents::capacity) {
            return {};
        }
        shape.append(static_cast<std::int64_t>(each.number));
    }
    return shape;
}
/// The pairs of a dictionary: {{"x", ...}, {"y", ...}}.
template <class Visit> void each_entry(const value_tree& dictionary, const Visit& visit) {
    for (const value_tree& entry : dictionary.items) {
        if (entry.items.size() == 2 && !entry.items[0].text.empty()) {
            visit(entry.items[0].text, entry.items[1]);
        }
    }
}
ANEMONE_INLINE std::vector<input_shape> shapes_in(const value_tree& dictionary) {
    std::vector<input_shape> all;
    each_entry(dictionary, [&](const std::string& name, const value_tree& shape) {
        all.push_back({name, shape_of(shape)});
    });
    return all;
}

/// What the value of the attribute says; throws `syntax_fault`.
ANEMONE_INLINE flexible_shapes flexible_shapes_in(std::string_view written) {
    mil_lexer in(written);
    in.start();
    value_tree all = tree_of(in);
    if (all.items.size() == 2 && !all.items[0].text.empty()) { // one kind alone
        value_tree list;
        list.items.push_back(std::move(all));
        all = std::move(list);
    }
    flexible_shapes found;
    each_entry(all, [&](const std::string& kind, const value_tree& value) {
        if (kind == "DefaultShapes") {
            found.defaults = shapes_in(value);
        } else if (kind == "EnumeratedShapes") {
            each_entry(value,
                       [&](const std::string&, const value_tree& one) { found.enumerated.push_back(shapes_in(one)); });
        } else if (kind == "RangeDims") {
            each_entry(value, [&](const std::string& name, const value_tree& axes) {
                input_range range{name, {}};
                for (const value_tree& pair : axes.items) {
                    if (pair.items.size() == 2) {
                        range.axes.emplace_back(static_cast<std::int64_t>(pair.items[0].number),
                                                static_cast<std::int64_t>(pair.items[1].number));
                    }
                }
                found.ranges.push_back(std::move(range));
            });
        }
    });
    return found;
}

ANEMONE_INLINE const extents* shape_for(const std::vector<input_shape>& shapes, std::string_view name) {
    for (const input_shape& each : shapes) {
        if (each.name == name && each.shape.rank > 0) {
            return &each.shape;
        }
    }
    return nullptr;
}

/// Why an input may not have a shape; empty where it may.
ANEMONE_INLINE std::string fault_of_shape(const mil_port& p, const flexible_shapes& flexible, const extents& shape) {
    if (shape.rank != p.type.shape.rank) {
        return formatted("has {} axes, the shape given is {}", p.type.shape.rank, print(shape));
    }
    for (int i = 0; i < shape.rank; ++i) {
        if (!p.type.is_unknown(i) && p.type.shape[i] != shape[i]) {
            return formatted("has extent {} at axis {}, the shape given is {}", p.type.shape[i], i, print(shape));
        }
    }
    for (const input_range& range : flexible.ranges) {
        for (std::size_t i = 0; range.name == p.name && i < range.axes.size() && static_cast<int>(i) < shape.rank;
             ++i) {
            const auto [least, most] = range.axes[i];
            if (shape[static_cast<int>(i)] < least || (most >= 0 && shape[static_cast<int>(i)] > most)) {
                return formatted("takes {} to {} at axis {}, the shape given is {}", least,
                                 most < 0 ? std::string("any") : std::to_string(most), i, print(shape));
            }
        }
    }
    std::string known;
    for (const std::vector<input_shape>& one : flexible.enumerated) {
        const extents* const listed = shape_for(one, p.name);
        if (listed == nullptr || *listed == shape) {
            return {};
        }
        known += (known.empty() ? "" : ", ") + print(*listed);
    }
    return known.empty() ? "" : formatted("takes the shapes {}, given is {}", known.substr(0, 400), print(shape));
}

} // namespace ane::readers::inline ANEMONE_WAY
