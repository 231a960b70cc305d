// A mistake in the first layer of a model: the layers after it are no mistakes.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 4, 3>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto classifier = graph([](ane::builder& g) {
    auto image = g.input("image"_s, f16<1, 3, 32, 32>);
#ifdef OK
    auto stem = relu(conv2d<conv{.stride = 2, .padding = same}>(image, g.weight("stem"_s, f16<16, 3, 3, 3>)));
#else
    auto stem = relu(conv2d<conv{.stride = 2, .padding = same}>(image, g.weight("stem"_s, f16<16, 4, 3, 3>)));
#endif
    auto inner = relu(conv2d<conv{.padding = same}>(stem, g.weight("inner"_s, f16<16, 16, 3, 3>)));
    auto block = add(stem, inner);
    auto [low, high] = split<2>(block);
    auto wide = concat(max_pool<pool{.kernel = 2, .stride = 2}>(low), max_pool<pool{.kernel = 2, .stride = 2}>(high));
    auto scores = linear(flatten(wide), g.weight("scores"_s, f16<10, 1024>));
    auto best = top_k<5>(softmax(scores));
    g.output("best"_s, best.values);
    g.output("places"_s, best.indices);
});

int main() {}
