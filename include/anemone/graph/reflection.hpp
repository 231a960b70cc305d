#pragma once

#include "attributes.hpp"

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>

#include <string_view>

/// The members of every attribute struct, described once for all readers: MIL arguments, printing, drawings, digests.
BOOST_HANA_ADAPT_STRUCT(ane::no_attributes);
BOOST_HANA_ADAPT_STRUCT(ane::contract, declared, low, high);
BOOST_HANA_ADAPT_STRUCT(ane::literal, offset, count);
BOOST_HANA_ADAPT_STRUCT(ane::conv, stride, dilation, padding, groups);
BOOST_HANA_ADAPT_STRUCT(ane::conv_transpose, stride, dilation, padding, groups);
BOOST_HANA_ADAPT_STRUCT(ane::pool, kernel, stride, padding, ceil_mode, exclude_padding);
BOOST_HANA_ADAPT_STRUCT(ane::transposed, a, b);
BOOST_HANA_ADAPT_STRUCT(ane::axis, index);
BOOST_HANA_ADAPT_STRUCT(ane::axes, list);
BOOST_HANA_ADAPT_STRUCT(ane::permutation, order);
BOOST_HANA_ADAPT_STRUCT(ane::window, begin, size);
BOOST_HANA_ADAPT_STRUCT(ane::pads, before, after);
BOOST_HANA_ADAPT_STRUCT(ane::coefficients, alpha, beta);
BOOST_HANA_ADAPT_STRUCT(ane::stabilizer, epsilon, axis);

namespace ane {

/// Calls `visitor(name, value)` for each member of an attribute struct, in the order of its declaration.
template <class Attributes, class Visitor> void for_each_member(const Attributes& values, const Visitor& visitor) {
    boost::hana::for_each(boost::hana::accessors<Attributes>(), [&](auto member) {
        visitor(std::string_view(boost::hana::to<const char*>(boost::hana::first(member))),
                boost::hana::second(member)(values));
    });
}

} // namespace ane
