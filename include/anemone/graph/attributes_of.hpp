#pragma once

#include "op.hpp"

namespace ane {

namespace detail::attribute_structs {
using none = no_attributes; // as the rows call it
template <op Kind> struct of;
#define ANEMONE_OPERATION(name, group, least, most, attributes, ...)                                                   \
    template <> struct of<op::name> { using type = attributes; };
#include "operations.def"
} // namespace detail::attribute_structs

/// The attribute struct of an operation.
template <op Kind> using attributes_of = typename detail::attribute_structs::of<Kind>::type;

} // namespace ane
