#pragma once

#include "../values/dtype.hpp"
#include "../values/shape.hpp"
#include "handle.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// Stands for the shape of a refused operation's result. Every rule accepts it, so that clang, which continues after an
/// error, reports one mistake only once.
struct unknown_shape {
    static constexpr extents value{1, 1, 1, 1};
};

/// A value of the graph under construction: its shape and element type are in the type, its node number in the object.
/// A handle is cheap to copy and never changes its shape.
template <class Shape, dtype Type> struct tensor : handle {
    using shape_type = Shape;
    static constexpr extents extent = Shape::value;
    static constexpr dtype element = Type;

    template <class Other, dtype T>
        requires(std::same_as<Other, unknown_shape> || std::same_as<Shape, unknown_shape>)
    constexpr tensor& operator=(const tensor<Other, T>&) { return *this; }
    template <class Other, dtype T>
        requires(!std::same_as<Other, unknown_shape> && !std::same_as<Shape, unknown_shape>)
    __attribute__((unavailable("a variable keeps the shape and the element type of its first value: write a new name, "
                               "as in auto z = ..."))) constexpr tensor&
    operator=(const tensor<Other, T>&) {
        return *this;
    }
    __attribute__((
        unavailable("a tensor has no truth value while its model is described: select(c, a, b) chooses "
                    "element by element, maximum(a, b) the larger, minimum(a, b) the smaller"))) constexpr explicit
    operator bool() const {
        return false;
    }
    template <class Index>
    __attribute__((unavailable("a part of a tensor is slice<window{{0, 8}, {1, 8}}>(x), which begins at 0, 8 and takes "
                               "1, 8 elements; gather<axis{0}>(x, i) reads rows by number"))) constexpr tensor
    operator[](Index) const {
        return *this;
    }
};
using unknown_tensor = tensor<unknown_shape>;

template <class...> constexpr auto handle::refused(std::string_view name) const {
    graph->refuse(model_rule::the_call_must_be_written_as_the_first_error_says, name,
                  graph->nodes[static_cast<std::size_t>(node)].where);
    return unknown_tensor{graph, node};
}

#define ANEMONE_OF_A_LOOP(name)                                                                                        \
    template <class Shape, dtype Type>                                                                                 \
    __attribute__((unavailable("a tensor has no elements while its model is described: unstack<axis{0}>(x) gives its " \
                               "parts along an axis, as an array"))) constexpr const tensor<Shape, Type>*              \
    name(const tensor<Shape, Type>& x) {                                                                               \
        return &x;                                                                                                     \
    }
ANEMONE_OF_A_LOOP(begin)
ANEMONE_OF_A_LOOP(end)
#undef ANEMONE_OF_A_LOOP

/// A shape and an element type, for declaring ports and weights: `f16<1, 3, 224, 224>`.
template <class Shape, dtype Type> struct tensor_type { static constexpr extents extent = Shape::value; };

/// What no extent of a type may be: open, as other libraries write it. Each size is a model (docs/buckets.md).
template <std::int64_t... Extents>
concept no_extent_is_open_each_size_is_a_model_of_its_own = ((Extents >= 0) && ...);

/// Half precision tensors, the engine's own type.
template <std::int64_t... Extents>
    requires no_extent_is_open_each_size_is_a_model_of_its_own<Extents...>
inline constexpr tensor_type<shape<Extents...>, dtype::f16> f16{};
/// Bytes, for image inputs only: `to_f16` comes next (R002).
template <std::int64_t... Extents> inline constexpr tensor_type<shape<Extents...>, dtype::uint8> u8{};
/// Signed bytes, for inputs only: `dequantize` comes next.
template <std::int64_t... Extents> inline constexpr tensor_type<shape<Extents...>, dtype::int8> i8{};

/// Element types that no tensor of a graph has.
template <std::int64_t... Extents>
__attribute__((
    unavailable("tensors are fp16, ane::f16<...>, and images bytes, ane::u8<...>: convert fp32 values on the "
                "host"))) inline constexpr tensor_type<shape<Extents...>, dtype::f16>
    f32{};
template <std::int64_t... Extents>
__attribute__((unavailable("no tensor has 32-bit integers: ane::f16<...> holds whole numbers up to 2048 exactly, "
                           "ane::u8<...> bytes"))) inline constexpr tensor_type<shape<Extents...>, dtype::f16>
    i32{};
template <std::int64_t... Extents>
__attribute__((unavailable("no tensor has 64-bit integers: ane::f16<...> holds whole numbers up to 2048 exactly, "
                           "ane::u8<...> bytes"))) inline constexpr tensor_type<shape<Extents...>, dtype::f16>
    i64{};
template <std::int64_t... Extents>
__attribute__((
    unavailable("half precision is ane::f16<...>"))) inline constexpr tensor_type<shape<Extents...>, dtype::f16>
    fp16{};
template <std::int64_t... Extents>
__attribute__((unavailable("the engine computes in fp16, ane::f16<...>: convert bf16 values on the "
                           "host"))) inline constexpr tensor_type<shape<Extents...>, dtype::f16>
    bf16{};

} // namespace ane
