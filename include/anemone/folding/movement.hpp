#pragma once

#include "../graph/strided.hpp"
#include "../passes/print.hpp"
#include "known_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

/// The elements of known tensors at other places, bit by bit. All of it throws `refused`. Only bodies include this
/// header.
namespace ane::folding::inline ANEMONE_WAY {

/// The shape that two broadcast to.
ANEMONE_INLINE extents broadcast(const extents& a, const extents& b) {
    extents result = a.rank > b.rank ? a : b;
    for (int i = 0; i < result.rank; ++i) {
        const std::int64_t left = a.from_last(i);
        const std::int64_t right = b.from_last(i);
        if (left != right && left != 1 && right != 1) {
            throw refused{formatted("reads {} and {}, which do not broadcast", print(a), print(b))};
        }
        result[result.rank - 1 - i] = left == 1 ? right : left;
    }
    return result;
}

/// Elements of any width, packed one after another.
class element_list {
public:
    ANEMONE_INLINE element_list(element_type type, std::int64_t count)
        : type_(type), bytes_(static_cast<std::size_t>(bytes(type, count))) {
        narrow_.reserve(width() == 0 ? static_cast<std::size_t>(count) : 0);
    }
    /// Appends element `i` of a tensor of the same type.
    ANEMONE_INLINE void append(const known_tensor& x, std::int64_t i) {
        if (const std::size_t size = width(); size != 0) {
            std::memcpy(bytes_.data() + next_, x.elements().data() + static_cast<std::size_t>(i) * size, size);
            next_ += size;
        } else {
            narrow_.push_back(weight_formats::packed_at(x.elements(), i, facts_of(type_).bits));
        }
    }
    ANEMONE_INLINE known_tensor of(const extents& shape) && {
        if (width() == 0) {
            bytes_ = weight_formats::pack(std::span<const unsigned>(narrow_), facts_of(type_).bits);
        }
        known_tensor t{.type = type_, .shape = shape};
        t.owned = std::make_shared<const std::vector<std::byte>>(std::move(bytes_));
        t.bytes = *t.owned;
        return t;
    }

private:
    /// Bytes of an element; 0 where it has fewer bits than one.
    std::size_t width() const { return static_cast<std::size_t>(facts_of(type_).bits / 8); }

    element_type type_;
    std::vector<std::byte> bytes_;
    std::vector<unsigned> narrow_;
    std::size_t next_ = 0;
};

/// Element `i` of the result is element `from(i)` of `x`.
template <class From>
known_tensor moved(const room& allow, const known_tensor& x, const extents& shape, const From& from) {
    allow(shape);
    element_list list(x.type, shape.count());
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        list.append(x, from(i));
    }
    return std::move(list).of(shape);
}

/// The elements of `x` from `begin` on with these steps along the axes of the result.
ANEMONE_INLINE known_tensor strided(const room& allow, const known_tensor& x, const extents& shape,
                                    const indices& strides, std::int64_t begin = 0) {
    allow(shape);
    element_list list(x.type, shape.count());
    detail::walk(shape, strides, strides,
                 [&](std::int64_t, std::int64_t at, std::int64_t) { list.append(x, begin + at); });
    return std::move(list).of(shape);
}

/// Axis i of the result is axis order[i] of `x`; the order names each axis once.
ANEMONE_INLINE known_tensor transposed(const room& allow, const known_tensor& x, const indices& order) {
    const extents own = row_major_strides(x.shape);
    extents shape;
    indices strides;
    for (int i = 0; i < order.rank; ++i) {
        shape.append(x.shape[static_cast<int>(order[i])]);
        strides.append(own[static_cast<int>(order[i])]);
    }
    return strided(allow, x, shape, strides);
}

/// The elements begin, begin + step, ... of every axis, `size` of them.
ANEMONE_INLINE known_tensor sliced(const room& allow, const known_tensor& x, const indices& begin, const extents& size,
                                   const indices& step) {
    const extents own = row_major_strides(x.shape);
    indices strides;
    std::int64_t first = 0;
    for (int i = 0; i < x.shape.rank; ++i) {
        strides.append(size[i] > 1 ? step[i] * own[i] : 0); // a step that is never taken may be of any size
        first += begin[i] * own[i];
    }
    return strided(allow, x, size, strides, first);
}

/// Under a larger shape, to which `x` broadcasts.
ANEMONE_INLINE known_tensor expanded(const room& allow, const known_tensor& x, const extents& shape) {
    return strided(allow, x, shape, detail::broadcast_strides(shape, x.shape));
}

