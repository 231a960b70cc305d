#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../publisher.hpp"
#include "diffusion_maker.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// The autoencoder of latent diffusion (Rombach et al. 2021), diffusers' AutoencoderKL: images as a few channels at an eighth of
/// their size, and back. Two graphs, `network_part::encoder` and `network_part::decoder`.
struct autoencoder_configuration {
    static constexpr network_part parts[] = {network_part::encoder, network_part::decoder};
    static constexpr pixel_statistics pixels = from_minus_1_to_1;

    publisher source = publisher::diffusers;
    std::array<std::int64_t, 4> widths{128, 256, 512, 512}; ///< channels of a stage, from the finest
    std::int64_t blocks = 2;                                ///< of a stage of the encoder; the decoder has one more
    std::int64_t latent = 4;                                ///< channels
    std::int64_t groups = 32;                               ///< of the norms
    std::int64_t channels = 3;
    std::int64_t size = 512; ///< of the image, both ways
    friend constexpr bool operator==(const autoencoder_configuration&, const autoencoder_configuration&) = default;
};
inline constexpr autoencoder_configuration stable_diffusion_vae{};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const autoencoder_configuration& c) noexcept {
    if (c.groups < 1 || c.groups > 1024) {
        return "the norms have from 1 to 1024 groups";
    }
    for (const std::int64_t width : c.widths) {
        if (width < 1 || width > 16384 || width % c.groups != 0) {
            return "a stage has at most 16384 channels, a multiple of the groups of the norms";
        }
    }
    return c.blocks < 1 || c.blocks > 64 ? "a stage has from 1 to 64 blocks"
           : c.latent < 1 || c.latent > 1024 || c.channels < 1 || c.channels > 1024
               ? "the image and its latent form have from 1 to 1024 channels"
           : c.size < 8 || c.size > 4096 || c.size % 8 != 0
               ? "the image must be from 8 to 4096 pixels wide, in steps of 8"
               : "";
}

namespace detail {

class autoencoder_maker {
public:
    constexpr autoencoder_maker(const autoencoder_configuration& c, const network_form& f)
        : c_(c), f_(f), m_(f.layout, c.groups, 1e-6) {}

    constexpr dynamic_graph graph() && {
        f_.part == network_part::encoder ? encode() : decode();
        return std::move(m_).taken();
    }

private:
    constexpr void encode() {
        int x = m_.image(f_, c_.channels, c_.size, bounded(1));
        m_.enter("encoder.");
        x = m_.convolved(x, "conv_in", c_.widths[0]);
        for (std::size_t s = 0; s < 4; ++s) {
            const auto stage = static_cast<std::int64_t>(s);
            for (std::int64_t block = 0; block < c_.blocks; ++block) {
                m_.enter("encoder.down_blocks.#.resnets.*.", stage, block);
                x = m_.residual(x, c_.widths[s]);
            }
            if (s < 3) {
                m_.enter("encoder.down_blocks.#.downsamplers.0.", stage);
                x = halved(x);
            }
        }
        x = middle(x, "encoder.mid_block.resnets.*.", "encoder.mid_block.attentions.0.");
        m_.enter("encoder.");
        x = m_.convolved(m_.activated(x, "conv_norm_out"), "conv_out", 2 * c_.latent);
        m_.enter_whole("head");
        m_.output(m_.convolution(x, "quant_conv", "quant_conv", 2 * c_.latent, {}), "moments");
    }
    constexpr void decode() {
        m_.enter_whole("stem");
        const std::int64_t extent = c_.size / 8;
        int x = m_.input("latent", {1, c_.latent, extent, extent});
        x = m_.convolution(x, "post_quant_conv", "post_quant_conv", c_.latent, {});
        m_.enter("decoder.");
        x = m_.convolved(x, "conv_in", c_.widths[3]);
        x = middle(x, "decoder.mid_block.resnets.*.", "decoder.mid_block.attentions.0.");
        for (std::size_t s = 0; s < 4; ++s) {
            const auto stage = static_cast<std::int64_t>(s);
            for (std::int64_t block = 0; block <= c_.blocks; ++block) {
                m_.enter("decoder.up_blocks.#.resnets.*.", stage, block);
                x = m_.residual(x, c_.widths[3 - s]);
            }
            if (s < 3) {
                m_.enter("decoder.up_blocks.#.upsamplers.0.", stage);
                x = m_.enlarged(x);
            }
        }
        m_.enter("decoder.");
        m_.output(m_.convolved(m_.activated(x, "conv_norm_out"), "conv_out", c_.channels), "image");
    }
    /// A convolution of every other pixel, which sees a border on the right and below alone.
    constexpr int halved(int x) {
        const std::int64_t width = m_.shape(x)[1];
        conv how;
        how.stride = 2;
        how.padding = {0, 1, 0, 1};
        const int kernel = m_.weight("conv", ".weight", {width, width, 3, 3});
        return m_.emit(op::conv2d, how, {x, kernel, m_.weight("conv", ".bias", {width})});
    }
    /// Two residual blocks, and between them each pixel looks at all others.
    constexpr int middle(int x, std::string_view residual, std::string_view attention) {
        const std::int64_t width = c_.widths[3];
        m_.enter(residual, 0, 0);
        x = m_.residual(x, width);
        m_.enter(attention);
        int y = m_.tokens_of(m_.normalized(x, "group_norm"));
        y = m_.attention(y, y, {"to_q", "to_k", "to_v", "to_out.0"}, width, 1, true);
        x = m_.add(x, m_.image_of(y, m_.shape(x)[2], m_.shape(x)[3]));
        m_.enter(residual, 0, 1);
        return m_.residual(x, width);
    }

    autoencoder_configuration c_;
    network_form f_;
    diffusion_maker m_;
};

} // namespace detail

/// The graph of one part. The encoder: `image` [1, channels, size, size], from -1 to 1, to `moments` [1, 2 latent, size / 8, size / 8],
/// means and logarithms of variances. The decoder: `latent` [1, latent, size / 8, size / 8], divided by the factor of the pipeline
/// (0.18215 in Stable Diffusion 1), to `image` [1, channels, size, size], from about -1 to 1. Throws `ane::error` (errc::graph) for
/// a network that cannot be, and where neither part is named.
constexpr dynamic_graph network_graph(const autoencoder_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("autoencoder", wrong.data());
    }
    if (f.part != network_part::encoder && f.part != network_part::decoder) {
        ane::detail::refuse_graph("autoencoder", "is two graphs: choose the part encoder or decoder");
    }
    if (f.part == network_part::decoder && f.image == image_input::pixels) {
        ane::detail::refuse_graph("autoencoder", "the decoder takes a latent image, no pixels");
    }
    return detail::autoencoder_maker(c, f).graph();
}

} // namespace ane::models
