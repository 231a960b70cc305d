// A state is added to as if it were a variable.
// expect: shape_fault<ane::op::input, ane::fault::a_state_is_read_by_read_and_changed_by_write
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto sum = g.state("sum"_s, f16<1, 16, 8, 8>);
#ifdef OK
    write(sum, read(sum) + x);
#else
    sum += x;
#endif
    g.output("y"_s, relu(x));
});

int main() {}
