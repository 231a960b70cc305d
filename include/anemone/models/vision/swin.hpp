#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../../graph/sequence.hpp"
#include "../publisher.hpp"
#include "../token_maker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace ane::models {

/// Swin transformers (Liu et al. 2021): attention within windows, which every other block shifts by half a window, and four
/// stages, each with half the height and width of the one before and twice its channels.
struct swin_configuration {
    publisher source = publisher::torchvision;
    std::array<std::int64_t, 4> depths{2, 2, 6, 2};
    std::array<std::int64_t, 4> heads{3, 6, 12, 24};
    std::int64_t width = 96; ///< of the first stage
    std::int64_t inner = 4;  ///< the inner layer, times the width
    std::int64_t window = 7; ///< tokens, both ways
    std::int64_t patch = 4;  ///< pixels, both ways
    std::int64_t channels = 3;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t classes = 1000;
    bool has_offsets = true; ///< of queries, keys and values
    double epsilon = 1e-5;
    friend constexpr bool operator==(const swin_configuration&, const swin_configuration&) = default;
};
inline constexpr swin_configuration swin_t{};
inline constexpr swin_configuration swin_s{.depths = {2, 2, 18, 2}};
inline constexpr swin_configuration swin_b{.depths = {2, 2, 18, 2}, .heads = {4, 8, 16, 32}, .width = 128};

/// The most offsets of pairs of tokens that a block has, for all of its heads.
constexpr std::int64_t pairs_of(const swin_configuration& c) noexcept {
    const std::int64_t tokens = c.window * c.window;
    return *std::max_element(c.heads.begin(), c.heads.end()) * tokens * tokens;
}

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const swin_configuration& c) noexcept {
    if (c.width < 1 || c.width > 8192 || c.inner < 1 || c.inner > 64) {
        return "the first stage has from 1 to 8192 channels, and the inner layer from 1 to 64 times as many";
    }
    for (std::size_t s = 0; s < 4; ++s) {
        if (c.depths[s] < 1 || c.depths[s] > 256) {
            return "a stage has from 1 to 256 blocks";
        }
        if (c.heads[s] < 1 || c.heads[s] > 65536 || (c.width << s) % c.heads[s] != 0) {
            return "the channels of a stage must be a multiple of its heads";
        }
    }
    return c.channels < 1 || c.channels > 65536 || c.classes < 1 || c.classes > 1 << 24
               ? "the image has from 1 to 65536 channels, and the classes are from 1 to 16777216"
           : c.window < 1 || c.window > 64 || c.patch < 1 || c.patch > 1024
               ? "a window must be from 1 to 64 tokens wide, and a patch from 1 to 1024 pixels"
           : c.size < 1 || c.size > 16384 || c.size / c.patch > 1024 || c.size % (8 * c.patch * c.window) != 0
               ? "the image must be at most 16384 pixels and 1024 patches wide, and a multiple of 8 patches times the "
                 "window, so that the last stage has whole windows"
           : pairs_of(c) > std::int64_t{1} << 26
               ? "the heads of a stage times the pairs of tokens of a window come to more than 67108864"
           : !(c.epsilon >= 0 && c.epsilon < 1) ? "epsilon must be from 0 to below 1"
                                                : "";
}

/// Where the offset between two tokens of a window stands in the table of the relative positions, [(2 window - 1)^2, heads].
constexpr std::int64_t relative_position(std::int64_t window, std::int64_t of, std::int64_t to) noexcept {
    const std::int64_t down = of / window - to / window + window - 1;
    const std::int64_t across = of % window - to % window + window - 1;
    return down * (2 * window - 1) + across;
}

