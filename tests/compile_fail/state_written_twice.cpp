// A state is written twice.
// expect: refused_model<ane::model_rule::a_state_is_written_again_before_it_is_read
// expect-gcc: {"last"}
// expect-clang: 'l', 'a', 's', 't'
// expect: in_line<17>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto last = g.state("last"_s, f16<1, 16, 8, 8>);
    write(last, x);
#ifdef OK
    write(last, read(last) + x);
#else
    write(last, 2 * x);
#endif
    g.output("y"_s, relu(x));
});

int main() {}
