// A contract that no tensor can keep.
// expect: its contract has a low end above its high end
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<4, 8>, within(-1, 1));
#else
    auto x = g.input("x"_s, f16<4, 8>, within(1, -1));
#endif
    g.output("y"_s, relu(x));
});

int main() {}
