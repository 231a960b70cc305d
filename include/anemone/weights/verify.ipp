#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "convert.hpp"
#include "name_faults.hpp"
#include "statistics.hpp"
#include "verify.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void refuse_weight [[noreturn]] (const std::string& name, const std::string& what) {
    throw error(errc::weights, name, what);
}

/// A bound such as 0.9 applies to the stored fp16 values: the bound rounded to fp16 is still allowed.
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

/// Leaves out what is no weight of a graph.
struct weights_of_model {
    std::vector<std::string_view> names; ///< in order

    std::string operator()(std::string_view name) const {
        return std::binary_search(names.begin(), names.end(), name) ? std::string(name) : std::string();
    }
};

ANEMONE_INLINE weights_of_model kept_names(const graph_view& g, const weight_store& store) {
    validate(g);
    if (const name_faults faults = find_name_faults(g, store); !faults.absent.empty()) {
        refuse_names(g, faults, store);
    }
    weights_of_model kept;
    for (const wanted_weight& weight : weights_of(g)) {
        kept.names.push_back(weight.name);
    }
    std::sort(kept.names.begin(), kept.names.end());
    return kept;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<half> verified_weight(const graph_view& g, int index, const weight_store& store) {
    const node& n = g[index];
    const std::string name(g.name(index));
    const stored_tensor* const found = store.find(name);
    if (found == nullptr || found->shape != n.shape) {
        detail::refuse_names(g, detail::find_name_faults(g, store), store);
    }
    std::vector<half> values = to_half(*found);
    detail::verify_promise(name, n.get<contract>(), n.shape, values);
    return values;
}

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY void verify_weight_names(const graph_view& g, const weight_store& store) {
    if (const name_faults faults = find_name_faults(g, store); !faults.none()) {
        refuse_names(g, faults, store);
    }
}

ANEMONE_BODY void verify_weights_of_valid(const graph_view& g, const weight_store& store) {
    verify_weight_names(g, store);
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            verified_weight(g, i, store);
        }
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void verify_weights(const graph_view& g, const weight_store& store) {
    detail::verify_weights_of_valid(validated(g), store);
}

ANEMONE_BODY weight_store weights_for(const graph_view& g, const weight_store& store) {
    return store.renamed(detail::kept_names(g, store));
}
ANEMONE_BODY weight_store weights_for(const graph_view& g, weight_store&& store) {
    const auto kept = detail::kept_names(g, store);
    return std::move(store).renamed(kept);
}

} // namespace ane::inline ANEMONE_WAY
