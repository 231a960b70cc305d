#pragma once

#include <anemone/graph/attributes_of.hpp>
#include <anemone/graph/op.hpp>
#include <anemone/graph/reflection.hpp>

#include <initializer_list>
#include <string_view>
#include <type_traits>

/// Attributes of an elementwise function in tests that walk over all of them.
namespace numbers {

/// Whether a function has numbers of its own, other than a stabilizer.
constexpr bool has_own(ane::op kind) {
    const ane::attribute_kind attributes = ane::signature(kind).attributes;
    return ane::is_unary(kind) && attributes != ane::attribute_kind::none &&
           attributes != ane::attribute_kind::stabilizer;
}

/// The attributes of an operation with these numbers for its members, in their order.
inline ane::attributes of(ane::op kind, std::initializer_list<float> values) {
    return ane::attributes::of(ane::signature(kind).attributes).visit<ane::attributes>([&](auto members) {
        const float* next = values.begin();
        ane::for_each_member(members, [&](std::string_view, auto& member) {
            if constexpr (std::is_same_v<decltype(member), float&>) {
                member = next != values.end() ? *next++ : member;
            }
        });
        return ane::attributes(members);
    });
}

} // namespace numbers
