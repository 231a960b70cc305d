#pragma once

#include "../base/error.hpp"
#include "convert.hpp"
#include "promises.hpp"
#include "statistics.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// Counts what rounding took. Only wide floating types lose anything; those of half size are as they are.
ANEMONE_INLINE void count_lost(const stored_tensor& tensor, std::span<const half> rounded, lost_digits& lost) {
    constexpr double smallest_normal = 0x1p-14;
    const std::vector<float> wide =
        tensor.type == element_type::f16 || tensor.type == element_type::f64 ? std::vector<float>() : to_float(tensor);
    for (std::size_t i = 0; i < rounded.size(); ++i) {
        const double magnitude = std::fabs(static_cast<double>(rounded[i]));
        lost.subnormal += magnitude > 0 && magnitude < smallest_normal ? 1 : 0;
        lost.vanished += magnitude == 0 && !wide.empty() && wide[i] != 0.0F ? 1 : 0;
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<lost_digits> promise_statistics(dynamic_graph& g, const weight_store& store) {
    std::vector<lost_digits> told;
    std::unordered_map<std::string, contract> known; // several nodes may read one weight
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        if (n.kind != op::weight) {
            continue;
        }
        const std::string name(g.view().name(static_cast<int>(i)));
        const stored_tensor* const tensor = store.find(name);
        if (tensor == nullptr || tensor->shape != n.shape || tensor->shape.count() == 0) {
            continue; // verify_weights says so
        }
        const auto [place, is_new] = known.try_emplace(name);
        if (is_new) {
            lost_digits lost{.weight = name, .elements = n.shape.count()};
            try {
                const std::vector<half> values = to_half(*tensor);
                place->second = bounded_by(statistics_of(tensor->shape, values));
                detail::count_lost(*tensor, values, lost);
            } catch (const error& unfit) {
                lost.fault = unfit.what();
            }
            if (lost.vanished > 0 || lost.subnormal > 0 || !lost.fault.empty()) {
                told.push_back(std::move(lost));
            }
        }
        n.attributes = n.get<contract>() & place->second;
    }
    return told;
}

ANEMONE_BODY void promise_input(dynamic_graph& g, std::string_view input, const contract& promise) {
    const int at = g.view().find(op::input, input);
    if (at < 0) {
        throw error(errc::port, std::string(input), "is no input of the model");
    }
    node& n = g.nodes[static_cast<std::size_t>(at)];
    n.attributes = n.get<contract>() & promise;
}

} // namespace ane::inline ANEMONE_WAY
