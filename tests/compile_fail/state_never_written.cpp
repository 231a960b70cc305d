// A state that nothing writes, and one of the program that the model does not have.
// expect: refused_model<ane::model_rule::a_state_is_never_written
// expect: in_line<11>
// expect-gcc: {"count"}
// expect-clang: 'c', 'o', 'u', 'n', 't'
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto count = g.state("count"_s, f16<1>, within(0, 8));
    auto next = minimum(read(count) + 1, 8);
#ifdef OK
    write(count, next);
#endif
    g.output("y"_s, next);
});

int main() {}
