// A state is written with a number.
// expect: shape_fault<ane::op::input, ane::fault::written_value_must_have_the_rank_of_the_state, 0, 2>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto s = g.state("s"_s, f16<1, 16>);
    g.output("y"_s, read(s) + g.input("x"_s, f16<1, 16>));
#ifdef OK
    write(s, 0 * read(s));
#else
    write(s, 0);
#endif
});

int main() {}
