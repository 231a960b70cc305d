#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace ane {

/// Largest rank that the engine accepts (R010).
inline constexpr int max_rank = 5;

/// A shape as a value: `rank` extents, outermost first. Rank 4 reads N, C, H, W; rank 5 reads N, D, C, H, W; lower
/// ranks are the innermost axes of those. Shapes of a rank above five can be held (up to eight axes) so that they can
/// be reported.
struct extents {
    static constexpr int capacity = 8;

    int rank = 0;
    std::int64_t extent[capacity]{}; // not std::array: half the steps in constants

    constexpr extents() = default;
    constexpr extents(std::initializer_list<std::int64_t> list) {
        for (const std::int64_t e : list) {
            if (rank < capacity) {
                extent[rank++] = e;
            }
        }
    }

    constexpr std::int64_t operator[](int axis) const { return extent[axis]; }
    constexpr std::int64_t& operator[](int axis) { return extent[axis]; }

    /// Number of elements: the product of the extents; 1 for a scalar.
    constexpr std::int64_t count() const {
        std::int64_t product = 1;
        for (int i = 0; i < rank; ++i) {
            product *= extent[i];
        }
        return product;
    }

    /// The extent of the axis `from_last` places before the last one, 1 where the rank is too small: 0 is W, 1 H, 2 C.
    constexpr std::int64_t from_last(int distance) const { return distance < rank ? extent[rank - 1 - distance] : 1; }

    constexpr std::int64_t width() const { return rank > 0 ? extent[rank - 1] : 1; }
    constexpr std::int64_t height() const { return rank > 1 ? extent[rank - 2] : 1; }
    constexpr std::int64_t channels() const { return rank > 2 ? extent[rank - 3] : 1; }
    constexpr std::int64_t depth() const { return rank == 5 ? extent[1] : 1; }
    constexpr std::int64_t batch() const { return rank >= 4 ? extent[0] : 1; }

    constexpr void append(std::int64_t e) { extent[rank++] = e; }

    friend constexpr bool operator==(const extents&, const extents&) = default;
};

/// Row-major strides in elements.
constexpr extents row_major_strides(const extents& shape) {
    extents strides;
    strides.rank = shape.rank;
    std::int64_t step = 1;
    for (int i = shape.rank - 1; i >= 0; --i) {
        strides[i] = step;
        step *= shape[i];
    }
    return strides;
}

/// A shape as a type: an integer pack and nothing else, so that compilers print it as `shape<1, 64, 56, 56>`.
template <std::int64_t... Extents> struct shape {
    static_assert(sizeof...(Extents) <= static_cast<std::size_t>(extents::capacity),
                  "a shape has at most eight axes (the engine takes five)");
    static constexpr extents value{Extents...};
};

namespace detail {
template <extents E, class Sequence> struct shape_from;
template <extents E, std::size_t... Axis> struct shape_from<E, std::index_sequence<Axis...>> {
    using type = shape<E.extent[Axis]...>;
};
} // namespace detail

/// The shape type of an extents value.
template <extents E>
using shape_of = typename detail::shape_from<E, std::make_index_sequence<static_cast<std::size_t>(E.rank)>>::type;

/// Converts an axis that may count from the back (-1 is the last) to one counted from the front.
constexpr int normalized_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

} // namespace ane
