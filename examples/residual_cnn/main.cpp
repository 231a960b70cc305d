/// Residual blocks as a C++ function template: each call adds a block, `scope` gives its weights names of their own,
/// and a value that is used twice is one node that two others read.
#include <anemone/anemone.hpp>
#include <anemone/fmt.hpp>

#include <fmt/format.h>

#include <random>
#include <vector>

using namespace ane::literals;

/// y = relu6(x + conv(relu6(conv(x)))). The channel count comes with the tensor; any height and width will do.
template <class Tensor> constexpr auto residual_block(ane::builder g, Tensor x) {
    constexpr auto c = Tensor::extent.channels();
    constexpr ane::conv padded{.padding = ane::same};
    auto a = relu6(conv2d<padded>(x, g.weight("conv1.weight"_s, ane::f16<c, c, 3, 3>, ane::bounded(0.5))));
    auto b = conv2d<padded>(a, g.weight("conv2.weight"_s, ane::f16<c, c, 3, 3>, ane::bounded(0.5)));
    return relu6(x + b); // relu6 keeps values below 6, so the ranges do not grow from block to block
}

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("image"_s, ane::f16<1, 3, 32, 32>, ane::within(0, 1));
    auto h = relu6(conv2d<ane::conv{.stride = 2, .padding = ane::same}>(
        x, g.weight("stem.weight"_s, ane::f16<16, 3, 3, 3>, ane::bounded(0.5))));
    g.output("stem"_s, h);
    for (int i = 0; i < 3; ++i) {
        h = residual_block(g.scope("blocks", i), h);
    }
    g.output("features"_s, reduce_mean<ane::axes{2, 3}>(h));
    g.output("last"_s, h);
});

// Facts about the graph are constants too. The compiler checks the model against every Mac since the M1.
static_assert(ane::conforms<model, ane::macs>);
static_assert(model.view().find(ane::op::weight, "blocks.2.conv1.weight") > 0);
static_assert(ane::uses(model)[model.view().outputs[0].node] == 3); // the output "stem", a convolution and an addition

/// Random weights for every weight of the model; `branch` scales those of the blocks.
ane::weight_store make_weights(float branch) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-0.5F, 0.5F);
    const ane::graph_view g = model;
    ane::weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::weight) {
            const float scale = g.name(i).starts_with("blocks") ? branch : 1.0F;
            std::vector<float> values(static_cast<std::size_t>(g[i].shape.count()));
            for (float& v : values) {
                v = scale * uniform(random);
            }
            store.add(std::string(g.name(i)), g[i].shape, values);
        }
    }
    return store;
}

int main(int argc, char** argv) {
    fmt::print("{}", ane::print(model.view()));
    if (argc > 1) { // a path: draw the graph there, as an SVG file
        ane::write_file(argv[1], ane::draw_svg(model, {.title = "residual_cnn"}));
    }

    ane::ndarray<ane::shape<1, 3, 32, 32>> image;
    for (std::size_t i = 0; i < image.size; ++i) {
        image[i] = ane::half(static_cast<double>(i % 37) / 36);
    }
    // Where the branches compute nothing, a residual network is the identity behind its stem, bit for bit.
    auto idle = ane::compile<model>(ane::backend::cpu{}, make_weights(0.0F));
    const auto silent = idle({"image"_s = image});
    const auto d = ane::compare(silent["stem"_s].elements(), silent["last"_s].elements());
    fmt::print("\nbranches of zero: the last block differs from the stem by {} ulp\n", d.max_ulp);

    auto program = ane::compile<model>(ane::backend::cpu{}, make_weights(0.5F));
    const auto result = program({"image"_s = image});
    fmt::print("features: {:.4f}\n", fmt::join(result["features"_s], " "));
    return d.identical() ? 0 : 1;
}
