// A port name with a character that MIL text does not allow.
// expect: refused_model<ane::model_rule::a_port_name_is_letters_digits_and_underscores
// expect-gcc: {"first-half"}
// expect-clang: 'f', 'i', 'r', 's', 't', '-', 'h', 'a', 'l', 'f'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = g.output("first_half"_s, relu(x));
#else
    auto y = g.output("first-half"_s, relu(x));
#endif
    (void)y;
});

int main() {}
