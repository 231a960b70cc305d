#pragma once

#include "../graph/graph.hpp"
#include "../graph/refusal.hpp"
#include "../values/half.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

/// What the attributes of one node say by themselves, whatever it reads: the half of `validate` that shape rules stand
/// on, which may add, multiply and divide what has passed here.
namespace ane::detail {

/// More than any tensor has along one axis, and more than any index: below it no shape rule overflows 64 bits.
inline constexpr std::int64_t extent_limit = std::int64_t{1} << 30;
/// Above the strides, dilations, paddings and kernels of any engine: below it no sum of them overflows an int.
inline constexpr int window_limit = 1 << 24;

/// Checks the numbers of a node's attributes, each against its range. A raw graph may have any bytes: they are compared
/// as integers before anything reads them as what they should be.
class attribute_check {
public:
    constexpr explicit attribute_check(op kind) : kind_(kind) {}

    /// Not constexpr: reaching it in a constant expression is the error.
    [[noreturn]] void refuse(std::string_view what, std::int64_t got, std::int64_t limit) const {
        refuse_graph(name(kind_), what, got, limit);
    }
    constexpr void flag(const bool& value) const { // by reference: as a value it would be read as a bool
        if (const auto byte = std::bit_cast<std::uint8_t>(value); byte > 1) {
            refuse("has a flag that is neither true nor false", byte, 1);
        }
    }
    template <class Enum> constexpr void choice(Enum value, Enum last) const {
        if (static_cast<std::uint8_t>(value) > static_cast<std::uint8_t>(last)) {
            refuse("has an enumerator that there is not", static_cast<std::uint8_t>(value),
                   static_cast<std::uint8_t>(last));
        }
    }
    constexpr void index(std::int64_t value) const {
        if (value < -extent_limit || value > extent_limit) {
            refuse("has a number that no tensor has room for", value, extent_limit);
        }
    }
    constexpr void list(const indices& values) const {
        if (values.rank < 0 || values.rank > extents::capacity) {
            refuse("has a list of indices of no possible length", values.rank, extents::capacity);
        }
        for (int i = 0; i < values.rank; ++i) {
            index(values[i]);
        }
    }
    constexpr void window(size2 amounts) const {
        for (const int amount : {amounts.height, amounts.width}) {
            if (amount < 0 || amount > window_limit) {
                refuse("has a kernel, stride or dilation out of all range", amount, window_limit);
            }
        }
    }
    constexpr void padding(const padding2& p) const {
        choice(p.mode, padding_mode::valid);
        for (const int amount : {p.top, p.bottom, p.left, p.right}) {
            if (amount < -window_limit || amount > window_limit) {
                refuse("has a padding out of all range", amount, window_limit);
            }
        }
    }
    /// Accepts either sign.
    template <class Attributes> constexpr void convolution(const Attributes& c) const {
        window(c.stride), window(c.dilation), padding(c.padding), index(c.groups);
    }
    /// A number that reaches the engine as fp16.
    constexpr void number(float value) const {
        if (!(value >= -half_max && value <= half_max)) {
            refuse_number(value);
        }
    }

private:
    [[noreturn]] void refuse_number(float value) const {
        throw error(errc::graph, std::string(name(kind_)),
                    "the number " + std::to_string(value) + " among its attributes does not fit into fp16");
    }

