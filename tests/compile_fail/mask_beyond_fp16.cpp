// A mask of -1e9.
// expect: refused_model<ane::model_rule::a_number_does_not_fit_into_fp16_which_ends_at_65504_a_mask_takes_minus_30000
// expect: found_value<-1000000000>, ane::wanted_value<-65504>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = softmax(x + -30000);
#else
    auto y = softmax(x + -1e9);
#endif
    g.output("y"_s, y);
});

int main() {}
