// A reshape to another number of elements.
// expect: shape_fault<ane::op::reshape, ane::fault::reshape_must_keep_the_number_of_elements, 1000, 1024>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reshape<1, 1024>(x);
#else
    auto y = reshape<1, 1000>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
