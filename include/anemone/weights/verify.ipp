#pragma once

#include "../error.hpp"
#include "../formatted.hpp"
#include "../print.hpp"
#include "statistics.hpp"
#include "verify.hpp"

#include <algorithm>
#include <cstddef>

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
            refuse_weight(name, formatted("element {} is {}, outside the declared bound [{}, {}]", i, value,
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
            refuse_weight(name, formatted("the magnitudes of {} {} (axis {}) add up to {}, above the declared {} {}",
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
        refuse_weight(name, formatted("the root mean square is {}, more than 1 % above the declared deviation {}",
                                      found, declared));
    }
}

ANEMONE_BODY void verify_promise(const std::string& name, const contract& promise, const extents& shape,
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

ANEMONE_BODY std::vector<half> verified_weight(const graph_view& g, int index, const weight_store& store) {
    const node& n = g[index];
    const std::string name(g.name(index));
    const stored_tensor* const found = store.find(name);
    if (found == nullptr) {
        throw error(errc::weights, name,
                    formatted("is missing: the model ({}:{}) wants {}", n.where.file, n.where.line, print(n.shape)));
    }
    if (found->shape != n.shape) {
        throw error(errc::weights, name,
                    formatted("has shape {}, the model ({}:{}) wants {}", print(found->shape), n.where.file,
                              n.where.line, print(n.shape)));
    }
    std::vector<half> values = to_half(*found);
    detail::verify_promise(name, n.get<contract>(), n.shape, values);
    return values;
}

ANEMONE_BODY void verify_weights(const graph_view& g, const weight_store& store) {
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            verified_weight(g, i, store);
        }
    }
    for (const stored_tensor& tensor : store) {
        if (g.find(op::weight, tensor.name) < 0) {
            throw error(errc::weights, tensor.name,
                        formatted("is extra: the model has no weight of this name (the file's has shape {})",
                                  print(tensor.shape)));
        }
    }
}

} // namespace ane::inline ANEMONE_WAY