namespace detail {

/// Joined weights of queries, keys and values are read apart: "attn.qkv" as "attn.q", "attn.k" and "attn.v".
struct swin_names {
    std::string_view stem, stem_norm;
    std::string_view block; ///< '#': the stage; '*': the block
    attention_parts attention;
    std::string_view positions; ///< the table, which is read as the offsets of all pairs, [heads, window^2, window^2]
    std::string_view first_norm, second_norm, up, down;
    std::string_view merging; ///< what precedes a stage: its prefix
    std::string_view last_norm, head;
    std::int64_t stride = 1;  ///< torchvision counts what precedes a stage, too: stage s is 2 s + 1
    std::int64_t offset = 0;  ///< of the stage
    std::int64_t earlier = 0; ///< what precedes a stage is so much before it
};
constexpr swin_names names_of(const swin_configuration& c) noexcept {
    if (c.source == publisher::transformers) {
        return {.stem = "embeddings.patch_embeddings.projection",
                .stem_norm = "embeddings.norm",
                .block = "encoder.layers.#.blocks.*.",
                .attention = {"attention.self.query", "attention.self.key", "attention.self.value",
                              "attention.output.dense"},
                .positions = "attention.self.relative_position_bias_table",
                .first_norm = "layernorm_before",
                .second_norm = "layernorm_after",
                .up = "intermediate.dense",
                .down = "output.dense",
                .merging = "encoder.layers.#.downsample.",
                .last_norm = "layernorm",
                .head = "classifier",
                .earlier = 1};
    }
    swin_names n{.stem = "features.0.0",
                 .stem_norm = "features.0.2",
                 .block = "features.#.*.",
                 .attention = {"attn.q", "attn.k", "attn.v", "attn.proj"},
                 .positions = "attn.relative_position_bias_table",
                 .first_norm = "norm1",
                 .second_norm = "norm2",
                 .up = "mlp.0",
                 .down = "mlp.3",
                 .merging = "features.#.",
                 .last_norm = "norm",
                 .head = "head",
                 .stride = 2,
                 .offset = 1,
                 .earlier = 1};
    if (c.source == publisher::timm) {
        n.stem = "patch_embed.proj";
        n.stem_norm = "patch_embed.norm";
        n.block = "layers.#.blocks.*.";
        n.up = "mlp.fc1";
        n.down = "mlp.fc2";
        n.merging = "layers.#.downsample.";
        n.head = "head.fc";
        n.stride = 1;
        n.offset = n.earlier = 0;
    }
    return n;
}

/// The parts of a Swin transformer in one layout: tokens are [tokens, width], or [1, width, rows, columns].
class swin_maker {
public:
    constexpr swin_maker(const swin_configuration& c, const network_form& f)
        : c_(c), n_(names_of(c)), f_(f), is_rows_(f.layout == activation_layout::rows), m_(f.layout) {}

    constexpr dynamic_graph graph() && {
        int x = m_.image(f_, c_.channels, c_.size);
        m_.enter_whole("stem");
        const int patch = static_cast<int>(c_.patch);
        x = m_.convolution(x, n_.stem, n_.stem, c_.width, {.size = patch, .stride = patch});
        x = normalized(m_.tokens_of(x), n_.stem_norm);
        extent_ = c_.size / c_.patch;
        for (std::size_t s = 0; s < 4; ++s) {
            const std::int64_t stage = n_.stride * static_cast<std::int64_t>(s) + n_.offset;
            if (s > 0) {
                m_.enter(n_.merging, stage - n_.earlier);
                x = merged(x);
            }
            m_.enter(n_.block, stage);
            const int mask = c_.depths[s] > 1 && shift() > 0 ? shifted_mask() : -1;
            for (std::int64_t each = 0; each < c_.depths[s]; ++each) {
                m_.enter(n_.block, stage, each);
                x = block(x, c_.heads[s], each % 2 == 0 ? 0 : shift(), mask);
            }
        }
        m_.enter_whole("head");
        x = normalized(x, n_.last_norm);
        m_.classify(is_rows_ ? m_.emit(op::reduce_mean, axes{0}, {x}) : m_.pooled(x), n_.head, c_.classes);
        return std::move(m_).taken();
    }

private:
    constexpr std::int64_t width_of(int x) const { return m_.shape(x)[1]; }
    constexpr int normalized(int x, std::string_view part) { return m_.layer_norm(x, part, c_.epsilon, 1); }
    /// A stage of one window has nothing to shift.
    constexpr std::int64_t shift() const { return extent_ > c_.window ? c_.window / 2 : 0; }

