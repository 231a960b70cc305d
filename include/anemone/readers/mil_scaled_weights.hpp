#pragma once

#include "../weights/formats/scaled_integers.hpp"
#include "mil_expanded_weight.hpp"
#include "scaled_codes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Weights of integers and scales: a scale for each channel (iOS 16) or for each block (iOS 18). Facts: weights section 2.
/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The form of scaled integers that the library stores: one scale for each output channel, or for consecutive elements.
ANEMONE_INLINE std::optional<compression> scaled_form(const known_tensor& data, const extents& blocks, bool zero_point,
                                                      bool in_blocks) {
    const int width = facts_of(data.type).bits;
    if (facts_of(data.type).kind != number_kind::with_sign || (width != 4 && width != 8)) {
        return std::nullopt;
    }
    compression form{
        .form = in_blocks ? weight_form::blockwise : weight_form::affine, .bits = width, .zero_point = zero_point};
    const std::int64_t row = data.shape.rank > 0 && data.shape[0] > 0 ? data.count() / data.shape[0] : 0;
    const std::int64_t group = blocks.count() > 0 ? data.count() / blocks.count() : 0;
    if (group == 0 || row % group != 0) {
        return std::nullopt;
    }
    form.block = group == row ? 0 : static_cast<int>(group);
    if (form.block == 0) {
        form.form = weight_form::affine;
    }
    return form;
}

/// Parameters of blocks from one on: a vector's, one for all of them, or 0 where there are none.
struct block_parameters {
    const known_tensor* all = nullptr;

    void operator()(std::int64_t first, std::span<double> to) const {
        if (all == nullptr || all->count() == 1) {
            std::fill(to.begin(), to.end(), all == nullptr ? 0.0 : all->at(0));
        } else {
            all->numbers(first, to);
        }
    }
};

/// Numbers scale (q - zero), whose entry is `at` for each block; what of the file they were made of goes back behind them.
ANEMONE_INLINE void decode_blocks(const known_tensor& data, const block_index& at, ane::detail::lender* lender,
                                  const expanded_weight::room_for& more, const block_parameters& zeros,
                                  const block_parameters& scales) {
    constexpr std::int64_t step = 1 << 16; // elements
    scaled_codes codes(data);
    std::int64_t given_back = 0;
    const auto behind = [&](std::int64_t i) {
        if (lender != nullptr && i - given_back >= step) {
            lender->give_back(static_cast<std::size_t>(i * facts_of(data.type).bits / 8));
            given_back = i;
        }
    };
    for (std::int64_t row = 0; row < data.count(); row += at.row()) {
        const std::int64_t first = at(row);
        for (std::int64_t i = 0; i < at.row();) { // many short runs at a time, or a piece of a long one
            const std::int64_t length = std::min(step, at.run() - i % at.run());
            const std::int64_t runs = length < at.run() ? 1 : std::min(step, at.row() - i) / length;
            codes.write(row + i, runs, length, first + i / at.run(), zeros, scales, more(runs * length));
            i += runs * length;
            behind(row + i);
        }
    }
}

/// scale (q - zero), scale and zero one number or a vector along an axis (iOS 16).
ANEMONE_INLINE std::vector<mil_value> read_affine_dequantize(mil_call& c) {
    const known_tensor& data = c.known("quantized_data");
    const known_tensor& scale = c.known("scale");
    const known_tensor& zero = c.known("zero_point");
    extents blocks;
    const int along =
        scale.count() > 1 || zero.count() > 1 || c.has("axis") ? c.axis_of(c.integer("axis"), data.shape.rank) : 0;
    for (int i = 0; i < data.shape.rank; ++i) {
        blocks.append(i == along ? data.shape[i] : 1);
    }
    for (const known_tensor* vector : {&scale, &zero}) {
        if (vector->count() != 1 && vector->count() != data.shape[along]) {
            c.refuse(formatted("has {} parameters for axis {} of {}", vector->count(), along, print(data.shape)));
        }
    }
    const block_index at(c, data.shape, blocks, "parameters");
    bool shifted = false;
    for (std::int64_t i = 0; i < zero.count(); ++i) {
        shifted = shifted || zero.at(i) != 0;
    }
    const auto form = along == 0 ? scaled_form(data, blocks, shifted, false) : std::nullopt;
    ane::detail::lender* const lender = c.read_once("quantized_data");
    return expanded_weight(c, data.shape).written(c, form, [&](const expanded_weight::room_for& more) {
        decode_blocks(data, at, lender, more, {&zero}, {&scale});
    });
}

/// Whether scales divide a weight into blocks, which are more than the channels along one axis.
constexpr bool are_of_blocks(const extents& scales, const extents& weight) {
    int axes = 0;
    for (int i = 0; i < scales.rank; ++i) {
        if (scales[i] > 1 && scales[i] < weight[i]) {
            return true;
        }
        axes += scales[i] > 1 ? 1 : 0;
    }
    return axes > 1;
}

/// scale (q - offset), an entry for each block (iOS 18).
ANEMONE_INLINE std::vector<mil_value> read_blockwise(mil_call& c) {
    const known_tensor& data = c.known("data");
    const known_tensor& scale = c.known("scale");
    const known_tensor* const offset = c.has("offset") ? &c.known("offset") : nullptr;
    if (offset != nullptr && offset->shape != scale.shape) {
        c.refuse(formatted("has offsets {} and scales {}", print(offset->shape), print(scale.shape)));
    }
    const block_index at(c, data.shape, scale.shape, "scales");
    ane::detail::lender* const lender = c.read_once("data");
    const auto decode = [&](const expanded_weight::room_for& more) {
        decode_blocks(data, at, lender, more, {offset}, {&scale});
    };
    std::vector<mil_value> weight =
        expanded_weight(c, data.shape).written(c, scaled_form(data, scale.shape, offset != nullptr, true), decode);
    weight[0].has_blocks = are_of_blocks(scale.shape, data.shape);
    return weight;
}

} // namespace ane::readers::inline ANEMONE_WAY
