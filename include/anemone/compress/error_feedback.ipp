#pragma once

#include "../base/cancellation.hpp"
#include "../weights/formats/packing.hpp"
#include "../weights/formats/scaled_integers.hpp"
#include "error_feedback.hpp"
#include "optimal_palette.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>

namespace ane::compress::inline ANEMONE_WAY {

/// A stored element: what it decodes to, and what `encode_weight` makes it of.
struct stored_element {
    double decoded = 0;
    half given;
};

/// The entry of an ascending table that is nearest, the lower of two that are as near.
ANEMONE_INLINE half nearest_entry(double value, std::span<const half> table) {
    std::size_t low = 0;
    std::size_t high = table.size() - 1;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (2 * value > static_cast<double>(table[middle]) + static_cast<double>(table[middle + 1])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return table[low];
}

/// What elements of a weight may become: entries of a palette, or integers times the scale of their group. The largest
/// element of a group keeps its integer, from which the encoder finds the scale again.
class element_grid {
public:
    ANEMONE_INLINE element_grid(std::span<const half> values, const extents& shape, const compression& form,
                                std::span<const half> table)
        : form_(form) {
        const encoded_weight stored = encode_weight(values, shape, form);
        if (form.form == weight_form::palette) {
            table_.assign(table.begin(), table.end());
            for (std::size_t i = 0; table.empty() && i < stored.table.size() / 2; ++i) {
                table_.push_back(weight_formats::half_at(stored.table, static_cast<std::int64_t>(i)));
            }
            std::sort(table_.begin(), table_.end(),
                      [](half a, half b) { return static_cast<double>(a) < static_cast<double>(b); });
            return;
        }
        const std::size_t count = stored.scales.size() / 2;
        group_ = count > 0 ? values.size() / count : 1;
        last_ = weight_formats::largest_integer(form.bits);
        for (std::size_t g = 0; g < count; ++g) {
            scales_.push_back(weight_formats::half_at(stored.scales, static_cast<std::int64_t>(g)));
            std::size_t most = g * group_;
            for (std::size_t i = most; i < (g + 1) * group_; ++i) {
                most = magnitude(values[i]) > magnitude(values[most]) ? i : most;
            }
            largest_.push_back(most);
            peaks_.push_back(values[most]);
        }
    }

    ANEMONE_INLINE stored_element nearest(double value, std::size_t element) const {
        if (form_.form == weight_form::palette) {
            const half entry = nearest_entry(value, table_);
            return {static_cast<double>(entry), entry};
        }
        const std::size_t group = element / group_;
        const half scale = scales_[group];
        const half peak = peaks_[group];
        const int most = quotient(magnitude(peak), last_, scale);
        if (element == largest_[group]) {
            const int q = static_cast<double>(peak) < 0 ? -most : most;
            return {static_cast<double>(weight_formats::dequantized(q, 0, scale)), peak};
        }
        const int q = quotient(value, most, scale);
        // A subnormal scale is what the encoder divides by; else it is the exact one.
        const double given = scale.bits >= 0x400U ? magnitude(peak) * q / last_ : static_cast<double>(scale) * q;
        return {static_cast<double>(weight_formats::dequantized(q, 0, scale)),
                half(std::clamp(given, -magnitude(peak), magnitude(peak)))};
    }

private:
    static double magnitude(half h) { return std::fabs(static_cast<double>(h)); }
    ANEMONE_INLINE static int quotient(double value, int most, half scale) {
        const double x = value / static_cast<double>(scale);
        return weight_formats::nearest_even(std::clamp(x, -static_cast<double>(most), static_cast<double>(most)));
    }

    compression form_;
    std::vector<half> table_;
    std::size_t group_ = 1;
    int last_ = 1;
    std::vector<half> scales_;
    std::vector<std::size_t> largest_; ///< by group: its largest element,
    std::vector<half> peaks_;          ///< and that element's value
};

/// The upper triangular U with U^T U = M^-1: the inverse of R, upper triangular with R R^T = M. M is positive definite.
ANEMONE_INLINE std::vector<double> inverse_factor(std::vector<double> m, std::size_t n) {
    for (std::size_t j = n; j-- > 0;) {
        ane::detail::stop_if_cancelled();
        double* const rj = m.data() + j * n;
        for (std::size_t i = j + 1; i-- > 0;) {
            double* const ri = m.data() + i * n;
            double sum = ri[j];
            for (std::size_t k = j + 1; k < n; ++k) {
                sum -= ri[k] * rj[k];
            }
            ri[j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / rj[j];
        }
    }
    std::vector<double> u(n * n, 0.0);
    for (std::size_t i = n; i-- > 0;) {
        ane::detail::stop_if_cancelled();
        double* const ui = u.data() + i * n;
        const double* const ri = m.data() + i * n;
        for (std::size_t k = i + 1; k < n; ++k) {
            const double factor = ri[k];
            const double* const uk = u.data() + k * n;
            for (std::size_t j = k; j < n; ++j) {
                ui[j] -= factor * uk[j];
            }
        }
        for (std::size_t j = i + 1; j < n; ++j) {
            ui[j] /= ri[i];
        }
        ui[i] = 1 / ri[i];
    }
    return u;
}

/// One hundredth of the mean is added to the diagonal, as in GPTQ: what the samples say of rare directions is not relied
/// on.
inline constexpr double feedback_damping = 0.01;

ANEMONE_BODY feedback_basis feedback_basis_of(const moments& m) {
    feedback_basis basis;
    const auto n = static_cast<std::size_t>(m.columns);
    for (const std::vector<double>& sums : m.sums) {
        double trace = 0;
        for (std::size_t i = 0; i < n; ++i) {
            trace += sums[i * n + i];
        }
        if (!(trace > 0) || !std::isfinite(trace)) {
            return {};
        }
        feedback_basis::part& part = basis.parts.emplace_back();
        // The columns that meet the most come first: their errors have the most others to go to.
        part.order.resize(n);
        std::iota(part.order.begin(), part.order.end(), std::size_t{0});
        std::stable_sort(part.order.begin(), part.order.end(),
                         [&](std::size_t a, std::size_t b) { return sums[a * n + a] > sums[b * n + b]; });
        std::vector<double> ordered(n * n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                ordered[i * n + j] = sums[part.order[i] * n + part.order[j]];
            }
            ordered[i * n + i] += feedback_damping * trace / static_cast<double>(n);
        }
        part.factor = inverse_factor(std::move(ordered), n);
    }
    basis.columns = m.columns;
    return basis;
}

ANEMONE_BODY std::optional<std::vector<half>> with_error_feedback(std::span<const half> values, const extents& shape,
                                                                  const compression& form, const weight_matrix& layout,
                                                                  const feedback_basis& basis,
                                                                  std::span<const half> table) {
    const bool palette = form.form == weight_form::palette && form.vector == 1;
    const bool integers = (form.form == weight_form::affine || form.form == weight_form::blockwise) && !form.zero_point;
    if ((!palette && !integers) || !basis.known() || basis.columns != layout.columns || values.empty()) {
        return std::nullopt;
    }
    const element_grid grid(values, shape, form, table);
    const auto n = static_cast<std::size_t>(layout.columns);
    const std::int64_t share = layout.rows / layout.groups;
    std::vector<half> given(values.begin(), values.end());
    std::vector<half> decoded = given;
    std::vector<double> w(n);
    for (std::int64_t row = 0; row < layout.rows; ++row) {
        ane::detail::stop_if_cancelled();
        const feedback_basis::part& part = basis.parts[static_cast<std::size_t>(row / share)];
        for (std::size_t i = 0; i < n; ++i) {
            w[i] = static_cast<double>(values[layout.at(row, static_cast<std::int64_t>(part.order[i]))]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t element = layout.at(row, static_cast<std::int64_t>(part.order[i]));
            const stored_element chosen = grid.nearest(w[i], element);
            given[element] = chosen.given;
            decoded[element] = half(chosen.decoded);
            const double* const u = part.factor.data() + i * n;
            const double lost = (w[i] - chosen.decoded) / u[i];
            for (std::size_t k = i + 1; k < n; ++k) {
                w[k] -= lost * u[k];
            }
        }
    }
    for (const half h : given) {
        if (!is_finite(h)) {
            return std::nullopt;
        }
    }
    const std::vector<half> stored = stored_values(given, shape, form);
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (static_cast<double>(stored[i]) != static_cast<double>(decoded[i])) {
            return std::nullopt;
        }
    }
    return given;
}

ANEMONE_BODY std::vector<half> optimal_table(std::span<const half> values, int bits, std::span<const double> cost) {
    std::map<double, double> counts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double weight = cost.empty() ? 1 : cost[i];
        if (weight > 0) {
            counts[static_cast<double>(values[i])] += weight;
        }
    }
    std::vector<weighed_value> sorted;
    sorted.reserve(counts.size());
    for (const auto& [value, weight] : counts) {
        sorted.push_back({value, weight});
    }
    std::vector<half> table;
    for (const double centre : optimal_centres(sorted, std::size_t{1} << static_cast<unsigned>(bits))) {
        table.emplace_back(centre);
    }
    return table;
}

ANEMONE_BODY std::vector<half> nearest_entries(std::span<const half> values, std::span<const half> table) {
    std::vector<half> result;
    result.reserve(values.size());
    for (const half value : values) {
        result.push_back(table.empty() ? value : nearest_entry(static_cast<double>(value), table));
    }
    return result;
}

} // namespace ane::compress::inline ANEMONE_WAY