/// An index as a place of an axis: a negative one counts from the end.
ANEMONE_INLINE std::int64_t place_on_axis(const known_tensor& indices, std::int64_t i, std::int64_t extent) {
    const double given = indices.at(i);
    if (given != std::floor(given)) { // NaN too
        throw refused{formatted("reads index {}, which must be a whole number", given)};
    }
    if (!(given >= static_cast<double>(-extent) && given < static_cast<double>(extent))) {
        throw refused{formatted("reads index {} of an axis of {}", given, extent)};
    }
    const auto at = static_cast<std::int64_t>(given);
    return at < 0 ? at + extent : at;
}

/// The elements of an axis at indices, whose axes replace it.
ANEMONE_INLINE known_tensor gathered(const room& allow, const known_tensor& x, const known_tensor& at, int axis) {
    if (x.shape.rank - 1 + at.shape.rank > extents::capacity) {
        throw refused{formatted("gives a tensor of {} axes", x.shape.rank - 1 + at.shape.rank)};
    }
    extents shape;
    std::int64_t inner = 1;
    for (int i = 0; i < x.shape.rank; ++i) {
        if (i == axis) {
            for (int k = 0; k < at.shape.rank; ++k) {
                shape.append(at.shape[k]);
            }
        } else {
            shape.append(x.shape[i]);
        }
        inner *= i > axis ? x.shape[i] : 1;
    }
    const std::int64_t places = at.count();
    return moved(allow, x, shape, [&](std::int64_t i) {
        const std::int64_t place = place_on_axis(at, i / inner % places, x.shape[axis]);
        return (i / inner / places * x.shape[axis] + place) * inner + i % inner;
    });
}

/// One after another along an axis. All are of the type of the first, or hold numbers that this type has.
ANEMONE_INLINE known_tensor joined(const room& allow, const std::vector<const known_tensor*>& parts, int axis) {
    extents shape = parts.at(0)->shape;
    shape[axis] = 0;
    for (const known_tensor* const part : parts) {
        extents expected = part->shape.rank == shape.rank ? shape : parts[0]->shape;
        expected[axis] = part->shape.rank == shape.rank ? part->shape[axis] : expected[axis];
        if (part->shape != expected) {
            throw refused{formatted("joins {} and {} along axis {}", print(parts[0]->shape), print(part->shape), axis)};
        }
        shape[axis] += part->shape[axis];
    }
    allow(shape);
    std::int64_t outer = 1;
    for (int i = 0; i < axis; ++i) {
        outer *= shape[i];
    }
    std::vector<known_tensor> same;
    same.reserve(parts.size());
    for (const known_tensor* const part : parts) {
        same.push_back(converted(allow, *part, parts[0]->type));
    }
    element_list list(parts[0]->type, shape.count());
    for (std::int64_t o = 0; o < outer; ++o) {
        for (const known_tensor& part : same) {
            const std::int64_t run = part.count() / outer;
            for (std::int64_t i = 0; i < run; ++i) {
                list.append(part, o * run + i);
            }
        }
    }
    return std::move(list).of(shape);
}

/// Each extent is a multiple of that of `x`: copies side by side.
ANEMONE_INLINE known_tensor tiled(const room& allow, const known_tensor& x, const extents& shape) {
    const extents strides = row_major_strides(x.shape);
    return moved(allow, x, shape, [&](std::int64_t i) {
        std::int64_t at = 0;
        for (int a = shape.rank - 1; a >= 0; --a) {
            at += i % shape[a] % x.shape[a] * strides[a];
            i /= shape[a];
        }
        return at;
    });
}

/// Where a condition holds the elements of `a`, elsewhere those of `b`; all three broadcast.
ANEMONE_INLINE known_tensor chosen(const room& allow, const known_tensor& condition, const known_tensor& a,
                                   const known_tensor& b) {
    const extents shape = broadcast(condition.shape, broadcast(a.shape, b.shape));
    const known_tensor other = converted(allow, b, a.type);
    allow(shape);
    const indices of_condition = detail::broadcast_strides(shape, condition.shape);
    std::vector<char> holds(static_cast<std::size_t>(shape.count()));
    detail::walk(shape, of_condition, of_condition, [&](std::int64_t i, std::int64_t at, std::int64_t) {
        holds[static_cast<std::size_t>(i)] = condition.at(at) != 0 ? 1 : 0;
    });
    element_list list(a.type, shape.count());
    detail::for_each_pair(shape, a.shape, other.shape, [&](std::int64_t i, std::int64_t ia, std::int64_t ib) {
        const bool first = holds[static_cast<std::size_t>(i)] != 0;
        list.append(first ? a : other, first ? ia : ib);
    });
    return std::move(list).of(shape);
}

} // namespace ane::folding::inline ANEMONE_WAY
