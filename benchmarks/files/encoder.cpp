// A program of some size: an encoder of 66 operations on three backends, with its reports and files.
#include <anemone/anemone.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/drawing/drawing.hpp>

#include <cstdio>

using namespace ane;

namespace {

template <class X> constexpr auto layer(builder g, X x) {
    auto normal = layer_norm<axis{-1}>(x, g.weight("norm1.gain", f16<64>), g.weight("norm1.bias", f16<64>));
    auto q = linear(normal, g.weight("q", f16<64, 64>));
    auto k = linear(normal, g.weight("k", f16<64, 64>));
    auto v = linear(normal, g.weight("v", f16<64, 64>));
    auto scores = softmax<axis{-1}>(matmul<transposed{.b = true}>(q, k) * 0.125);
    auto y = x + linear(matmul(scores, v), g.weight("o", f16<64, 64>));
    auto again = layer_norm<axis{-1}>(y, g.weight("norm2.gain", f16<64>), g.weight("norm2.bias", f16<64>));
    return y + linear(gelu(linear(again, g.weight("up", f16<128, 64>))), g.weight("down", f16<64, 128>));
}

constexpr auto encoder = graph([](auto& g) {
    auto tokens = g.input("tokens"_s, f16<1, 32, 64>, within(-4, 4));
    auto a = layer(g.scope("layers", 0), tokens);
    auto b = layer(g.scope("layers", 1), a);
    auto c = layer(g.scope("layers", 2), b);
    auto d = layer(g.scope("layers", 3), c);
    g.output("classes"_s, softmax<axis{-1}>(linear(d, g.weight("head", f16<10, 64>))));
});
static_assert(conforms<encoder, macs>);

} // namespace

int main(int count, char** words) {
    const weight_store weights = load_safetensors(count > 1 ? words[1] : "encoder.safetensors");
    const ndarray<shape<1, 32, 64>> tokens;
    auto fast = compile<encoder>(backend::cpu{}, weights);
    auto exact = compile<encoder>(backend::oracle{h13}, weights);
    auto engine = compile<encoder>(backend::engine{h13}, weights);
    const auto one = fast({"tokens"_s = tokens});
    const auto two = exact({"tokens"_s = tokens});
    const auto three = engine({"tokens"_s = tokens});
    std::printf("%zu %zu %zu\n", one["classes"_s].argmax(), two["classes"_s].argmax(), three["classes"_s].argmax());
    report(encoder, h13).print();
    std::fputs(cost_report(encoder, h13).c_str(), stdout);
    std::fputs(draw_svg(encoder).c_str(), stdout);
}
