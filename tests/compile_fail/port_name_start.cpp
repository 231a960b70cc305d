// A port name that starts with a digit.
// expect: refused_model<ane::model_rule::a_port_name_is_letters_digits_and_underscores
// expect-gcc: {"2_input"}
// expect-clang: '2', '_', 'i', 'n', 'p', 'u', 't'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("input_2"_s, f16<4, 8>);
#else
    auto x = g.input("2_input"_s, f16<4, 8>);
#endif
    g.output("y"_s, relu(x));
});

int main() {}
