// A constant of more elements than compilers get through.
// expect: refused_model<ane::model_rule::constants_above_262144_elements_belong_into_a_weight
// expect: found_value<300000>, ane::wanted_value<262144>
// forbid: step limit
#include <anemone/model.hpp>
#include <array>

using namespace ane;

#ifdef OK
inline constexpr int rows = 400;
#else
inline constexpr int rows = 3000;
#endif
inline constexpr std::array<float, rows * 100> table{};

constexpr auto model = graph([](ane::builder& g) { // here
    auto x = g.input("x"_s, f16<1, rows, 100>);
    g.output("y"_s, x + g.constant(f16<1, rows, 100>, table));
});
static_assert(conforms<model, h13>);

int main() {}