    op kind_;
};

/// Checks the attributes of a node. Throws `error` (errc::graph); in a constant expression bad ones do not compile.
constexpr void validate_attributes(op kind, const attributes& a) {
    const attribute_check check(kind);
    switch (a.kind()) {
    case attribute_kind::contract: {
        const contract& c = a.get<contract>();
        check.flag(c.declared);
        if (!c.possible()) {
            refuse_graph(name(kind), "no tensor can keep its promises");
        }
        break;
    }
    case attribute_kind::conv: check.convolution(a.get<conv>()); break;
    case attribute_kind::conv_transpose: check.convolution(a.get<conv_transpose>()); break;
    case attribute_kind::pool: {
        const pool& p = a.get<pool>();
        check.window(p.kernel), check.window(p.stride), check.padding(p.padding);
        check.flag(p.ceil_mode), check.flag(p.exclude_padding);
        break;
    }
    case attribute_kind::transposed: check.flag(a.get<transposed>().a), check.flag(a.get<transposed>().b); break;
    case attribute_kind::axis: check.index(a.get<axis>().index); break;
    case attribute_kind::axes: check.list(a.get<axes>().list); break;
    case attribute_kind::permutation: check.list(a.get<permutation>().order); break;
    case attribute_kind::window: check.list(a.get<window>().begin), check.list(a.get<window>().size); break;
    case attribute_kind::strided_window:
        check.list(a.get<strided_window>().begin), check.list(a.get<strided_window>().stride);
        break;
    case attribute_kind::pads: check.list(a.get<pads>().before), check.list(a.get<pads>().after); break;
    case attribute_kind::repeats: check.list(a.get<repeats>().count); break;
    case attribute_kind::factors: check.window(a.get<factors>().by); break;
    case attribute_kind::leakage: check.number(a.get<leakage>().alpha); break;
    case attribute_kind::clip_range: // its ends may lie outside fp16
        if (!(a.get<clip_range>().min <= a.get<clip_range>().max)) {
            refuse_graph(name(kind), sentence(model_rule::the_low_end_is_above_the_high_end));
        }
        break;
    case attribute_kind::cutoff: check.number(a.get<cutoff>().alpha); break;
    case attribute_kind::clamped_leakage:
        check.number(a.get<clamped_leakage>().alpha), check.number(a.get<clamped_leakage>().beta);
        break;
    case attribute_kind::saturation: check.number(a.get<saturation>().alpha); break;
    case attribute_kind::clamped_line:
        check.number(a.get<clamped_line>().alpha), check.number(a.get<clamped_line>().beta);
        break;
    case attribute_kind::tanh_scaling:
        check.number(a.get<tanh_scaling>().alpha), check.number(a.get<tanh_scaling>().beta);
        break;
    case attribute_kind::score_scaling: check.number(a.get<score_scaling>().scale); break;
    case attribute_kind::drop_ratio: check.number(a.get<drop_ratio>().ratio); break;
    case attribute_kind::uniform_range:
        check.number(a.get<uniform_range>().low), check.number(a.get<uniform_range>().high);
        break;
    case attribute_kind::search_radius: check.number(a.get<search_radius>().radius); break;
    case attribute_kind::stabilizer:
        check.number(a.get<stabilizer>().epsilon), check.index(a.get<stabilizer>().axis);
        break;
    case attribute_kind::grouping:
        check.number(a.get<grouping>().epsilon), check.index(a.get<grouping>().groups);
        break;
    case attribute_kind::response: {
        const response& r = a.get<response>();
        check.index(r.size), check.number(r.alpha), check.number(r.beta), check.number(r.k);
        break;
    }
    case attribute_kind::cumulation: {
        const cumulation& c = a.get<cumulation>();
        check.index(c.axis), check.flag(c.exclusive), check.flag(c.reverse);
        break;
    }
    case attribute_kind::sampling: {
        const sampling& s = a.get<sampling>();
        check.index(s.extent.height), check.index(s.extent.width);
        check.choice(s.method, sampling_method::bilinear);
        check.choice(s.grid, sampling_grid::asymmetric);
        check.choice(s.border, sampling_border::reflect);
        break;
    }
    case attribute_kind::quantization:
        check.choice(a.get<quantization>().type, dtype::boolean);
        check.index(a.get<quantization>().axis);
        break;
    case attribute_kind::compression: {
        const compression& c = a.get<compression>();
        check.choice(c.form, weight_form::sparse_blockwise);
        if (c.bits < 1 || c.bits > 16) { // which of these a form accepts is decided by its shape rule
            check.refuse("stores a number of bits that no form has", c.bits, 16);
        }
        check.index(c.vector), check.index(c.block);
        check.flag(c.zero_point), check.number(c.zeros);
        break;
    }
    case attribute_kind::selection: {
        const selection& s = a.get<selection>();
        check.index(s.k), check.index(s.axis), check.flag(s.ascending);
        break;
    }
    case attribute_kind::amount: check.index(a.get<amount>().count); break;
    case attribute_kind::scaling:
        check.choice(a.get<scaling>().function, scaled_function::minimum);
        check.number(a.get<scaling>().scale);
        break;
    case attribute_kind::literal: // its range in the pool is checked with the graph
    case attribute_kind::none: break;
    }
}

} // namespace ane::detail
