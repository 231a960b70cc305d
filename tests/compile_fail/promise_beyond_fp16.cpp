// A promise of an input that fp16 cannot hold.
// expect: refused_model<ane::model_rule::a_promise_of_fp16_values_lies_within_65504
// expect-gcc: {"x"}
// expect-clang: 'x'
// expect: found_value<-1000000000>, ane::wanted_value<-65504>
// expect: in_line<16>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<4, 8>, within(-1000, 1000));
#else
    auto x = g.input("x"_s, f16<4, 8>, within(-1e9, 1e9));
#endif
    g.output("y"_s, relu(x));
});

int main() {}
