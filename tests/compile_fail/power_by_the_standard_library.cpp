// A function of the standard library is called with a tensor and a number, and its value is used.
// expect: functions of tensors are those of ane
#include <anemone/model.hpp>

#include <cmath>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16>);
#ifdef OK
    auto y = ane::pow(x, 2) + x;
#else
    auto y = std::pow(x, 2) + x;
#endif
    g.output("y"_s, y);
});

int main() {}
