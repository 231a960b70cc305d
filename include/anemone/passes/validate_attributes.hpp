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
/// as integers before anything reads them as what they should be. Members are walked (base/members.hpp), each by its type:
/// one more is checked like the others of its type, or does not compile.
class attribute_check {
public:
    constexpr explicit attribute_check(op kind) : kind_(kind) {}

    /// Not constexpr: reaching it in a constant expression is the error.
    [[noreturn]] void refuse(std::string_view what, std::int64_t got, std::int64_t limit) const {
        refuse_graph(name(kind_), what, got, limit);
    }

    /// Each member of an attribute struct.
    template <class... Member> constexpr void operator()(const Member&... each) const { (member(each), ...); }

    /// What is checked in another way than by its types.
    constexpr void one(const contract& promised) const {
        member(promised.declared);
        if (!promised.possible()) {
            refuse_graph(name(kind_), "no tensor can keep its promises");
        }
    }
    constexpr void one(const clip_range& ends) const { // they may lie outside fp16
        if (!(ends.min <= ends.max)) {
            refuse_graph(name(kind_), sentence(model_rule::the_low_end_is_above_the_high_end));
        }
    }
    constexpr void one(const sampling& s) const {
        index(s.extent.height), index(s.extent.width);
        member(s.method), member(s.grid), member(s.border);
    }
    constexpr void bits(const compression& c) const {
        if (c.bits < 1 || c.bits > 16) { // which of these a form accepts is decided by its shape rule
            refuse("stores a number of bits that no form has", c.bits, 16);
        }
    }

private:
    template <class Enum> constexpr void choice(Enum value, Enum last) const {
        if (static_cast<std::uint8_t>(value) > static_cast<std::uint8_t>(last)) {
            refuse("has an enumerator that there is not", static_cast<std::uint8_t>(value),
                   static_cast<std::uint8_t>(last));
        }
    }
    /// Accepts either sign.
    constexpr void index(std::int64_t value) const {
        if (value < -extent_limit || value > extent_limit) {
            refuse("has a number that no tensor has room for", value, extent_limit);
        }
    }
    constexpr void member(const bool& value) const { // by reference: as a value it would be read as a bool
        if (const auto byte = std::bit_cast<std::uint8_t>(value); byte > 1) {
            refuse("has a flag that is neither true nor false", byte, 1);
        }
    }
    constexpr void member(const int& value) const { index(value); }
    /// A number that reaches the engine as fp16.
    constexpr void member(const float& value) const {
        if (!(value >= -half_max && value <= half_max)) {
            refuse_number(value);
        }
    }
    constexpr void member(const indices& values) const {
        if (values.rank < 0 || values.rank > extents::capacity) {
            refuse("has a list of indices of no possible length", values.rank, extents::capacity);
        }
        for (int i = 0; i < values.rank; ++i) {
            index(values[i]);
        }
    }
    /// A kernel, stride or dilation, or the factors of a block.
    constexpr void member(const size2& amounts) const {
        for (const int amount : {amounts.height, amounts.width}) {
            if (amount < 0 || amount > window_limit) {
                refuse("has a kernel, stride or dilation out of all range", amount, window_limit);
            }
        }
    }
    constexpr void member(const padding2& p) const {
        choice(p.mode, padding_mode::valid);
        for (const int amount : {p.top, p.bottom, p.left, p.right}) {
            if (amount < -window_limit || amount > window_limit) {
                refuse("has a padding out of all range", amount, window_limit);
            }
        }
    }
    constexpr void member(const double&) const {} // of a contract: checked together
    constexpr void member(const sampling_method& value) const { choice(value, sampling_method::bilinear); }
    constexpr void member(const sampling_grid& value) const { choice(value, sampling_grid::asymmetric); }
    constexpr void member(const sampling_border& value) const { choice(value, sampling_border::reflect); }
    constexpr void member(const dtype& value) const { choice(value, dtype::boolean); }
    constexpr void member(const weight_form& value) const { choice(value, weight_form::sparse_blockwise); }
    constexpr void member(const scaled_function& value) const { choice(value, scaled_function::minimum); }

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
    case attribute_kind::literal: return; // its range in the pool is checked with the graph
    case attribute_kind::contract: return check.one(a.get<contract>());
    case attribute_kind::clip_range: return check.one(a.get<clip_range>());
    case attribute_kind::sampling: return check.one(a.get<sampling>());
    case attribute_kind::compression: check.bits(a.get<compression>()); break;
    default: break;
    }
    a.visit_members(check);
}

} // namespace ane::detail
