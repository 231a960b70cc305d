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
BOOST_HANA_ADAPT_STRUCT(ane::contract, declared, low, high, row_l1, column_l1, deviation);
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
BOOST_HANA_ADAPT_STRUCT(ane::strided_window, begin, stride);
BOOST_HANA_ADAPT_STRUCT(ane::repeats, count);
BOOST_HANA_ADAPT_STRUCT(ane::factors, by);
BOOST_HANA_ADAPT_STRUCT(ane::grouping, groups, epsilon);
BOOST_HANA_ADAPT_STRUCT(ane::response, size, alpha, beta, k);
BOOST_HANA_ADAPT_STRUCT(ane::cumulation, axis, exclusive, reverse);
BOOST_HANA_ADAPT_STRUCT(ane::sampling, extent, method, grid, border);
BOOST_HANA_ADAPT_STRUCT(ane::quantization, type, axis);
BOOST_HANA_ADAPT_STRUCT(ane::compression, form, bits, vector, block, zero_point, zeros);
BOOST_HANA_ADAPT_STRUCT(ane::selection, k, axis, ascending);
BOOST_HANA_ADAPT_STRUCT(ane::amount, count);
BOOST_HANA_ADAPT_STRUCT(ane::scaling, function, scale);

namespace ane {

/// Calls `visitor(name, value)` for each member of an attribute struct, in the order of its declaration.
template <class Attributes, class Visitor> void for_each_member(const Attributes& values, const Visitor& visitor) {
    boost::hana::for_each(boost::hana::accessors<Attributes>(), [&](auto member) {
        visitor(std::string_view(boost::hana::to<const char*>(boost::hana::first(member))),
                boost::hana::second(member)(values));
    });
}

} // namespace ane
