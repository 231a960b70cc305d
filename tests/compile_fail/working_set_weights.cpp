// Weights beyond the kernel memory of the M1, in a model that declares a split layer an error.
// expect: design_rule<ane::op::conv2d, ane::rule::weights_exceed_kernel_memory, ane::target::h13, 19, 2, 65664, 65536
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64, 8, 8>);
#ifdef OK
    auto w = g.weight("w"_s, f16<512, 64, 1, 1>);
#else
    auto w = g.weight("w"_s, f16<513, 64, 1, 1>);
#endif
    g.output("y"_s, conv2d(x, w));
});
static_assert(conforms<model, macs, as_error(rule::weights_exceed_kernel_memory)>);

int main() {}
