/// A device that the table does not know: copy the description of one that it does, change what differs, and check
/// models against it. Here an imaginary M1 with a narrower kernel and half the cores.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

using namespace ane::literals;

inline constexpr ane::target_description small_m1 = ane::derive(ane::describe(ane::h13), [](auto& d) {
    d.name = "H13-small";
    d.runtime = "h13";
    d.product = "an imaginary small M1";
    d.cores = d.cost_cores = 2;
    d.limits.kernel_width_fp16 = 5;
});

/// One convolution with a kernel of the given size.
template <int Height, int Width>
constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 16, 64, 64>, ane::within(0, 1));
    auto w = g.weight("blur.weight"_s, ane::f16<16, 16, Height, Width>, ane::bounded(0.1));
    g.output("y"_s, conv2d<ane::conv{.padding = ane::same}>(x, w));
});

// The address of a description stands wherever a target does.
static_assert(ane::conforms<model<3, 7>, ane::h13>);   // 7 wide: the M1 takes it,
static_assert(!ane::conforms<model<3, 7>, &small_m1>); // the small one does not,
static_assert(ane::conforms<model<7, 3>, &small_m1>);  // but height has another limit: swap the axes.
// static_assert(ane::conforms<model<3, 7>, &small_m1>);   // the compiler would print design_rule<op::conv2d,
//                                                            rule::kernel_width_exceeds, ..., 7, 5>

int main() {
    fmt::print("{}\n{}\n", ane::report(model<3, 7>, small_m1).str(), ane::report(model<7, 3>, small_m1).str());

    // The same questions at run time.
    const auto found = ane::violations(model<3, 7>, small_m1);
    const auto takers = ane::accepting_targets(model<3, 7>, ane::macs);
    fmt::print("{} of {} Macs accept the 3 x 7 kernel\n", takers.size(), ane::macs.size());
    fmt::print("convolutions by the cost model: {:.2f} TFLOP/s, the M1's {:.2f}\n",
               ane::rates_of(small_m1).convolution / 1e12, ane::rates_of(ane::h13).convolution / 1e12);
    return found.size() == 1 && found[0].got == 7 && found[0].limit == 5 ? 0 : 1;
}
