// A resize to no rows.
// expect: every extent of a tensor must be at least 1 (R019)
// expect-gcc: (0 >= 1)
// expect-clang: '0L >= 1L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
#ifdef OK
    auto y = resize<sampling{.extent = {4, 4}}>(x);
#else
    auto y = resize<sampling{.extent = {0, 4}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
