// A state whose last axis Core ML's states on the engine are reported not to have.
// expect: design_rule<ane::op::input, ane::rule::state_width_is_not_a_multiple, ane::target::h16g, 12, 0, 270, 32
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
#ifdef OK
    auto most = g.state("most"_s, f16<4, 256>);
    write(most, maximum(read(most), g.input("x"_s, f16<4, 256>)));
#else
    auto most = g.state("most"_s, f16<4, 270>);
    write(most, maximum(read(most), g.input("x"_s, f16<4, 270>)));
#endif
    g.output("y"_s, read(most));
});
static_assert(conforms<model, h16g, as_error(rule::state_width_is_not_a_multiple)>);

int main() {}
