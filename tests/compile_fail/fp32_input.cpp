// An input of fp32.
// expect: tensors are fp16, ane::f16<...>, and images bytes, ane::u8<...>: convert fp32 values on the host
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<1, 16>);
#else
    auto x = g.input("x"_s, f32<1, 16>);
#endif
    g.output("y"_s, relu(x));
});

int main() {}
