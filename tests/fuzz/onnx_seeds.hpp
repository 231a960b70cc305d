#pragma once

#include "message_mutation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Small models of one operator each, for all operators that are read: operands of every form, element type and rank, also
/// without elements, and attributes that many operators have. Most of them are refused; none may do more.
namespace onnx_seeds {

using message_mutation::generator;

// The messages of ONNX by the numbers of their fields (https://protobuf.dev/programming-guides/encoding).
inline std::string number_field(unsigned number, std::uint64_t value) {
    std::string out;
    message_mutation::put_number(out, std::uint64_t{number} << 3U);
    message_mutation::put_number(out, value);
    return out;
}
inline std::string text_field(unsigned number, std::string_view text) {
    std::string out;
    message_mutation::put_number(out, std::uint64_t{number} << 3U | 2U);
    message_mutation::put_number(out, text.size());
    return out.append(text);
}

inline std::uint64_t below(generator& random, std::uint64_t n) { return random() % n; }

using shape = std::vector<std::uint64_t>;

/// Extents of at most four axes.
inline shape any_shape(generator& random) {
    constexpr std::uint64_t extents[] = {1, 1, 2, 2, 3, 4, 8};
    shape all(below(random, 5));
    for (std::uint64_t& each : all) {
        each = extents[below(random, std::size(extents))];
    }
    return all;
}

/// What the operands of a model have in common, most of them.
struct theme {
    shape extents;
    std::uint64_t kind = 0; ///< of `types`
    bool is_empty = false;  ///< constants have no elements
};
constexpr std::uint64_t types[] = {1, 1, 1, 10, 2, 3, 7, 6, 9, 11}; ///< float, half, bytes, integers, bool, double
constexpr unsigned sizes[] = {4, 4, 4, 2, 1, 1, 8, 4, 1, 8};

inline theme any_theme(generator& random) {
    shape extents = any_shape(random);
    const std::uint64_t kind = below(random, std::size(types));
    return {std::move(extents), kind, below(random, 8) == 0};
}

/// Often the one that others have, sometimes one number, a list or nothing at all.
inline shape constant_shape(generator& random, const theme& usual) {
    shape like = usual.extents;
    if (usual.is_empty && below(random, 4) != 0) {
        if (like.empty() || below(random, 2) == 0) {
            return {0};
        }
        like[0] = 0;
        return like;
    }
    switch (below(random, 8)) {
    case 0: return any_shape(random);
    case 1: return {};
    case 2: return {1 + below(random, 4)};
    case 3: return {like.empty() ? 1 : like[below(random, like.size())]};
    default: return like;
    }
}

inline std::uint64_t kind_near(generator& random, const theme& usual) {
    const std::uint64_t other = below(random, std::size(types));
    return below(random, 3) == 0 ? other : usual.kind;
}

inline std::string tensor(generator& random, std::string_view name, const shape& extents, std::uint64_t kind) {
    std::string out;
    std::uint64_t count = 1;
    for (const std::uint64_t each : extents) {
        out += number_field(1, each);
        count *= each;
    }
    std::string bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string element(sizes[kind], '\0');
        const auto value = below(random, 4);
        if (types[kind] == 1) {
            element = std::string("\0\0\x80\x3F", 4); // 1.0
        } else if (types[kind] == 10) {
            element = std::string("\0\x3C", 2);
        } else if (types[kind] == 11) {
            element = std::string("\0\0\0\0\0\0\xF0\x3F", 8);
        } else {
            element[0] = static_cast<char>(value);
        }
        bytes += element;
    }
    return out + number_field(2, types[kind]) + text_field(8, name) + text_field(9, bytes);
}

inline std::string port(std::string_view name, const shape& extents, std::uint64_t type) {
    std::string dims;
    for (const std::uint64_t each : extents) {
        dims += text_field(1, number_field(1, each));
    }
    return text_field(1, name) + text_field(2, text_field(1, number_field(1, type) + text_field(2, dims)));
}

