#pragma once

#include "../../base/formatted.hpp"
#include "../../graph/graph.hpp"
#include "../../passes/print.hpp"
#include "../../weights/convert.hpp"
#include "found_tensors.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// The names of kernels and of their offsets.
ANEMONE_INLINE std::map<std::string, std::string> convolutions_with_offsets(const graph_view& g) {
    std::map<std::string, std::string> found;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::conv2d && g.operands(g[i]).size() == 3) {
            const node& kernel = g[g.operands(g[i])[1]];
            const node& offset = g[g.operands(g[i])[2]];
            if (kernel.kind == op::weight && offset.kind == op::weight) {
                found.emplace(std::string(g.text(kernel.name)), std::string(g.text(offset.name)));
            }
        }
    }
    return found;
}

/// w gamma / sqrt(variance + epsilon) and beta - mean gamma / sqrt(variance + epsilon), in double precision.
ANEMONE_INLINE void fold_norm(found_tensors& all, double epsilon, found_tensor& w, found_tensor& beta,
                              found_tensor& gamma, found_tensor& mean, found_tensor& variance) {
    std::vector<float> kernel = to_float(w.tensor);
    std::vector<float> offset = to_float(beta.tensor);
    const std::vector<float> g = to_float(gamma.tensor);
    const std::vector<float> m = to_float(mean.tensor);
    const std::vector<float> v = to_float(variance.tensor);
    const std::size_t each = kernel.size() / offset.size();
    for (std::size_t i = 0; i < offset.size(); ++i) {
        const double scale = static_cast<double>(g[i]) / std::sqrt(static_cast<double>(v[i]) + epsilon);
        if (!(v[i] >= 0) || !std::isfinite(v[i])) {
            all.fault(variance.published, formatted("has {} at {}: a variance must be a number from 0 on", v[i], i));
            return;
        }
        if (!std::isfinite(scale)) {
            all.fault(gamma.published,
                      formatted("has {} at {}, with the variance {}: the scale of a batch norm must be "
                                "a number",
                                g[i], i, v[i]));
            return;
        }
        for (std::size_t k = 0; k < each; ++k) {
            float& value = kernel[i * each + k];
            value = static_cast<float>(static_cast<double>(value) * scale);
        }
        offset[i] = static_cast<float>(static_cast<double>(offset[i]) - static_cast<double>(m[i]) * scale);
    }
    gamma.is_used = mean.is_used = variance.is_used = true;
    w.tensor = with_values(w.tensor, kernel);
    beta.tensor = with_values(beta.tensor, offset);
}

/// Of each convolution whose offset is a batch norm's. One that lacks a part would be another network.
ANEMONE_INLINE void fold_norms(found_tensors& all, const graph_view& g, double epsilon, bool requires_all) {
    constexpr std::string_view end = "_bias";
    for (const auto& [kernel, offset] : convolutions_with_offsets(g)) {
        const std::string norm = offset.substr(0, offset.size() - end.size());
        if (!offset.ends_with(end) || kernel == norm + "_weight") { // the convolution's own
            continue;
        }
        found_tensor* const w = all.find(kernel);
        found_tensor* const beta = all.find(offset);
        if (w == nullptr || beta == nullptr) {
            continue; // what is missing is told as such
        }
        std::array<found_tensor*, 3> others{};
        bool has_all = true;
        for (std::size_t i = 0; i < others.size(); ++i) {
            constexpr std::string_view parts[] = {"_weight", "_running_mean", "_running_var"};
            const std::string name = norm + std::string(parts[i]);
            others[i] = all.find(name);
            if (others[i] == nullptr) {
                has_all = false;
                if (requires_all) {
                    all.fault(name, "is a part of a batch norm that the files do not have");
                }
            }
        }
        if (!has_all) {
            all.forget(kernel);
            all.forget(offset);
            continue;
        }
        const auto [gamma, mean, variance] = others;
        const std::int64_t channels = w->tensor.shape.rank > 0 ? w->tensor.shape[0] : 0;
        bool fits = channels > 0;
        for (const found_tensor* each : {beta, gamma, mean, variance}) {
            if (each->tensor.shape != extents{channels}) {
                all.fault(each->published, formatted("is {}, the convolution before it has {} channels",
                                                     ane::print(each->tensor.shape), channels));
                fits = false;
            }
        }
        if (fits) {
            fold_norm(all, epsilon, *w, *beta, *gamma, *mean, *variance);
        }
    }
}

} // namespace ane::models::inline ANEMONE_WAY
