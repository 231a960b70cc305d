#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../../graph/sequence.hpp"
#include "../publisher.hpp"
#include "diffusion_maker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace ane::models {

/// The denoiser of latent diffusion (Rombach et al. 2021), diffusers' UNet2DConditionModel, as in Stable Diffusion 1 and 2: four
/// stages down and four up, residual blocks that are told the step, and transformers that look at the text. One graph, or three:
/// `network_part::down`, `middle` and `up`.
struct unet_configuration {
    static constexpr network_part parts[] = {network_part::whole, network_part::down, network_part::middle,
                                             network_part::up};

    publisher source = publisher::diffusers;
    std::array<std::int64_t, 4> widths{320, 640, 1280, 1280};
    std::array<bool, 4> attends{true, true, true, false}; ///< whether a stage, down and up, has transformers
    std::array<std::int64_t, 4> heads{8, 8, 8, 8};
    std::int64_t blocks = 2;          ///< of a stage down; a stage up has one more
    std::int64_t context_width = 768; ///< of a token of the text
    std::int64_t positions = 77;      ///< tokens of the text
    std::int64_t channels = 4;        ///< that go in
    std::int64_t given = 4;           ///< channels that come out
    std::int64_t groups = 32;         ///< of the norms
    std::int64_t size = 64;           ///< of the latent image, both ways
    double epsilon = 1e-5;
    friend constexpr bool operator==(const unet_configuration&, const unet_configuration&) = default;
};
inline constexpr unet_configuration stable_diffusion_unet{};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const unet_configuration& c) noexcept {
    if (c.groups < 1 || c.groups > 1024) {
        return "the norms have from 1 to 1024 groups";
    }
    for (std::size_t s = 0; s < 4; ++s) {
        if (c.widths[s] < 1 || c.widths[s] > 16384 || c.widths[s] % c.groups != 0) {
            return "a stage has at most 16384 channels, a multiple of the groups of the norms";
        }
        if (c.heads[s] < 1 || c.heads[s] > 1024 || c.widths[s] % c.heads[s] != 0) {
            return "a stage has from 1 to 1024 heads, and its channels are a multiple of them";
        }
    }
    return c.widths[0] % 2 != 0            ? "the first stage has an even number of channels, which the step is told by"
           : c.blocks < 1 || c.blocks > 64 ? "a stage has from 1 to 64 blocks"
           : c.channels < 1 || c.channels > 1024 || c.given < 1 || c.given > 1024
               ? "the latent image has from 1 to 1024 channels"
           : c.context_width < 1 || c.context_width > 65536 || c.positions < 1 || c.positions > 65536
               ? "the text has from 1 to 65536 tokens, each from 1 to 65536 wide"
           : c.size < 8 || c.size > 1024 || c.size % 8 != 0
               ? "the latent image must be from 8 to 1024 pixels wide, in steps of 8"
           : !(c.epsilon >= 0 && c.epsilon < 1) ? "epsilon must be from 0 to below 1"
                                                : "";
}

namespace detail {

class unet_maker {
public:
    constexpr unet_maker(const unet_configuration& c, const network_form& f)
        : c_(c), part_(f.part), positions_(f.positions > 0 ? f.positions : c.positions),
          m_(f.layout, c.groups, c.epsilon) {}

    constexpr dynamic_graph graph() && {
        int x = begin();
        if (is(network_part::down)) {
            x = down(m_.convolved(x, "conv_in", c_.widths[0]));
        }
        if (part_ == network_part::down) {
            m_.output(x, "deepest");
            for (std::size_t i = 0; i < kept_.size(); ++i) {
                m_.output(kept_[i], view(kept_name(i)));
            }
            return std::move(m_).taken();
        }
        if (is(network_part::middle)) {
            x = middle(x);
        }
        if (part_ == network_part::middle) {
            m_.output(x, "turned");
            return std::move(m_).taken();
        }
        x = up(x);
        m_.enter_whole("head");
        m_.output(m_.convolved(m_.activated(x, "conv_norm_out"), "conv_out", c_.given), "noise");
        return std::move(m_).taken();
    }

private:
    constexpr bool is(network_part p) const { return part_ == network_part::whole || part_ == p; }
    static constexpr std::string_view view(const sequence<char>& text) { return {text.data(), text.size()}; }
    static constexpr sequence<char> kept_name(std::size_t i) {
        sequence<char> text;
        text.append(std::string_view("kept_"));
        ane::detail::append_number(text, static_cast<std::int64_t>(i));
        return text;
    }

