#pragma once

#include "../base/error.hpp"
#include "dtype.hpp"
#include "shape.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ane {

namespace detail {
/// The row-major position of an element; throws when an index is out of its axis.
template <class Shape, class... Index> std::size_t element_offset(Index... index) {
    static_assert(sizeof...(Index) == static_cast<std::size_t>(Shape::value.rank), "one index for each axis is needed");
    std::int64_t offset = 0;
    int axis = 0;
    const auto step = [&](std::int64_t i) {
        const std::int64_t extent = Shape::value[axis++];
        if (i < 0 || i >= extent) {
            throw error(errc::argument, "ndarray",
                        "index " + std::to_string(i) + " is outside an axis of " + std::to_string(extent));
        }
        offset = offset * extent + i;
    };
    (step(static_cast<std::int64_t>(index)), ...);
    return static_cast<std::size_t>(offset);
}
/// A number in a message: six digits, "1e+300".
inline std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}
/// An element, as errors name it.
struct element_place {
    std::string_view array;
    std::size_t index;
};
[[noreturn]] inline void refuse_element(const element_place& at, const std::string& value, const std::string& why) {
    throw error(errc::argument, std::string(at.array), "element " + std::to_string(at.index) + " is " + value + why);
}
/// Throws for an integer that fp16 does not hold, such as an index above 2048: its neighbour would be another one.
[[noreturn]] inline void refuse_integer_beyond_fp16(const element_place& at, const std::string& value) {
    refuse_element(at, value,
                   ", an integer that fp16 does not hold exactly, as it does all up to 2048; what takes larger ones, "
                   "such as the rows of a table, belongs outside the model; where rounding is meant, give floats");
}
/// Whether integers of a type are looked at: those of eight bits fp16 has.
template <class Element, class Value>
inline constexpr bool may_lose_integers = std::is_same_v<Element, half>&& std::is_integral_v<Value> &&
                                          sizeof(Value) > 1;
/// Converts a number to an element: fp16 rounds half to even, integers round half away from zero; throws outside the
/// range of the element. What is infinite already stays so.
template <class Element, class Value> Element element_of(Value value, const element_place& at) {
    if constexpr (std::is_same_v<Element, half> && std::is_arithmetic_v<Value>) {
        const auto wide = static_cast<double>(value);
        const half rounded(wide);
        if (is_infinite(rounded) && wide - wide == 0) {
            refuse_element(
                at, number_text(wide),
                ", which does not fit into fp16, whose largest value is 65504; an infinity does, and half(x) makes "
                "one of what is larger");
        }
        return rounded;
    } else if constexpr (std::is_integral_v<Element> && !std::is_integral_v<Value>) {
        const auto wide = static_cast<double>(value);
        if (!(wide > static_cast<double>(std::numeric_limits<Element>::min()) - 0.5 &&
              wide < static_cast<double>(std::numeric_limits<Element>::max()) + 0.5)) {
            refuse_element(at, number_text(wide), ", outside its element type");
        }
        return static_cast<Element>(static_cast<std::int64_t>(wide < 0 ? wide - 0.5 : wide + 0.5));
    } else if constexpr (std::is_integral_v<Element> && !std::is_same_v<Value, bool>) {
        if (!std::in_range<Element>(value)) {
            refuse_element(at, std::to_string(value), ", outside its element type");
        }
        return static_cast<Element>(value);
    } else {
        return static_cast<Element>(value);
    }
}
/// A container of numbers without a shape of its own; containers with a shape expose their elements through
/// `elements()`.
template <class Values>
concept has_numbers = requires(const Values& values) {
    requires !requires { typename Values::shape_type; };
    requires std::is_arithmetic_v<std::remove_cvref_t<decltype(*std::data(values))>> ||
        std::is_same_v<std::remove_cvref_t<decltype(*std::data(values))>, half>;
    { std::size(values) } -> std::convertible_to<std::size_t>;
};
} // namespace detail

