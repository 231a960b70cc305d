#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_weights_random_hpp);

#include "../base/formatted.hpp"
#include "../graph/weights_of.hpp"
#include "../passes/validate.hpp"
#include "drawn.hpp"
#include "random.hpp"
#include "statistics.hpp"
#include "verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Brings every sum of magnitudes along an axis to the bound, by moving its elements towards `rest`, the allowed value
/// that is nearest to zero.
ANEMONE_INLINE void shrink(std::vector<half>& values, std::size_t block, const std::vector<double>& factors,
                           double rest) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double factor = factors[i / block % factors.size()];
        if (factor < 1) {
            const double wanted = rest + shortened(static_cast<double>(values[i]) - rest) * shortened(factor);
            const half less = numerics::rounded_down(std::fabs(wanted));
            values[i] = wanted < 0 ? -less : less;
        }
    }
}

/// A factor that shortens a distance so that its end lies safely inside.
inline constexpr double just_inside = 1 - 0x1p-20;

ANEMONE_INLINE void refuse_promises [[noreturn]] (const wanted_weight& weight, std::string_view what) {
    throw error(errc::weights, std::string(weight.name),
                formatted("no tensor of its shape keeps its promises: {} is too small for its bounds", what));
}

ANEMONE_INLINE void keep_sums(std::vector<half>& values, const wanted_weight& weight, int axis, double bound,
                              double rest) {
    std::vector<double> factors = l1_sums(weight.shape, values, axis);
    const std::size_t terms = values.size() / factors.size();
    const double least = std::fabs(rest) * static_cast<double>(terms);
    for (double& sum : factors) {
        if (sum > bound && bound < least) {
            refuse_promises(weight, axis == 0 ? "row_l1" : "column_l1");
        }
        sum = sum > bound ? (bound - least) / (sum - least) * just_inside : 1.0;
    }
    std::int64_t block = 1;
    for (int i = axis + 1; i < weight.shape.rank; ++i) {
        block *= weight.shape[i];
    }
    shrink(values, static_cast<std::size_t>(block), factors, rest);
}

ANEMONE_INLINE void keep_deviation(std::vector<half>& values, const wanted_weight& weight, double bound, double rest) {
    if (root_mean_square(values) <= bound) {
        return;
    }
    if (std::fabs(rest) > bound * (1 + deviation_slack)) {
        refuse_promises(weight, "the deviation");
    }
    double squares = 0;
    for (const half value : values) {
        const double distance = shortened(static_cast<double>(value) - rest);
        squares += distance * distance;
    }
    const double spread = std::sqrt(squares / static_cast<double>(values.size()));
    const double left = std::max(bound - std::fabs(rest), 0.0);
    shrink(values, 1, {spread > left ? left / spread * just_inside : 1.0}, rest);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF weight_store random_weights(const graph_view& g, std::uint64_t seed) {
    validate(g);
    const std::vector<detail::first_reader> readers = detail::first_readers(g);
    weight_store store;
    for (const wanted_weight& weight : weights_of(g)) {
        const contract& promise = weight.promise;
        const detail::drawn from = detail::allowed(detail::drawn_for(g, readers, weight.node), promise);
        // The allowed value that is nearest to zero.
        const double rest = std::clamp(0.0, detail::finite_half(promise.low), detail::finite_half(promise.high));
        const bool may_be_zero = weight.is_compressed && rest == 0 && !from.whole;
        std::vector<half> values = detail::draw(static_cast<std::size_t>(weight.shape.count()), from,
                                                may_be_zero ? static_cast<double>(weight.form.zeros) : 0.0,
                                                detail::number_of(weight.name), seed);
        if (promise.row_l1 < contract::any) {
            detail::keep_sums(values, weight, 0, promise.row_l1, rest);
        }
        if (promise.column_l1 < contract::any) {
            detail::keep_sums(values, weight, 1, promise.column_l1, rest);
        }
        if (promise.deviation > 0) {
            detail::keep_deviation(values, weight, promise.deviation, rest);
        }
        store.add(std::string(weight.name), weight.shape, std::span<const half>(values));
    }
    return store;
}

} // namespace ane::inline ANEMONE_WAY