    /// The ports, of which the first is given, and what each residual block is told.
    constexpr int begin() {
        m_.enter_whole("stem");
        const std::int64_t deepest = c_.size / 8;
        const extents last{1, c_.widths[3], deepest, deepest};
        const int x = part_ == network_part::middle ? m_.input("deepest", last)
                      : part_ == network_part::up   ? m_.input("turned", last)
                                                    : m_.input("sample", {1, c_.channels, c_.size, c_.size});
        if (part_ == network_part::up) {
            keep_inputs();
        }
        time_ = m_.input("time", {1, c_.widths[0]}, bounded(1));
        const std::int64_t width = c_.context_width;
        const bool looks = std::find(c_.attends.begin(), c_.attends.end(), true) != c_.attends.end();
        if (looks || is(network_part::middle)) { // the middle always does
            text_ = m_.input("text", m_.is_rows() ? extents{positions_, width} : extents{1, width, 1, positions_});
        }
        time_ = m_.product(time_, "time_embedding.linear_1", 4 * c_.widths[0]);
        time_ = m_.product(m_.function(op::silu, time_), "time_embedding.linear_2", 4 * c_.widths[0]);
        time_ = m_.function(op::silu, time_);
        return x;
    }
    /// What the way down kept, as ports.
    constexpr void keep_inputs() {
        const auto port = [&](std::size_t stage, std::int64_t extent) {
            kept_.push_back(m_.input(view(kept_name(kept_.size())), {1, c_.widths[stage], extent, extent}));
        };
        port(0, c_.size);
        for (std::size_t s = 0; s < 4; ++s) {
            const std::int64_t extent = c_.size >> s;
            for (std::int64_t block = 0; block < c_.blocks; ++block) {
                port(s, extent);
            }
            if (s < 3) {
                port(s, extent / 2);
            }
        }
    }
    constexpr int down(int x) {
        kept_.push_back(x);
        for (std::size_t s = 0; s < 4; ++s) {
            const auto stage = static_cast<std::int64_t>(s);
            for (std::int64_t block = 0; block < c_.blocks; ++block) {
                m_.enter("down_blocks.#.resnets.*.", stage, block);
                x = m_.residual(x, c_.widths[s], time_);
                if (c_.attends[s]) {
                    m_.enter("down_blocks.#.attentions.*.", stage, block);
                    x = transformer(x, c_.heads[s]);
                }
                kept_.push_back(x);
            }
            if (s < 3) {
                m_.enter("down_blocks.#.downsamplers.0.", stage);
                x = m_.convolution(x, "conv", "conv", c_.widths[s], {.size = 3, .stride = 2, .border = 1});
                kept_.push_back(x);
            }
        }
        return x;
    }
    constexpr int middle(int x) {
        m_.enter("mid_block.resnets.0.");
        x = m_.residual(x, c_.widths[3], time_);
        m_.enter("mid_block.attentions.0.");
        x = transformer(x, c_.heads[3]);
        m_.enter("mid_block.resnets.1.");
        return m_.residual(x, c_.widths[3], time_);
    }
    /// Each residual block sees what the way down kept, the last first.
    constexpr int up(int x) {
        std::size_t kept = kept_.size();
        for (std::size_t s = 0; s < 4; ++s) {
            const auto stage = static_cast<std::int64_t>(s);
            for (std::int64_t block = 0; block <= c_.blocks; ++block) {
                m_.enter("up_blocks.#.resnets.*.", stage, block);
                x = m_.residual(m_.concatenated(std::array{x, kept_[--kept]}, 1), c_.widths[3 - s], time_);
                if (c_.attends[3 - s]) {
                    m_.enter("up_blocks.#.attentions.*.", stage, block);
                    x = transformer(x, c_.heads[3 - s]);
                }
            }
            if (s < 3) {
                m_.enter("up_blocks.#.upsamplers.0.", stage);
                x = m_.enlarged(x);
            }
        }
        return x;
    }

