#pragma once

#include "attributes.hpp"

#include <cstddef>
#include <string_view>

/// The members of every attribute struct, described once for all readers: MIL arguments, printing, drawings, digests.
namespace ane {

namespace detail {

/// Calls `visitor(name, member)` for each member; `names` lists them: "stride, dilation".
template <class Visitor, class... Members>
constexpr void visit_members(std::string_view names, const Visitor& visitor, Members&... members) {
    const auto next = [&names] {
        const std::size_t end = names.find(',');
        const std::string_view name = names.substr(0, end);
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 2);
        return name;
    };
    (visitor(next(), members), ...);
}

} // namespace detail

/// Calls `visitor(name, value)` for each member of an attribute struct, in the order of its declaration.
template <class Visitor> constexpr void for_each_member(const no_attributes&, const Visitor&) {}

// Members are bound by position, so each list is in the order of the declaration; the compiler counts them.
#define ANEMONE_MEMBERS(type, ...)                                                                                     \
    template <class Visitor> constexpr void for_each_member(const type& values, const Visitor& visitor) {              \
        const auto& [__VA_ARGS__] = values;                                                                            \
        detail::visit_members(#__VA_ARGS__, visitor, __VA_ARGS__);                                                     \
    }                                                                                                                  \
    template <class Visitor> constexpr void for_each_member(type& values, const Visitor& visitor) {                    \
        auto& [__VA_ARGS__] = values;                                                                                  \
        detail::visit_members(#__VA_ARGS__, visitor, __VA_ARGS__);                                                     \
    }
ANEMONE_MEMBERS(contract, declared, low, high, row_l1, column_l1, deviation)
ANEMONE_MEMBERS(literal, offset, count)
ANEMONE_MEMBERS(conv, stride, dilation, padding, groups)
ANEMONE_MEMBERS(conv_transpose, stride, dilation, padding, groups)
ANEMONE_MEMBERS(pool, kernel, stride, padding, ceil_mode, exclude_padding)
ANEMONE_MEMBERS(transposed, a, b)
ANEMONE_MEMBERS(axis, index)
ANEMONE_MEMBERS(axes, list)
ANEMONE_MEMBERS(permutation, order)
ANEMONE_MEMBERS(window, begin, size)
ANEMONE_MEMBERS(pads, before, after)
ANEMONE_MEMBERS(coefficients, alpha, beta)
ANEMONE_MEMBERS(stabilizer, epsilon, axis)
ANEMONE_MEMBERS(strided_window, begin, stride)
ANEMONE_MEMBERS(repeats, count)
ANEMONE_MEMBERS(factors, by)
ANEMONE_MEMBERS(grouping, groups, epsilon)
ANEMONE_MEMBERS(response, size, alpha, beta, k)
ANEMONE_MEMBERS(cumulation, axis, exclusive, reverse)
ANEMONE_MEMBERS(sampling, extent, method, grid, border)
ANEMONE_MEMBERS(quantization, type, axis)
ANEMONE_MEMBERS(compression, form, bits, vector, block, zero_point, zeros)
ANEMONE_MEMBERS(selection, k, axis, ascending)
ANEMONE_MEMBERS(amount, count)
ANEMONE_MEMBERS(scaling, function, scale)
#undef ANEMONE_MEMBERS

} // namespace ane
