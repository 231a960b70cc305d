// An axis of eight is split into three equal parts.
// expect: split: the number of parts must divide the extent
// expect-gcc: got = 8; long int want = 3
// expect-clang: '8L % 3L == 0'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = std::get<2>(split<axis{1}, 3, 3, 2>(x));
#else
    auto y = split<3, axis{1}>(x)[2];
#endif
    g.output("y"_s, y);
});

int main() {}
