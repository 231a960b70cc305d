#pragma once

#include "../graph/op.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Which arithmetic an operation goes through: the one table of this decision.
namespace ane::numerics {

enum class arithmetic_path : std::uint8_t {
    multiply_accumulate, ///< accumulator.hpp
    reduction,           ///< reduction.hpp
    elementwise,         ///< elementwise.hpp: one fp16 rounding, or a comparison
    table,               ///< activation.hpp
    composed,            ///< several of the others, one after another
    movement             ///< values pass, but for data_path.hpp
};

constexpr std::string_view name(arithmetic_path path) noexcept {
    constexpr std::string_view names[] = {
        "multiply-accumulate", "reduction", "elementwise", "table", "composed", "movement"};
    return names[static_cast<std::size_t>(path)];
}

/// How a statement about the arithmetic is known.
enum class evidence : std::uint8_t { measured, decompiled, inferred, conflicting };

constexpr std::string_view name(evidence e) noexcept {
    constexpr std::string_view names[] = {"measured", "decompiled", "inferred", "conflicting"};
    return names[static_cast<std::size_t>(e)];
}

struct path_row {
    op kind;
    arithmetic_path path;
    evidence known;
    std::string_view source;
};

// clang-format off
inline constexpr auto path_table = [] {
    using enum arithmetic_path;
    using enum evidence;
    return std::to_array<path_row>({
        {op::input,            movement,            measured,    "N080: NaN enters as +infinity"},
        {op::weight,           movement,            measured,    "N136"},
        {op::constant,         movement,            inferred,    "as a weight"},
        {op::conv2d,           multiply_accumulate, conflicting, "study M4, M6; N047 M1; against it N046 M1"},
        {op::conv_transpose2d, multiply_accumulate, inferred,    "as conv2d"},
        {op::linear,           multiply_accumulate, measured,    "N040, N041"},
        {op::matmul,           multiply_accumulate, conflicting, "N042, N160-N165; N001-N005 are read as a reduction"},
        {op::add,              elementwise,         measured,    "study M6; N080, N091, N105, N106 M1"},
        {op::sub,              elementwise,         measured,    "N091"},
        {op::mul,              elementwise,         conflicting, "N045 M1 full range; the study's probes stop at 2^15"},
        {op::div,              composed,            inferred,    "reciprocal table, then a product; N123 for A11, A12"},
        {op::minimum,          elementwise,         inferred,    "as maximum"},
        {op::maximum,          elementwise,         measured,    "N086"},
        {op::relu,             elementwise,         measured,    "N081"},
        {op::relu6,            elementwise,         inferred,    "as relu and minimum"},
        {op::leaky_relu,       elementwise,         inferred,    "as relu and mul"},
        {op::clamp,            elementwise,         inferred,    "as maximum and minimum"},
        {op::sigmoid,          table,               measured,    "study M6; N082, N116, N117, N122 M1"},
        {op::tanh,             table,               measured,    "study M6; N083, N118 M1"},
        {op::gelu,             table,               inferred,    "fitted; study M6; N113, N119 M1"},
        {op::silu,             table,               inferred,    "fitted; study M6; N114 M1"},
        {op::exp,              table,               measured,    "study M6; N085, N111 M1"},
        {op::log,              table,               measured,    "study M6; N095-N097 M1"},
        {op::sqrt,             table,               measured,    "study M6; N093, N104 M1"},
        {op::rsqrt,            table,               measured,    "study M6; N094, N103 M1"},
        {op::abs,              elementwise,         inferred,    "clears the sign"},
        {op::max_pool,         elementwise,         inferred,    "comparisons"},
        {op::avg_pool,         reduction,           inferred,    "as reduce_mean"},
        {op::softmax,          composed,            inferred,    "N087, N109, N110 M1; the sum by the reduction path"},
        {op::layer_norm,       composed,            inferred,    "means reduce, rsqrt by its table; N089 not met"},
        {op::batch_norm,       elementwise,         measured,    "N034, N203: scale and offset in fp16"},
        {op::reduce_sum,       reduction,           conflicting, "N030-N032, N044; NC2: wide or narrow"},
        {op::reduce_mean,      reduction,           inferred,    "as reduce_sum"},
        {op::reduce_max,       elementwise,         inferred,    "comparisons"},
        {op::reduce_min,       elementwise,         inferred,    "comparisons"},
        {op::arg_max,          elementwise,         inferred,    "comparisons"},
        {op::arg_min,          elementwise,         inferred,    "comparisons"},
        {op::reshape,          movement,            inferred,    "no arithmetic"},
        {op::transpose,        movement,            inferred,    "no arithmetic"},
        {op::concat,           movement,            inferred,    "no arithmetic"},
        {op::slice,            movement,            measured,    "N060-N068: the gain of a width slice"},
        {op::pad,              movement,            inferred,    "no arithmetic"},
        {op::cast,             movement,            inferred,    "exact from uint8"},
        {op::attention,        composed,            inferred,    "two matrix products around a softmax"}});
}();
// clang-format on

namespace detail {
/// For each operation its row, or -1.
inline constexpr std::array<int, op_count> path_rows = [] {
    std::array<int, op_count> rows{};
    rows.fill(-1);
    for (std::size_t i = 0; i < path_table.size(); ++i) {
        rows[static_cast<std::size_t>(path_table[i].kind)] = static_cast<int>(i);
    }
    return rows;
}();
} // namespace detail

/// Whether the engine's arithmetic for an operation is modelled here: the table has a row for it.
constexpr bool has_path(op kind) noexcept { return detail::path_rows[static_cast<std::size_t>(kind)] >= 0; }

/// The row of an operation that has one.
constexpr const path_row& path_of(op kind) {
    return path_table[static_cast<std::size_t>(detail::path_rows[static_cast<std::size_t>(kind)])];
}

} // namespace ane::numerics
