// The fixed model whose template instantiations are counted: an encoder block and a convolution, checked for every Mac.
#include <anemone/model.hpp>

using namespace ane;

namespace {

constexpr auto block(auto g, auto x) {
    auto q = linear(x, g.weight("q", f16<64, 64>));
    auto k = linear(x, g.weight("k", f16<64, 64>));
    auto v = linear(x, g.weight("v", f16<64, 64>));
    auto y = x + linear(attention(q, k, v), g.weight("o", f16<64, 64>));
    return layer_norm<axis{-1}>(y + gelu(linear(y, g.weight("mlp", f16<64, 64>))), g.weight("gain", f16<64>),
                                g.weight("bias", f16<64>));
}

constexpr auto model = graph([](auto& g) {
    auto image = g.input("image"_s, f16<1, 3, 32, 32>, within(0, 1));
    auto stem = relu(conv2d<conv{.stride = 4, .padding = same}>(image, g.weight("stem", f16<64, 3, 7, 7>)));
    auto tokens = transpose<permutation{0, 2, 1}>(reshape<1, 64, 64>(stem));
    tokens = block(g.scope("blocks", 0), tokens);
    tokens = block(g.scope("blocks", 1), tokens);
    g.output("classes"_s, softmax<axis{-1}>(linear(tokens, g.weight("head", f16<10, 64>))));
});
static_assert(conforms<model, macs>);

} // namespace