template <std::size_t Size> std::string_view one_of(generator& random, const std::string_view (&all)[Size]) {
    return all[below(random, Size)];
}

inline std::string attribute(generator& random) {
    constexpr std::string_view integers[] = {"axis",
                                             "keepdims",
                                             "to",
                                             "group",
                                             "hidden_size",
                                             "batch_axis",
                                             "time_axis",
                                             "p",
                                             "blocksize",
                                             "num_outputs",
                                             "transA",
                                             "transB",
                                             "largest",
                                             "ceil_mode",
                                             "select_last_index",
                                             "block_size",
                                             "num_heads",
                                             "exclusive",
                                             "noop_with_empty_axes"};
    constexpr std::string_view lists[] = {"axes",    "kernel_shape", "strides", "pads",         "dilations",
                                          "perm",    "split",        "shape",   "output_shape", "output_padding",
                                          "repeats", "starts",       "ends"};
    constexpr std::string_view texts[] = {"mode",
                                          "auto_pad",
                                          "equation",
                                          "direction",
                                          "reduction",
                                          "nearest_mode",
                                          "coordinate_transformation_mode",
                                          "padding_mode"};
    constexpr std::string_view words[] = {"constant",  "linear",  "bilinear", "SAME_UPPER",    "VALID", "NOTSET",
                                          "ij,jk->ik", "",        "reverse",  "bidirectional", "mean",  "sum",
                                          "none",      "reflect", "edge",     "cubic",         "floor"};
    switch (below(random, 4)) {
    case 0: {
        std::string out = text_field(1, one_of(random, integers)) + number_field(20, 2);
        return out += number_field(3, below(random, 5) - 1);
    }
    case 1: {
        std::string out = text_field(1, one_of(random, lists));
        for (auto left = below(random, 5); left > 0; --left) {
            out += number_field(8, below(random, 5) - 1);
        }
        return out + number_field(20, 7);
    }
    case 2: {
        std::string out = text_field(1, one_of(random, texts)) + number_field(20, 3);
        return out += text_field(4, one_of(random, words));
    }
    default: {
        const auto kind = below(random, std::size(types));
        return text_field(1, "value") + text_field(5, tensor(random, "v", {1}, kind)) + number_field(20, 4);
    }
    }
}

/// A model of the operator; the number says which.
inline std::string model(std::string_view op, unsigned number) {
    generator random(number * 2654435761U + 1);
    random.discard(8);
    const theme usual = any_theme(random);
    std::string node;
    std::string graph = text_field(11, port("x", usual.extents, types[kind_near(random, usual)]));
    const shape other = below(random, 2) == 0 ? usual.extents : any_shape(random);
    graph += text_field(11, port("u", other, types[kind_near(random, usual)]));
    const auto operands = 1 + below(random, 8);
    for (std::uint64_t i = 0; i < operands; ++i) {
        const auto form = below(random, 8);
        if (form < (i == 0 ? 2 : 5)) {
            const std::string name = "w" + std::to_string(i);
            node += text_field(1, name);
            const shape extents = constant_shape(random, usual);
            graph += text_field(5, tensor(random, name, extents, kind_near(random, usual)));
        } else {
            node += text_field(1, form == 7 ? "" : form == 6 ? "u" : "x");
        }
    }
    const auto results = below(random, 4) == 0 ? 2 + below(random, 2) : 1;
    for (std::uint64_t i = 0; i < results; ++i) {
        node += text_field(2, i == 0 ? "y" : "y" + std::to_string(i));
    }
    node += text_field(4, op);
    for (auto left = below(random, 4); left > 0; --left) {
        node += text_field(5, attribute(random));
    }
    graph = text_field(1, node) + graph + text_field(12, text_field(1, "y"));
    const std::uint64_t opset = 7 + below(random, 15);
    return number_field(1, 8) + text_field(7, graph) + text_field(8, text_field(1, "") + number_field(2, opset));
}

} // namespace onnx_seeds