    /// x + one layer of a transformer: pixels look at each other, then at the text, and an inner layer with gates.
    constexpr int transformer(int x, std::int64_t heads) {
        const std::int64_t width = m_.shape(x)[1];
        int y = m_.tokens_of(m_.group_norm(x, "norm", c_.groups, 1e-6));
        y = m_.projected(y, "proj_in", width);
        const int seen = m_.layer_norm(y, "transformer_blocks.0.norm1", 1e-5, 1);
        y = m_.add(y, m_.attention(seen, seen, to_itself, width, heads, false));
        y = m_.add(y, m_.attention(m_.layer_norm(y, "transformer_blocks.0.norm2", 1e-5, 1), text_, to_text, width,
                                   heads, false));
        const int inner = m_.layer_norm(y, "transformer_blocks.0.norm3", 1e-5, 1);
        const int gate = m_.function(op::gelu, m_.projected(inner, "transformer_blocks.0.ff.net.0.gate", 4 * width));
        const int gated = m_.mul(m_.projected(inner, "transformer_blocks.0.ff.net.0.value", 4 * width), gate);
        y = m_.projected(m_.add(y, m_.projected(gated, "transformer_blocks.0.ff.net.2", width)), "proj_out", width);
        return m_.add(x, m_.image_of(y, m_.shape(x)[2], m_.shape(x)[3]));
    }

    static constexpr attention_parts to_itself{"transformer_blocks.0.attn1.to_q", "transformer_blocks.0.attn1.to_k",
                                               "transformer_blocks.0.attn1.to_v",
                                               "transformer_blocks.0.attn1.to_out.0"};
    static constexpr attention_parts to_text{"transformer_blocks.0.attn2.to_q", "transformer_blocks.0.attn2.to_k",
                                             "transformer_blocks.0.attn2.to_v", "transformer_blocks.0.attn2.to_out.0"};

    unet_configuration c_;
    network_part part_;
    std::int64_t positions_;
    int time_ = -1;
    int text_ = -1;
    sequence<int> kept_; ///< on the way down
    diffusion_maker m_;
};

} // namespace detail

/// The graph of a denoiser: `sample` [1, channels, size, size], the latent image; `time` [1, first width], the step as sines that the
/// host computes, for fp16 has no such angles (`timestep_sines`); `text` [positions, context width], or [1, context width, 1, positions]
/// in channels; to `noise` [1, given, size, size]. Its parts: `down` gives `deepest` and what is kept on the way, `kept_0`, `kept_1`, ...;
/// `middle` makes `turned` of `deepest`, and `up` `noise` of `turned` and what was kept; all are told `time` and `text`. Joined weights of GEGLU are read apart: "ff.net.0.proj" as "ff.net.0.value" and
/// "ff.net.0.gate". Throws `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const unet_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("unet", wrong.data());
    }
    if (f.positions < 0 || f.positions > c.positions) {
        ane::detail::refuse_graph("unet", "the text has at most as many tokens as the network was trained for",
                                  f.positions, c.positions);
    }
    if (std::find(std::begin(unet_configuration::parts), std::end(unet_configuration::parts), f.part) ==
        std::end(unet_configuration::parts)) {
        ane::detail::refuse_graph("unet", "has no such part: it is whole, or down, middle and up");
    }
    if (f.image == image_input::pixels) {
        ane::detail::refuse_graph("unet", "takes a latent image, no pixels");
    }
    return detail::unet_maker(c, f).graph();
}

} // namespace ane::models
