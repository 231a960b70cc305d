#pragma once

#include "../token_maker.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models {

/// A token_maker with the parts that the networks of latent diffusion share (Rombach et al. 2021), by diffusers' names.
class diffusion_maker : public token_maker {
public:
    constexpr diffusion_maker(activation_layout layout, std::int64_t groups, double epsilon)
        : token_maker(layout), groups_(groups), epsilon_(epsilon) {}

    /// A group norm with the epsilon of the network. In channels, one of a large image in its parts, for no Mac takes more than
    /// 65536 pixels of a group, and those up to the M3 no more than 16384 (R027).
    constexpr int normalized(int x, std::string_view part) {
        constexpr std::int64_t most = 16384;
        if (is_rows() || shape(x)[2] * shape(x)[3] <= most) {
            return group_norm(x, part, groups_, epsilon_);
        }
        const extents whole = shape(x);
        int y = reshape(x, {1, groups_, whole[1] / groups_ * whole[2], whole[3]});
        y = emit(op::sub, no_attributes{}, {y, mean(y)});
        y = scaled(
            y, 0.25); // squares are finite up to 1023 then, and the epsilon of 1e-6 still in fp16; the norm is the same
        const stabilizer least{.epsilon = static_cast<float>(epsilon_ / 16)};
        y = mul(y, emit(op::rsqrt, least, {mean(function(op::square, y))}));
        const extents each{1, whole[1], 1, 1};
        y = mul(reshape(y, whole), reshape(weight(part, ".weight", {whole[1]}), each));
        return add(y, reshape(weight(part, ".bias", {whole[1]}), each));
    }
    /// A convolution 3x3 at the same size.
    constexpr int convolved(int x, std::string_view part, std::int64_t to) {
        return convolution(x, part, part, to, {.size = 3, .border = 1});
    }
    constexpr int activated(int x, std::string_view norm) { return function(op::silu, normalized(x, norm)); }

    /// x + two convolutions, each behind a norm and SiLU; x by a convolution 1x1 where the channels differ. `time` [1, width], if
    /// it is not -1, is added between them to every pixel.
    constexpr int residual(int x, std::int64_t to, int time = -1) {
        int y = convolved(activated(x, "norm1"), "conv1", to);
        if (time >= 0) {
            y = add(y, reshape(product(time, "time_emb_proj", to), {1, to, 1, 1}));
        }
        y = convolved(activated(y, "norm2"), "conv2", to);
        return add(shape(x)[1] == to ? x : convolution(x, "conv_shortcut", "conv_shortcut", to, {}), y);
    }
    /// Twice as high and wide, and a convolution.
    constexpr int enlarged(int x) { return convolved(doubled(x), "conv", shape(x)[1]); }

private:
    /// Of each group, [1, groups, 1, 1].
    constexpr int mean(int x) { return emit(op::reduce_mean, axes{2}, {emit(op::reduce_mean, axes{3}, {x})}); }

    std::int64_t groups_;
    double epsilon_;
};

} // namespace ane::models
