#pragma once

#include "../encoder_maker.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models {

/// What a transformer of images calls its embedding.
struct patch_names {
    std::string_view token, patches, positions;
};

namespace detail {

/// The pixels of a patch as channels, [1, channels * patch^2, rows, columns]: windows that do not overlap are a product,
/// and chips have limits for the extents of a window (R030).
constexpr int pixels_as_channels(encoder_maker& m, int image, std::int64_t patch) {
    const std::int64_t channels = m.shape(image)[1];
    const std::int64_t count = m.shape(image)[2] / patch;
    for (const int along : {2, 3}) { // what is behind the last whole patch is not seen
        image = count * patch == m.shape(image)[along] ? image : m.slice(image, along, 0, count * patch);
    }
    int x = m.reshape(image, {channels * count, patch, count, patch});
    x = m.reshape(m.turned(x, {0, 1, 3, 2}), {channels, count, patch * patch, count});
    return m.reshape(m.turned(x, {0, 2, 1, 3}), {1, channels * patch * patch, count, count});
}

/// The patches of [1, channels, size, size] behind the token of the class, each with its position added.
constexpr int patch_tokens(encoder_maker& m, int image, const patch_names& n, std::int64_t patch, std::int64_t width,
                           bool has_offset) {
    const std::int64_t along = m.shape(image)[2] / patch;
    const std::int64_t count = along * along;
    int x = -1;
    if (m.is_rows()) {
        const auto size = static_cast<int>(patch);
        x = m.convolution(image, n.patches, has_offset ? n.patches : "", width, {.size = size, .stride = size});
        x = m.turned(m.reshape(x, {width, count}), {1, 0});
    } else {
        x = m.projected(pixels_as_channels(m, image, patch), n.patches, width, has_offset);
        x = m.reshape(x, m.token_shape(count, width));
    }
    x = m.emit(op::concat, axis{m.token_axis()}, {m.weight(n.token, "", m.token_shape(1, width)), x});
    return m.add(x, m.weight(n.positions, "", m.token_shape(count + 1, width)));
}

} // namespace detail
} // namespace ane::models