/// Elements in row-major order that are owned elsewhere, with their shape in the type.
template <class Shape, class Element = half> class ndview {
public:
    using shape_type = Shape;
    using element_type = std::remove_const_t<Element>;
    static constexpr std::size_t size = static_cast<std::size_t>(Shape::value.count());

    /// A view of `size` elements; throws `error` (errc::argument) when there are more or fewer.
    explicit ndview(std::span<Element> elements) : elements_(elements) {
        if (elements.size() != size) {
            throw error(errc::argument, "ndview",
                        "has " + std::to_string(elements.size()) + " elements, its shape needs " +
                            std::to_string(size));
        }
    }

    std::span<Element> elements() const { return elements_; }
    Element* data() const { return elements_.data(); }
    Element* begin() const { return elements_.data(); }
    Element* end() const { return elements_.data() + elements_.size(); }
    Element& operator[](std::size_t i) const { return elements_[i]; }
    /// The element at one index for each axis.
    template <class... Index> Element& operator()(Index... index) const {
        return elements_[detail::element_offset<Shape>(index...)];
    }
    /// The position of the largest element; the first of equal ones.
    std::size_t argmax() const { return static_cast<std::size_t>(std::max_element(begin(), end()) - begin()); }
    /// The elements as float, all exact.
    std::vector<float> floats() const { return {begin(), end()}; }

private:
    std::span<Element> elements_;
};

/// Elements in row-major order on the heap, with their shape in the type: what programs take and return.
template <class Shape, class Element = half> class ndarray {
public:
    using shape_type = Shape;
    using element_type = Element;
    static constexpr std::size_t size = static_cast<std::size_t>(Shape::value.count());

    /// All elements zero.
    ndarray() : elements_(size) {}
    /// From one value per element, rounded to the element type; throws when the number differs. Integers, which may be
    /// indices, are not rounded: throws for one that fp16 does not hold. Of halves nothing can be known: what was 4097 is 4096
    /// by then.
    template <class Value> explicit ndarray(std::span<const Value> values) : ndarray() { assign("ndarray", values); }
    /// The same from any contiguous container of numbers: `ndarray<shape<2, 3>>(pixels)`.
    template <class Values>
        requires detail::has_numbers<Values>
    explicit ndarray(const Values& values) : ndarray() {
        assign<std::remove_cvref_t<decltype(*std::data(values))>>("ndarray", {std::data(values), std::size(values)});
    }
    /// The same for the input of a name, which errors have: `ndarray<shape<4>>("ids"_s, ids)`.
    template <class Values>
        requires detail::has_numbers<Values>
    explicit ndarray(std::string_view input, const Values& values) : ndarray() {
        assign<std::remove_cvref_t<decltype(*std::data(values))>>(input, {std::data(values), std::size(values)});
    }
    ndarray(std::initializer_list<double> values) : ndarray() {
        assign("ndarray", std::span<const double>(values.begin(), values.size()));
    }

    std::span<Element> elements() { return elements_; }
    std::span<const Element> elements() const { return elements_; }
    Element* data() { return elements_.data(); }
    const Element* data() const { return elements_.data(); }
    auto begin() { return elements_.begin(); }
    auto end() { return elements_.end(); }
    auto begin() const { return elements_.begin(); }
    auto end() const { return elements_.end(); }
    Element& operator[](std::size_t i) { return elements_[i]; }
    const Element& operator[](std::size_t i) const { return elements_[i]; }
    template <class... Index> Element& operator()(Index... index) {
        return elements_[detail::element_offset<Shape>(index...)];
    }
    template <class... Index> const Element& operator()(Index... index) const {
        return elements_[detail::element_offset<Shape>(index...)];
    }
    void fill(Element value) { std::fill(begin(), end(), value); }
    /// The position of the largest element; the first of equal ones.
    std::size_t argmax() const { return static_cast<std::size_t>(std::max_element(begin(), end()) - begin()); }
    /// The elements as float, all exact.
    std::vector<float> floats() const { return {begin(), end()}; }

private:
    template <class Value> void assign(std::string_view array, std::span<const Value> values) {
        if (values.size() != size) {
            throw error(errc::argument, std::string(array),
                        "got " + std::to_string(values.size()) + " values for " + std::to_string(size) + " elements");
        }
        if constexpr (detail::may_lose_integers<Element, Value>) {
            for (std::size_t i = 0; i < size; ++i) {
                elements_[i] = half(static_cast<double>(values[i]));
                if (static_cast<double>(elements_[i]) != static_cast<double>(values[i])) {
                    detail::refuse_integer_beyond_fp16({array, i}, std::to_string(values[i]));
                }
            }
        } else {
            for (std::size_t i = 0; i < size; ++i) {
                elements_[i] = detail::element_of<Element>(values[i], detail::element_place{array, i});
            }
        }
    }

    std::vector<Element> elements_;
};

/// Host data with its shape in the type: an ndarray or an ndview.
template <class T>
concept typed_elements = requires(const T& t) {
    typename T::shape_type;
    typename T::element_type;
    t.elements();
};

} // namespace ane
