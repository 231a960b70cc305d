#pragma once

#include "../base/way.hpp"
#include "../graph/op.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Which arithmetic an operation uses: the one table that decides it.
namespace ane::numerics::inline ANEMONE_WAY {

enum class arithmetic_path : std::uint8_t {
    multiply_accumulate, ///< accumulator.hpp
    reduction,           ///< reduction.hpp
    elementwise,         ///< elementwise.hpp: one fp16 rounding, or a comparison
    table,               ///< activation.hpp
    composed,            ///< steps of several other paths, one after another
    movement             ///< values pass unchanged, except for the gains of movement.hpp
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
        {op::input,            movement,            measured,    "N080: NaN is +infinity; but products: mac_nan"},
        {op::weight,           movement,            measured,    "N136"},
        {op::constant,         movement,            inferred,    "as a weight"},
        {op::conv2d,           multiply_accumulate, conflicting, "study M4, M6; N047 M1; a scale for one tap: N046 M1"},
        {op::conv_transpose2d, multiply_accumulate, inferred,    "as conv2d"},
        {op::linear,           multiply_accumulate, measured,    "N040, N041"},
        {op::matmul,           multiply_accumulate, conflicting, "N042, N160-N165; N001-N005 are sums on A13"},
        {op::add,              elementwise,         measured,    "study M6; N080, N091, N105, N106 M1"},
        {op::sub,              elementwise,         measured,    "N091"},
        {op::mul,              elementwise,         conflicting, "N045 M1, N100; the study's probes stop at 2^15"},
        {op::div,              composed,            inferred,    "reciprocal table, then a product; N123 for A11, A12"},
        {op::minimum,          elementwise,         inferred,    "as maximum"},
        {op::maximum,          elementwise,         measured,    "N086"},
        {op::relu,             elementwise,         measured,    "N081"},
        {op::relu6,            elementwise,         inferred,    "as relu and minimum"},
        {op::leaky_relu,       elementwise,         inferred,    "as relu and mul"},
        {op::clamp,            elementwise,         inferred,    "as maximum and minimum"},
        {op::sigmoid,          table,               measured,    "study M6; N082, N116, N117, N122 M1"},
        {op::tanh,             table,               measured,    "study M6; N083, N118 M1"},
        {op::gelu,             table,               inferred,    "fitted; study M6; N113, N119 M1; N115 conflicts"},
        {op::silu,             table,               inferred,    "fitted; study M6; N114 M1"},
        {op::exp,              table,               measured,    "study M6; N085, N111 M1"},
        {op::log,              table,               measured,    "study M6; N095-N097 M1"},
        {op::sqrt,             table,               measured,    "study M6; N093, N104 M1"},
        {op::rsqrt,            table,               measured,    "study M6; N094, N103 M1"},
        {op::abs,              elementwise,         inferred,    "clears the sign"},
        {op::pow,              elementwise,         inferred,    "a unit of the planar engine; M5 sweep 1.8e-4"},
        {op::floor_div,        composed,            inferred,    "div, then floor; N123 for A11, A12"},
        {op::equal,            elementwise,         inferred,    "exact (netplist: ElementWise)"},
        {op::not_equal,        elementwise,         inferred,    "as equal"},
        {op::greater,          elementwise,         inferred,    "as equal"},
        {op::greater_equal,    elementwise,         inferred,    "as equal"},
        {op::less,             elementwise,         inferred,    "as equal"},
        {op::less_equal,       elementwise,         inferred,    "as equal"},
        {op::logical_not,      elementwise,         inferred,    "exact"},
        {op::select,           elementwise,         inferred,    "chooses, exactly (M5 sweep: no error)"},
        {op::thresholded_relu, elementwise,         inferred,    "a comparison (M5 sweep: no error)"},
        {op::clamped_relu,     elementwise,         inferred,    "as leaky_relu and minimum"},
        {op::elu,              table,               inferred,    "e^x - 1, then a product; M5 sweep 5.06e-3"},
        {op::hard_sigmoid,     composed,            inferred,    "scale_offset, then clamp"},
        {op::scaled_tanh,      composed,            inferred,    "a product, tanh, a product"},
        {op::gelu_sigmoid,     table,               inferred,    "fitted as gelu"},
        {op::softplus,         composed,            inferred,    "exp, add, log; N098 M1; 0 from 11.09 M5"},
        {op::softsign,         composed,            inferred,    "add, reciprocal, product; N099 M1"},
        {op::erf,              table,               measured,    "study M6; N084 M1"},
        {op::exp2,             table,               inferred,    "the table of exp, without its product"},
        {op::inverse,          table,               measured,    "study M6 (epsilon 1e-4); N102 M1"},
        {op::sign,             elementwise,         inferred,    "exact (M5 sweep: no error)"},
        {op::ceil,             elementwise,         inferred,    "exact (M5 sweep: no error)"},
        {op::floor,            elementwise,         inferred,    "exact (M5 sweep: no error)"},
        {op::round,            elementwise,         measured,    "M5: adds 0.5 in fp16 from 1024 on (mil-ops)"},
        {op::sin,              table,               measured,    "study M6; a series before A15: N120, N205 M1"},
        {op::cos,              table,               inferred,    "as sin; N101 M1"},
        {op::atan,             table,               inferred,    "samples; N120 M1, N206 M5"},
        {op::prelu,            elementwise,         inferred,    "as leaky_relu"},
        {op::parametric_softplus, composed,         inferred,    "a product, softplus, a product"},
        {op::dropout,          movement,            inferred,    "x itself; at rate 0 ANEForge"},
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
        {op::cast,             movement,            inferred,    "exact from 8 bits"},
        {op::identity,         movement,            inferred,    "no arithmetic"},
        {op::strided_slice,    movement,            inferred,    "as slice"},
        {op::slice_update,     movement,            inferred,    "no arithmetic; netplists join it from views"},
        {op::dynamic_slice,    movement,            inferred,    "as slice, where the start is above 0"},
        {op::gather,           movement,            inferred,    "along the width as slice (netplist: Gather)"},
        {op::gather_along_axis, movement,           inferred,    "as gather"},
        {op::gather_nd,        movement,            inferred,    "as gather"},
        {op::reflect_pad,      movement,            inferred,    "no arithmetic"},
        {op::symmetric_pad,    movement,            inferred,    "no arithmetic"},
        {op::tile,             movement,            inferred,    "no arithmetic"},
        {op::reverse,          movement,            inferred,    "no arithmetic"},
        {op::pixel_shuffle,    movement,            inferred,    "no arithmetic"},
        {op::pixel_unshuffle,  movement,            inferred,    "no arithmetic"},
        {op::depth_to_space,   movement,            inferred,    "no arithmetic"},
        {op::space_to_depth,   movement,            inferred,    "no arithmetic"},
        {op::space_to_batch,   movement,            inferred,    "no arithmetic"},
        {op::batch_to_space,   movement,            inferred,    "no arithmetic"},
        {op::top_k,            elementwise,         inferred,    "comparisons; of equals the first comes first"},
        {op::top_k_indices,    elementwise,         inferred,    "as top_k"},
        {op::sort,             elementwise,         inferred,    "as top_k"},
        {op::arg_sort,         elementwise,         inferred,    "as top_k"},
        {op::global_arg_max,   elementwise,         inferred,    "as arg_max"},
        {op::global_arg_min,   elementwise,         inferred,    "as arg_min"},
        {op::random_uniform,   elementwise,         inferred,    "Philox; the engine's generator is not published"},
        {op::l2_pool,          composed,            inferred,    "squares, their sum by the reduction path, sqrt"},
        {op::local_response_norm, composed,         inferred,    "squares, a mean by the reduction path, pow"},
        {op::resize,           composed,            inferred,    "fp16 weights; on A13 multiply-accumulate (R179)"},
        {op::crop_resize,      composed,            inferred,    "as resize"},
        {op::resample,         composed,            inferred,    "as resize"},
        {op::affine,           composed,            decompiled,  "a resample with computed fp16 coordinates"},
        {op::gather_hw,        movement,            decompiled,  "the nearest form of resample"},
        {op::scaled_elementwise, elementwise,       inferred,    "the result rounds, then its product with the scale"},
        {op::cross_correlation, multiply_accumulate, inferred,   "as conv2d"},
        {op::cross_product,    elementwise,         inferred,    "two products and a difference, each rounded"},
        {op::cost_volume,      elementwise,         inferred,    "a difference without its sign"},
        {op::furthest_point_sampling, composed,     inferred,    "squares, their sum by the reduction path"},
        {op::radius_search,    composed,            inferred,    "squares, their sum by the reduction path"},
        {op::quantize,         composed,            inferred,    "a product with 1 / scale, then a whole number"},
        {op::dequantize,       elementwise,         measured,    "N034: q - zero, then a product with the scale"},
        {op::compressed,       movement,            measured,    "N131-N136: the values that the stored bytes stand for"},
        {op::attention,        composed,            inferred,    "two matrix products around a softmax"}});
}();
// clang-format on

} // namespace ane::numerics::inline ANEMONE_WAY

namespace ane::numerics::detail::inline ANEMONE_WAY {
/// For each operation its row, or -1.
inline constexpr std::array<int, op_count> path_rows = [] {
    std::array<int, op_count> rows{};
    rows.fill(-1);
    for (std::size_t i = 0; i < path_table.size(); ++i) {
        rows[static_cast<std::size_t>(path_table[i].kind)] = static_cast<int>(i);
    }
    return rows;
}();
} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// Whether the engine's arithmetic for an operation is modelled here: the table has a row for it.
constexpr bool has_path(op kind) noexcept { return detail::path_rows[static_cast<std::size_t>(kind)] >= 0; }

/// The row of an operation that has one.
constexpr const path_row& path_of(op kind) {
    return path_table[static_cast<std::size_t>(detail::path_rows[static_cast<std::size_t>(kind)])];
}

} // namespace ane::numerics::inline ANEMONE_WAY
