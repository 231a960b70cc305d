// A batch norm with the statistics of the layer before.
// expect: shape_fault<ane::op::batch_norm, ane::fault::parameter_must_have_one_value_for_each_channel, 32, 64>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 32, 14, 14>);
    auto h = conv2d(x, g.weight("w", f16<64, 32, 1, 1>));
    auto v = [&g](const char* name) { return g.weight(name, f16<32>); };
#ifdef OK
    auto y = batch_norm(x, v("mean"), v("variance"), v("gamma"), v("beta"));
    (void)h;
#else
    auto y = batch_norm(h, v("mean"), v("variance"), v("gamma"), v("beta"));
#endif
    g.output("y"_s, y);
});

int main() {}
