// A whole program whose model has no output: its checks, and the runs below it, say nothing more.
// expect: refused_model<ane::model_rule::the_model_has_no_output>
#include <anemone/backend/any.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto classifier = graph([](ane::builder& g) {
    auto image = g.input("image"_s, f16<1, 1, 8, 8>, within(0, 1));
    auto edges = relu(conv2d<conv{.padding = same}>(image, g.weight("edges"_s, f16<4, 1, 3, 3>)));
    auto small = max_pool<pool{.kernel = 2, .stride = 2}>(edges);
    auto scores = linear(flatten(small), g.weight("scores"_s, f16<3, 64>));
#ifdef OK
    g.output("scores"_s, scores);
#else
    relu(scores);
#endif
});
static_assert(conforms<classifier, macs>);

[[maybe_unused]] static float first_score(const backend::any& place, const weight_store& weights,
                                           const ndarray<shape<1, 1, 8, 8>>& image) {
    auto program = compile<classifier>(place, weights);
    return static_cast<float>(program({"image"_s = image})["scores"_s][0]);
}

int main() {}
