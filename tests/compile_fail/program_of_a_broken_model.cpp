// A whole program whose model has a mistake: its checks, and the runs below it, say nothing more.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 3, 1>
#include <anemone/backend/any.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto classifier = graph([](ane::builder& g) {
    auto image = g.input("image"_s, f16<1, 1, 8, 8>, within(0, 1));
#ifdef OK
    auto edges = relu(conv2d<conv{.padding = same}>(image, g.weight("edges"_s, f16<4, 1, 3, 3>)));
#else
    auto edges = relu(conv2d<conv{.padding = same}>(image, g.weight("edges"_s, f16<4, 3, 3, 3>)));
#endif
    auto small = max_pool<pool{.kernel = 2, .stride = 2}>(edges);
    g.output("scores"_s, linear(flatten(small), g.weight("scores"_s, f16<3, 64>)));
});
static_assert(conforms<classifier, macs>);

[[maybe_unused]] static float first_score(const backend::any& place, const weight_store& weights,
                                           const ndarray<shape<1, 1, 8, 8>>& image) {
    auto program = compile<classifier>(place, weights);
    return static_cast<float>(program({"image"_s = image})["scores"_s][0]);
}

int main() {}
