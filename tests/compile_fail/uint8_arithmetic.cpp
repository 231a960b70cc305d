// A uint8 image reaches arithmetic without a conversion.
// expect: a uint8 image goes through to_f16 first
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto image = g.input("image"_s, u8<1, 3, 8, 8>);
#ifdef OK
    auto y = to_f16(image) * 0.5;
#else
    auto y = image * 0.5;
#endif
    g.output("y"_s, y);
});

int main() {}
