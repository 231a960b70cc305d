// A block that declares an input is used twice; it takes its operand by reference.
// expect: refused_model<ane::model_rule::two_inputs_have_this_name
// expect-gcc: {"mask"}
// expect-clang: 'm', 'a', 's', 'k'
// expect: in_line<11>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto masked(builder& g, std::string_view name, const auto& x) {
    return mul(x, g.input(name, f16<1, 64>));
}

constexpr auto model = graph([](ane::builder& g) {
    auto h = masked(g, "mask", g.input("x"_s, f16<1, 64>));
#ifdef OK
    auto y = masked(g, "second_mask", relu(h));
#else
    auto y = masked(g, "mask", relu(h));
#endif
    g.output("y"_s, y);
});

int main() {}
