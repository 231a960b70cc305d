#pragma once

#include "../error.hpp"
#include "../graph/graph.hpp"
#include "../print.hpp"
#include "../way.hpp"
#include "statistics.hpp"
#include "store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// How far the root mean square of a weight may exceed the declared deviation: a deviation is an estimate, for expected
/// errors, of which the second digit is rarely known.
inline constexpr double deviation_slack = 0.01;

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void refuse_weight [[noreturn]] (const std::string& name, const std::string& what) {
    throw error(errc::weights, name, what);
}

/// A bound such as 0.9 is meant for the stored fp16 values: its own rounding to fp16 is inside.
ANEMONE_INLINE void verify_elements(const std::string& name, const contract& promise, std::span<const half> values) {
    const double low = std::min(promise.low, static_cast<double>(half(promise.low)));
    const double high = std::max(promise.high, static_cast<double>(half(promise.high)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        if (value < low || value > high) {
            refuse_weight(name, fmt::format("element {} is {}, outside the declared bound [{}, {}]", i, value,
                                            promise.low, promise.high));
        }
    }
}

/// Sums are of the stored fp16 values and exact (statistics.hpp), so the bound has no slack.
ANEMONE_INLINE void verify_sums(const std::string& name, const extents& shape, std::span<const half> values, int axis,
                                double bound) {
    if (bound >= contract::any) {
        return;
    }
    const std::vector<double> sums = l1_sums(shape, values, axis);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] > bound) {
            refuse_weight(name, fmt::format("the magnitudes of {} {} (axis {}) add up to {}, above the declared {} {}",
                                            axis == 0 ? "row" : "column", i, axis, sums[i],
                                            axis == 0 ? "row_l1" : "column_l1", bound));
        }
    }
}

ANEMONE_INLINE void verify_deviation(const std::string& name, std::span<const half> values, double declared) {
    if (declared <= 0) {
        return;
    }
    const double found = root_mean_square(values);
    if (found > declared * (1 + deviation_slack)) {
        refuse_weight(name, fmt::format("the root mean square is {}, more than 1 % above the declared deviation {}",
                                        found, declared));
    }
}

/// Holds the values of a weight to everything that its contract promises.
ANEMONE_INLINE void verify_promise(const std::string& name, const contract& promise, const extents& shape,
                                   std::span<const half> values) {
    if (promise.declared) {
        verify_elements(name, promise, values);
    }
    verify_sums(name, shape, values, 0, promise.row_l1);
    verify_sums(name, shape, values, 1, promise.column_l1);
    verify_deviation(name, values, promise.deviation);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// The values of one weight of a model, as fp16, after all that the model says of it was checked: it is in the store,
/// it has the declared shape, every element is finite in fp16 (R006), and it keeps its contract: bounds of elements, of
/// the sum of magnitudes of each row and column, deviation. Throws `error` (errc::weights) that names the tensor, the
/// element, row or column, the value and the limit.
ANEMONE_INLINE std::vector<half> verified_weight(const graph_view& g, int index, const weight_store& store) {
    const node& n = g[index];
    const std::string name(g.name(index));
    const stored_tensor* const found = store.find(name);
    if (found == nullptr) {
        throw error(errc::weights, name,
                    fmt::format("is missing: the model ({}:{}) wants {}", n.where.file, n.where.line, print(n.shape)));
    }
    if (found->shape != n.shape) {
        throw error(errc::weights, name,
                    fmt::format("has shape {}, the model ({}:{}) wants {}", print(found->shape), n.where.file,
                                n.where.line, print(n.shape)));
    }
    std::vector<half> values = to_half(*found);
    detail::verify_promise(name, n.get<contract>(), n.shape, values);
    return values;
}

/// Checks that a store holds the weights of a model and nothing else. Throws for the first that is missing, misshapen,
/// not finite, breaks its contract, or is unknown to the model.
ANEMONE_INLINE void verify_weights(const graph_view& g, const weight_store& store) {
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            verified_weight(g, i, store);
        }
    }
    for (const stored_tensor& tensor : store) {
        if (g.find(op::weight, tensor.name) < 0) {
            throw error(errc::weights, tensor.name,
                        fmt::format("is extra: the model has no weight of this name (the file's has shape {})",
                                    print(tensor.shape)));
        }
    }
}

} // namespace ane::inline ANEMONE_WAY
