/// Shapes of four kinds, drawn at random: a small residual network from random weights.
#include "example.hpp"

#include <cmath>

namespace {

constexpr int side = 16;

template <class Tensor> constexpr auto residual_block(ane::builder g, Tensor x) {
    constexpr auto c = Tensor::extent.channels();
    constexpr ane::conv padded{.padding = ane::same};
    auto a =
        relu(conv2d<padded>(x, g.weight("conv1.weight", ane::f16<c, c, 3, 3>), g.weight("conv1.bias", ane::f16<c>)));
    return relu(x +
                conv2d<padded>(a, g.weight("conv2.weight", ane::f16<c, c, 3, 3>), g.weight("conv2.bias", ane::f16<c>)));
}

constexpr auto shapes_net = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto x = g.input("image"_s, ane::f16<32, 1, side, side>, ane::within(-1, 1));
    auto h = relu(conv2d<ane::conv{.stride = 2, .padding = ane::same}>(x, g.weight("stem.weight", ane::f16<8, 1, 3, 3>),
                                                                       g.weight("stem.bias", ane::f16<8>)));
    h = residual_block(g.scope("blocks", 0), h);
    h = residual_block(g.scope("blocks", 1), h);
    auto pooled = ane::reshape<32, 8 * 16>(ane::avg_pool<ane::pool{.kernel = 2, .stride = 2}>(h));
    g.output("logits"_s,
             linear(pooled, g.weight("head.weight", ane::f16<4, 8 * 16>), g.weight("head.bias", ane::f16<4>)));
});

/// A disc, a square, a cross or a ring, somewhere, of some size, dark or bright.
ane::weight_store draw_shapes(int count, std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<float> images;
    std::vector<float> labels;
    for (int i = 0; i < count; ++i) {
        const int kind = i % 4;
        const double size = random.within(3.5, 5.5);
        const double cx = random.within(6, side - 6);
        const double cy = random.within(6, side - 6);
        const double bright = random.within(0.5, 1) * (random.below(2) == 0 ? -1 : 1);
        labels.push_back(static_cast<float>(kind));
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const double dx = std::abs(x - cx);
                const double dy = std::abs(y - cy);
                const double r = std::hypot(dx, dy);
                const bool inside = kind == 0   ? r < size
                                    : kind == 1 ? dx < 0.85 * size && dy < 0.85 * size
                                    : kind == 2 ? (dx < 1.2 && dy < size) || (dy < 1.2 && dx < size)
                                                : r < size && r > size - 2;
                images.push_back(static_cast<float>((inside ? bright : 0) + random.within(-0.2, 0.2)) * 0.8F);
            }
        }
    }
    ane::weight_store data;
    data.add("image", {count, 1, side, side}, images);
    data.add("wanted", {count}, labels);
    return data;
}

} // namespace

reached train_residual(const amount& wanted) {
    ane::trainer t(shapes_net, ane::random_weights(shapes_net, 1),
                   {.by = ane::adamw{}, .scale = ane::dynamic_loss_scale}, ane::backend::cpu{});
    const ane::sample_arrays data(t.ports(), draw_shapes(wanted.is_full ? 3200 : 160, 1));
    const ane::sample_arrays held_out(t.ports(), draw_shapes(wanted.is_full ? 400 : 64, 2));
    const ane::training_result r = t.train(data,
                                           {.epochs = wanted.is_full ? 8. : 2.,
                                            .rate = {.rate = 0.003, .form = ane::rate_form::cosine, .warm_up = 5},
                                            .told = told("residual")},
                                           &held_out);
    draw(r, wanted, "residual", "a residual network on drawn shapes");
    return {"residual: right of new shapes", t.validate(held_out).accuracy, wanted.is_full ? 0.97 : 0.2};
}
