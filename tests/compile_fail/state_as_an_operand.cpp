// A state is an operand.
// expect: shape_fault<ane::op::relu, ane::fault::a_state_is_read_by_read_and_changed_by_write
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto sum = g.state("sum"_s, f16<1, 16, 8, 8>);
    write(sum, x);
#ifdef OK
    auto y = relu(read(sum));
#else
    auto y = relu(sum);
#endif
    g.output("y"_s, y);
});

int main() {}
