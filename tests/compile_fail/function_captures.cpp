// The function of a constant model captures a variable.
// expect: refused_model<ane::model_rule::the_function_must_not_capture
#include <anemone/model.hpp>

using namespace ane;

int main() {
    const double low = -1;
    (void)low;
#ifdef OK
    constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, clamp(g.input("x"_s, f16<8>), -1, 1)); });
#else
    constexpr auto model = graph([low](ane::builder& g) { g.output("y"_s, clamp(g.input("x"_s, f16<8>), low, 1)); });
#endif
    return static_cast<int>(sizeof(model)) == 0;
}
