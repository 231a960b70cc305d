// A counter that goes on beyond what the model promises of it.
// expect: design_rule<ane::op::input, ane::rule::state_may_leave_its_promise, ane::target::h13, 8, 0, 9, 8
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto count = g.state("count"_s, f16<1>, within(0, 8));
#ifdef OK
    write(count, minimum(read(count) + 1, 8));
#else
    write(count, read(count) + 1);
#endif
    g.output("y"_s, read(count));
});
static_assert(conforms<model, h13>);

int main() {}
