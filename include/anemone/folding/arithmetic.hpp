#pragma once

#include "../graph/strided.hpp"
#include "../passes/print.hpp"
#include "functions.hpp"
#include "known_tensor.hpp"
#include "movement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/// Arithmetic on known tensors: exact where operands and result are integers or truth values, else in double precision
/// and rounded once to the type of the result. All of it throws `refused`. Only bodies include this header.
namespace ane::folding::inline ANEMONE_WAY {

/// Element by element: f(x).
ANEMONE_INLINE known_tensor mapped(const room& allow, const function_of_one& f, const known_tensor& x,
                                   element_type type) {
    if (f.whole != nullptr && is_exact(x.type) && is_exact(type)) {
        return computed(allow, type, x.shape, [&](std::int64_t i) { return f.whole(x.integer(i)); });
    }
    return computed(allow, type, x.shape, [&](std::int64_t i) { return f.real(x.at(i)); });
}

/// Element by element of two that broadcast: f(a, b).
ANEMONE_INLINE known_tensor paired(const room& allow, const function_of_two& f, const known_tensor& a,
                                   const known_tensor& b, element_type type) {
    const extents shape = broadcast(a.shape, b.shape);
    const auto all = [&]<class Number>(Number (*of)(Number, Number), const auto& element) {
        allow(shape);
        std::vector<Number> values(static_cast<std::size_t>(shape.count()));
        detail::for_each_pair(shape, a.shape, b.shape, [&](std::int64_t i, std::int64_t ia, std::int64_t ib) {
            values[static_cast<std::size_t>(i)] = of(element(a, ia), element(b, ib));
        });
        return known(type, shape, std::span<const Number>(values));
    };
    if (f.whole != nullptr && is_exact(a.type) && is_exact(b.type) && is_exact(type)) {
        return all(f.whole, [](const known_tensor& x, std::int64_t i) { return x.integer(i); });
    }
    return all(f.real, [](const known_tensor& x, std::int64_t i) { return x.at(i); });
}

/// As elements of another type, as C casts them: real numbers are cut off for integers, all but 0 is true. Throws for a
/// number that an integer type does not hold.
ANEMONE_INLINE known_tensor cast(const room& allow, const known_tensor& x, element_type type) {
    if (type == element_type::boolean) {
        return computed(allow, type, x.shape, [&](std::int64_t i) -> std::int64_t { return x.at(i) != 0; });
    }
    if (is_exact(type) && !is_exact(x.type)) {
        return computed(allow, type, x.shape, [&](std::int64_t i) { return std::trunc(x.at(i)); });
    }
    return converted(allow, x, type);
}

/// Reduces axes, which stay as extents of 1. A mean of integers is cut off.
ANEMONE_INLINE known_tensor reduced(const room& allow, const reduction& f, const known_tensor& x, const axes& over,
                                    bool mean = false) {
    extents shape = x.shape;
    std::int64_t terms = 1;
    for (int i = 0; i < over.list.rank; ++i) {
        terms *= std::exchange(shape[static_cast<int>(over.list[i])], 1);
    }
    const auto all = [&]<class Number>(Number (*step)(Number, Number), const auto& element) {
        allow(shape);
        std::vector<Number> values;
        values.reserve(static_cast<std::size_t>(shape.count()));
        detail::for_each_reduction(x.shape, over, [&](std::int64_t, const std::vector<std::int64_t>& from) {
            Number value = element(from[0]);
            for (std::size_t k = 1; k < from.size(); ++k) {
                value = step(value, element(from[k]));
            }
            values.push_back(mean ? value / static_cast<Number>(terms) : value);
        });
        return known(x.type, shape, std::span<const Number>(values));
    };
    if (terms == 0) {
        const double empty = mean ? std::nan("") : f.of_none;
        return computed(allow, x.type, shape, [&](std::int64_t) { return empty; });
    }
    if (is_exact(x.type)) {
        return all(f.step.whole, [&](std::int64_t i) { return x.integer(i); });
    }
    return all(f.step.real, [&](std::int64_t i) { return x.at(i); });
}

} // namespace ane::folding::inline ANEMONE_WAY
