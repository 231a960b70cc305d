// An axis of eight is split into three equal parts.
// expect: shape_fault<ane::op::slice, ane::fault::number_of_parts_must_divide_the_extent, 8, 3>
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
