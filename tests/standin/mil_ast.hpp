#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A stand-in for the engine's runtime library, for tests only. It reads what our emitters write, with a reader of its
/// own: nothing here uses the graph, the formats or the backends of the library under test.
namespace ane::standin {

/// A text that the stand-in refuses, at whatever stage; `what()` is the message for the caller.
struct refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] inline void refuse(const std::string& message) { throw refusal(message); }
[[noreturn]] inline void refuse_at(int line, const std::string& message) {
    throw refusal("line " + std::to_string(line) + ": " + message);
}

/// Element types that may be written in a MIL text.
enum class element : std::uint8_t {
    fp16,
    fp32,
    bf16,
    boolean,
    string,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint1,
    uint2,
    uint3,
    uint4,
    uint6,
    uint8,
    uint16,
    uint32,
    uint64
};

inline constexpr std::array<std::string_view, 19> element_names = {
    "fp16",  "fp32",  "bf16",  "bool",  "string", "int4",  "int8",   "int16",  "int32", "int64",
    "uint1", "uint2", "uint3", "uint4", "uint6",  "uint8", "uint16", "uint32", "uint64"};

constexpr std::string_view name(element type) { return element_names[static_cast<std::size_t>(type)]; }

constexpr std::optional<element> element_named(std::string_view text) {
    for (std::size_t i = 0; i < element_names.size(); ++i) {
        if (element_names[i] == text) {
            return static_cast<element>(i);
        }
    }
    return std::nullopt;
}

/// Storage bits of one element; 0 for strings and booleans, which a blob cannot hold.
constexpr int bits(element type) {
    constexpr std::array<int, 19> widths = {16, 32, 16, 0, 0, 4, 8, 16, 32, 64, 1, 2, 3, 4, 6, 8, 16, 32, 64};
    return widths[static_cast<std::size_t>(type)];
}

constexpr bool is_signed_integer(element type) { return type >= element::int4 && type <= element::int64; }
constexpr bool is_integer(element type) { return type >= element::int4; }
constexpr bool is_real(element type) { return type <= element::bf16; }

using dimensions = std::vector<std::int64_t>;

/// Largest element count of one tensor; above it products of extents are refused before they can overflow.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 33;

inline std::int64_t element_count(const dimensions& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 1) {
            refuse("dimension " + std::to_string(extent) + " of a tensor is not positive");
        }
        if (extent > max_elements / count) {
            refuse("a tensor has more than 2^33 elements");
        }
        count *= extent;
    }
    return count;
}

/// `tensor<fp16, [1, 4]>`, or `fp16` with no dimensions.
struct tensor_type {
    element type = element::fp16;
    dimensions shape;

    friend bool operator==(const tensor_type&, const tensor_type&) = default;
};

inline std::string to_string(const tensor_type& type) {
    std::string text = "tensor<" + std::string(name(type.type)) + ", [";
    for (std::size_t i = 0; i < type.shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(type.shape[i]);
    }
    return text + "]>";
}

/// A typed literal. Numbers keep their spelling until the type is known to hold them.
struct literal {
    tensor_type type;
    std::vector<std::string> items; ///< numbers, `true`/`false`, or one string
    bool is_blob = false;
    bool tensor_spelling = false; ///< written as tensor<...>(...), not as a scalar
    std::string blob_path;
    std::uint64_t blob_offset = 0;
    int line = 0;
};

/// The right side of `name = ...`: names (one, or the members of a tuple) or a literal.
struct argument {
    std::string name;
    std::vector<std::string> names;
    bool is_tuple = false;
    std::optional<literal> value;
    int line = 0;
};

struct declaration {
    tensor_type type;
    std::string name;
    int line = 0;
};

struct statement {
    std::vector<declaration> results;
    std::string operation;
    std::vector<argument> arguments;
    std::vector<argument> attributes;
    int line = 0;
};

/// One parsed text: a program with the single function `main`.
struct mil_text {
    std::vector<std::pair<std::string, std::string>> build_info;
    std::string function;
    std::string opset;
    std::vector<declaration> parameters;
    std::vector<statement> statements;
    std::vector<std::string> outputs;
};

} // namespace ane::standin
