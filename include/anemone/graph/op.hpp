#pragma once

#include "attributes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// The operations (operations.def). The names are API: compilers print them in diagnostics.
enum class op : std::uint8_t {
#define ANEMONE_OPERATION(name, ...) name,
#include "operations.def"
};

enum class op_group : std::uint8_t {
    source,      ///< input, weight, constant
    contraction, ///< products through the multiply-accumulate array
    binary,      ///< arithmetic on two operands, which broadcast
    comparison,  ///< two operands, which broadcast; the result is boolean
    logic,       ///< on booleans
    unary,       ///< elementwise, one operand
    parametric,  ///< elementwise, with one parameter for each channel
    window,      ///< pooling
    normalization,
    reduction,     ///< axes become 1
    arg_reduction, ///< an index along one axis
    scan,
    movement, ///< no arithmetic
    texture,  ///< the sampling unit of the A14 and later
    quantization,
    attention,
    rank,  ///< sorting and selection
    native ///< layers that only the netplist route has
};

/// The row of an operation, but for its name and what it computes (meaning.hpp).
struct op_signature {
    op_group group;
    int least_operands;
    int most_operands;
    attribute_kind attributes;
    std::string_view onnx; ///< the operator of ONNX, or empty
};

namespace detail {
inline constexpr op_signature signatures[] = {
#define ANEMONE_OPERATION(name, group, least, most, attributes, onnx, meaning)                                         \
    {op_group::group, least, most, attribute_kind::attributes, onnx},
#include "operations.def"
};
} // namespace detail

inline constexpr std::size_t op_count = sizeof detail::signatures / sizeof detail::signatures[0];

constexpr const op_signature& signature(op kind) noexcept { return detail::signatures[static_cast<std::size_t>(kind)]; }

/// The name of an operation, as its builder function is called.
constexpr std::string_view name(op kind) noexcept {
    constexpr std::string_view names[] = {
#define ANEMONE_OPERATION(name, ...) #name,
#include "operations.def"
    };
    return names[static_cast<std::size_t>(kind)];
}

constexpr bool is_source(op kind) noexcept { return signature(kind).group == op_group::source; }
constexpr bool is_contraction(op kind) noexcept { return signature(kind).group == op_group::contraction; }
constexpr bool is_binary(op kind) noexcept { return signature(kind).group == op_group::binary; }
constexpr bool is_comparison(op kind) noexcept { return signature(kind).group == op_group::comparison; }
/// logical_and, logical_or, logical_xor: two booleans in, one out.
constexpr bool is_logic_of_two(op kind) noexcept {
    return signature(kind).group == op_group::logic && signature(kind).most_operands == 2;
}
/// Whether the result is boolean.
constexpr bool gives_booleans(op kind) noexcept {
    return is_comparison(kind) || is_logic_of_two(kind) || kind == op::logical_not;
}
constexpr bool is_unary(op kind) noexcept { return signature(kind).group == op_group::unary; }
constexpr bool is_reduction(op kind) noexcept { return signature(kind).group == op_group::reduction; }
constexpr bool is_arg_reduction(op kind) noexcept { return signature(kind).group == op_group::arg_reduction; }
constexpr bool is_pool(op kind) noexcept { return signature(kind).group == op_group::window; }
constexpr bool is_convolution(op kind) noexcept { return kind == op::conv2d || kind == op::conv_transpose2d; }

} // namespace ane
