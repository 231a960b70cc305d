#pragma once

#include "attributes.hpp"

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

/// Does what BOOST_HANA_ADAPT_STRUCT does, but in a template: Hana's macro instantiates the description wherever it is
/// included, which costs half a second; this one only where something reads it.
#define ANEMONE_MEMBER(TYPE, INDEX, MEMBER)                                                                            \
    ::boost::hana::make_pair(::boost::hana::struct_detail::prepare_member_name<INDEX, member_names>(),                 \
                             ::boost::hana::struct_detail::member_ptr<decltype(&TYPE::MEMBER), &TYPE::MEMBER>{})
#define ANEMONE_MEMBERS_1(T, a) ANEMONE_MEMBER(T, 0, a)
#define ANEMONE_MEMBERS_2(T, a, b) ANEMONE_MEMBERS_1(T, a), ANEMONE_MEMBER(T, 1, b)
#define ANEMONE_MEMBERS_3(T, a, b, c) ANEMONE_MEMBERS_2(T, a, b), ANEMONE_MEMBER(T, 2, c)
#define ANEMONE_MEMBERS_4(T, a, b, c, d) ANEMONE_MEMBERS_3(T, a, b, c), ANEMONE_MEMBER(T, 3, d)
#define ANEMONE_MEMBERS_5(T, a, b, c, d, e) ANEMONE_MEMBERS_4(T, a, b, c, d), ANEMONE_MEMBER(T, 4, e)
#define ANEMONE_MEMBERS_6(T, a, b, c, d, e, f) ANEMONE_MEMBERS_5(T, a, b, c, d, e), ANEMONE_MEMBER(T, 5, f)
#define ANEMONE_NAMES_1(a) #a
#define ANEMONE_NAMES_2(a, ...) #a, ANEMONE_NAMES_1(__VA_ARGS__)
#define ANEMONE_NAMES_3(a, ...) #a, ANEMONE_NAMES_2(__VA_ARGS__)
#define ANEMONE_NAMES_4(a, ...) #a, ANEMONE_NAMES_3(__VA_ARGS__)
#define ANEMONE_NAMES_5(a, ...) #a, ANEMONE_NAMES_4(__VA_ARGS__)
#define ANEMONE_NAMES_6(a, ...) #a, ANEMONE_NAMES_5(__VA_ARGS__)
#define ANEMONE_ATTRIBUTE(TYPE, ...)                                                                                   \
    template <class Described>                                                                                         \
        requires std::same_as<Described, ane::TYPE>                                                                    \
    struct boost::hana::accessors_impl<Described, void> {                                                              \
        struct member_names {                                                                                          \
            static constexpr auto get() {                                                                              \
                return ::boost::hana::make_tuple(                                                                      \
                    BOOST_HANA_PP_CONCAT(ANEMONE_NAMES_, BOOST_HANA_PP_NARG(__VA_ARGS__))(__VA_ARGS__));               \
            }                                                                                                          \
        };                                                                                                             \
        static constexpr auto apply() {                                                                                \
            return ::boost::hana::make_tuple(                                                                          \
                BOOST_HANA_PP_CONCAT(ANEMONE_MEMBERS_, BOOST_HANA_PP_NARG(__VA_ARGS__))(Described, __VA_ARGS__));      \
        }                                                                                                              \
    };

/// The members of every attribute struct, described once for all readers: MIL arguments, printing, drawings, digests.
BOOST_HANA_ADAPT_STRUCT(ane::no_attributes);
ANEMONE_ATTRIBUTE(contract, declared, low, high, row_l1, column_l1, deviation) // zeros: of estimates alone
ANEMONE_ATTRIBUTE(literal, offset, count)
ANEMONE_ATTRIBUTE(conv, stride, dilation, padding, groups)
ANEMONE_ATTRIBUTE(conv_transpose, stride, dilation, padding, groups)
ANEMONE_ATTRIBUTE(pool, kernel, stride, padding, ceil_mode, exclude_padding)
ANEMONE_ATTRIBUTE(transposed, a, b)
ANEMONE_ATTRIBUTE(axis, index)
ANEMONE_ATTRIBUTE(axes, list)
ANEMONE_ATTRIBUTE(permutation, order)
ANEMONE_ATTRIBUTE(window, begin, size)
ANEMONE_ATTRIBUTE(pads, before, after)
ANEMONE_ATTRIBUTE(leakage, alpha)
ANEMONE_ATTRIBUTE(clip_range, min, max)
ANEMONE_ATTRIBUTE(cutoff, alpha)
ANEMONE_ATTRIBUTE(clamped_leakage, alpha, beta)
ANEMONE_ATTRIBUTE(saturation, alpha)
ANEMONE_ATTRIBUTE(clamped_line, alpha, beta)
ANEMONE_ATTRIBUTE(tanh_scaling, alpha, beta)
ANEMONE_ATTRIBUTE(score_scaling, scale)
ANEMONE_ATTRIBUTE(drop_ratio, ratio)
ANEMONE_ATTRIBUTE(uniform_range, low, high)
ANEMONE_ATTRIBUTE(search_radius, radius)
ANEMONE_ATTRIBUTE(stabilizer, epsilon, axis)
ANEMONE_ATTRIBUTE(strided_window, begin, stride)
ANEMONE_ATTRIBUTE(repeats, count)
ANEMONE_ATTRIBUTE(factors, by)
ANEMONE_ATTRIBUTE(grouping, groups, epsilon)
ANEMONE_ATTRIBUTE(response, size, alpha, beta, k)
ANEMONE_ATTRIBUTE(cumulation, axis, exclusive, reverse)
ANEMONE_ATTRIBUTE(sampling, extent, method, grid, border)
ANEMONE_ATTRIBUTE(quantization, type, axis)
ANEMONE_ATTRIBUTE(compression, form, bits, vector, block, zero_point, zeros)
ANEMONE_ATTRIBUTE(selection, k, axis, ascending)
ANEMONE_ATTRIBUTE(amount, count)
ANEMONE_ATTRIBUTE(scaling, function, scale)
#undef ANEMONE_MEMBER
#undef ANEMONE_ATTRIBUTE
#undef ANEMONE_MEMBERS_1
#undef ANEMONE_MEMBERS_2
#undef ANEMONE_MEMBERS_3
#undef ANEMONE_MEMBERS_4
#undef ANEMONE_MEMBERS_5
#undef ANEMONE_MEMBERS_6
#undef ANEMONE_NAMES_1
#undef ANEMONE_NAMES_2
#undef ANEMONE_NAMES_3
#undef ANEMONE_NAMES_4
#undef ANEMONE_NAMES_5
#undef ANEMONE_NAMES_6

namespace ane {

/// Calls `visitor(name, value)` for each member of an attribute struct, in the order of its declaration.
template <class Attributes, class Visitor> void for_each_member(Attributes&& values, const Visitor& visitor) {
    boost::hana::for_each(boost::hana::accessors<std::remove_cvref_t<Attributes>>(), [&](auto member) {
        visitor(std::string_view(boost::hana::to<const char*>(boost::hana::first(member))),
                boost::hana::second(member)(values));
    });
}

} // namespace ane