    constexpr int block(int x, std::int64_t heads, std::int64_t by, int mask) {
        const std::int64_t width = width_of(x);
        int y = in_windows(rolled(normalized(x, n_.first_norm), by));
        y = rolled(out_of_windows(attention(y, heads, by > 0 ? mask : -1)), by > 0 ? extent_ - by : 0);
        x = m_.add(x, y);
        y = m_.projected(normalized(x, n_.second_norm), n_.up, c_.inner * width);
        return m_.add(x, m_.projected(m_.function(op::gelu, y), n_.down, width));
    }

    /// Up and to the left by so many tokens; what leaves an edge enters at the other. No width is cut, which some chips do at 16
    /// times the values (R090): in channels, columns are cut as rows.
    constexpr int rolled(int x, std::int64_t by) {
        if (by == 0) {
            return x;
        }
        const extents whole = m_.shape(x);
        if (is_rows_) {
            x = m_.reshape(x, {extent_, extent_, width_of(x)});
            return m_.reshape(cut_at(cut_at(x, 0, by), 1, by), whole);
        }
        x = m_.turned(cut_at(x, 2, by), {0, 1, 3, 2});
        return m_.turned(cut_at(x, 2, by), {0, 1, 3, 2});
    }
    /// What stands behind a place of an axis, and then what stands before it.
    constexpr int cut_at(int x, int along, std::int64_t place) {
        const int behind = m_.slice(x, along, place, extent_ - place);
        return m_.emit(op::concat, axis{along}, {behind, m_.slice(x, along, 0, place)});
    }
    /// The tokens of each window behind each other: [windows * window^2, width], or [1, width, windows, window^2].
    constexpr int in_windows(int x) {
        const std::int64_t w = c_.window;
        const std::int64_t count = extent_ / w;
        const std::int64_t width = width_of(x);
        if (is_rows_) {
            x = m_.turned(m_.reshape(x, {count, w, count, w * width}), {0, 2, 1, 3});
            return m_.reshape(x, {extent_ * extent_, width});
        }
        x = m_.turned(m_.reshape(x, {width * count, w, count, w}), {0, 2, 1, 3});
        return m_.reshape(x, {1, width, count * count, w * w});
    }
    constexpr int out_of_windows(int x) {
        const std::int64_t w = c_.window;
        const std::int64_t count = extent_ / w;
        const std::int64_t width = width_of(x);
        if (is_rows_) {
            x = m_.turned(m_.reshape(x, {count, count, w, w * width}), {0, 2, 1, 3});
            return m_.reshape(x, {extent_ * extent_, width});
        }
        x = m_.turned(m_.reshape(x, {width * count, count, w, w}), {0, 2, 1, 3});
        return m_.reshape(x, {1, width, extent_, extent_});
    }
    /// As [windows, heads, window^2, width of a head], or, in channels, with the last two axes exchanged.
    constexpr int as_heads(int x, std::int64_t heads) {
        const std::int64_t each = c_.window * c_.window;
        const std::int64_t windows = extent_ * extent_ / each;
        const std::int64_t head = width_of(x) / heads;
        return is_rows_ ? m_.turned(m_.reshape(x, {windows, each, heads, head}), {0, 2, 1, 3})
                        : m_.reshape(m_.turned(x, {0, 2, 1, 3}), {windows, heads, head, each});
    }
    constexpr int attention(int x, std::int64_t heads, int mask) {
        const std::int64_t width = width_of(x);
        const std::int64_t each = c_.window * c_.window;
        const std::int64_t head = width / heads;
        const double scale = 1 / ane::detail::square_root(static_cast<double>(head));
        const int query = m_.scaled(as_heads(m_.projected(x, n_.attention.query, width, c_.has_offsets), heads), scale);
        const int key = as_heads(m_.projected(x, n_.attention.key, width, c_.has_offsets), heads);
        const int value = as_heads(m_.projected(x, n_.attention.value, width, c_.has_offsets), heads);
        int scores = m_.matmul(query, key, !is_rows_, is_rows_);
        scores = m_.add(scores, m_.weight(n_.positions, "", {heads, each, each}));
        scores = mask >= 0 ? m_.add(scores, mask) : scores;
        const int weights = m_.emit(op::softmax, axis{3}, {scores});
        int mixed = is_rows_ ? m_.matmul(weights, value, false, false) : m_.matmul(value, weights, false, true);
        mixed = is_rows_ ? m_.reshape(m_.turned(mixed, {0, 2, 1, 3}), m_.shape(x))
                         : m_.turned(m_.reshape(mixed, {1, m_.shape(x)[2], width, each}), {0, 2, 1, 3});
        return m_.projected(mixed, n_.attention.output, width);
    }
    /// -100 or less where two tokens of a shifted window are of different edges of the image, [windows, 1, window^2, window^2]:
    /// the numbers of their regions, of which there are nine, differ by 1 or more.
    constexpr int shifted_mask() {
        const std::int64_t w = c_.window;
        const std::int64_t count = extent_ / w;
        const auto third = [&](std::int64_t at) { return at < extent_ - w ? 0 : at < extent_ - shift() ? 1 : 2; };
        sequence<float> regions;
        for (std::int64_t window = 0; window < count * count; ++window) {
            for (std::int64_t token = 0; token < w * w; ++token) {
                const int down = third(window / count * w + token / w);
                regions.push_back(static_cast<float>(3 * down + third(window % count * w + token % w)));
            }
        }
        const int one =
            m_.constant({count * count, 1, w * w, 1}, std::span<const float>(regions.data(), regions.size()));
        const int other = m_.reshape(one, {count * count, 1, 1, w * w});
        const int apart = m_.emit(op::sub, no_attributes{}, {one, other});
        return m_.scaled(m_.function(op::square, apart), -100);
    }
    /// The four tokens of each square of two by two, column by column, normalized and mixed.
    constexpr int merged(int x) {
        const std::int64_t width = width_of(x);
        extent_ /= 2;
        const int squares = is_rows_ ? m_.reshape(x, {extent_, 2, extent_, 2 * width})
                                     : m_.emit(op::space_to_depth, factors{2}, {x}); // row by row
        std::array<int, 4> parts{};
        for (int k = 0; k < 4; ++k) {
            const int down = k % 2;
            const int across = k / 2;
            int& part = parts[static_cast<std::size_t>(k)];
            if (is_rows_) {
                part = m_.reshape(m_.slice(squares, 1, down, 1), {extent_ * extent_, 2, width});
                part = m_.slice(part, 1, across, 1);
            } else {
                part = m_.slice(squares, 1, (2 * down + across) * width, width);
            }
        }
        x = m_.concatenated(parts, is_rows_ ? 2 : 1);
        x = is_rows_ ? m_.reshape(x, {extent_ * extent_, 4 * width}) : x;
        return m_.projected(normalized(x, "norm"), "reduction", 2 * width, false);
    }

    swin_configuration c_;
    swin_names n_;
    network_form f_;
    bool is_rows_;
    std::int64_t extent_ = 0; ///< tokens of a stage, both ways
    token_maker m_;
};

} // namespace detail

/// The graph of a Swin transformer: `image` [1, channels, size, size], as the form has it, to `logits` [1, classes]. Throws
/// `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const swin_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("swin", wrong.data());
    }
    return detail::swin_maker(c, f).graph();
}

} // namespace ane::models
