#pragma once

#include "attributes.hpp"

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/core/when.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/functional/arg.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

/// The attribute structs as Hana structs, for all that reads members with their names: printing, drawings, MIL arguments, C++.
/// Each lists its members itself (base/members.hpp), without Hana, which costs half a second to include.
namespace ane {

/// A struct that lists its members.
template <class T>
concept lists_members = std::same_as<std::remove_cvref_t<decltype(T::member_names)>, std::string_view>;

namespace detail::reflection {

constexpr std::size_t count(std::string_view names) {
    std::size_t commas = 0;
    for (const char each : names) {
        commas += each == ',' ? 1 : 0;
    }
    return names.empty() ? 0 : commas + 1;
}

constexpr std::string_view name_at(std::string_view names, std::size_t index) {
    for (; index > 0; --index) {
        names.remove_prefix(names.find(',') + 1);
    }
    names = names.substr(0, names.find(','));
    names.remove_prefix(names.find_first_not_of(' '));
    return names;
}

/// The name of a member as a type.
template <class T, std::size_t Index, std::size_t... At> constexpr auto key(std::index_sequence<At...>) {
    return boost::hana::string_c<name_at(T::member_names, Index)[At]...>;
}
template <class T, std::size_t Index> constexpr auto key() {
    return key<T, Index>(std::make_index_sequence<name_at(T::member_names, Index).size()>());
}

/// Gives a member of a struct, or of a const one.
template <std::size_t Index> struct member {
    template <class T> constexpr auto& operator()(T& values) const {
        return std::remove_const_t<T>::visit_members(
            values, [](auto&... all) -> auto& { return boost::hana::arg<Index + 1>(all...); });
    }
};

} // namespace detail::reflection

} // namespace ane

template <ane::lists_members T> struct boost::hana::accessors_impl<T, boost::hana::when<true>> {
    static constexpr auto apply() {
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            return make_tuple(
                make_pair(ane::detail::reflection::key<T, Index>(), ane::detail::reflection::member<Index>{})...);
        }
        (std::make_index_sequence<ane::detail::reflection::count(T::member_names)>());
    }
};

namespace ane {

/// Calls `visitor(name, value)` for each member of an attribute struct, in the order of its declaration.
template <class Attributes, class Visitor> void for_each_member(Attributes&& values, const Visitor& visitor) {
    boost::hana::for_each(boost::hana::accessors<std::remove_cvref_t<Attributes>>(), [&](auto member) {
        visitor(std::string_view(boost::hana::to<const char*>(boost::hana::first(member))),
                boost::hana::second(member)(values));
    });
}

} // namespace ane
