/// What a model takes of the engine's memories, on two Macs: an operand that one of them streams and the other keeps,
/// weights that one of them splits, a pass that is filled in part, and rows of one element that waste their lanes.
#include <anemone/anemone.hpp>
#include <anemone/report/residency_report.hpp>

#include <fmt/format.h>

using namespace ane::literals;

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("image"_s, ane::f16<1, 16, 304, 304>, ane::within(0, 1));
    auto stem = relu(conv2d<ane::conv{.padding = ane::same}>(x, g.weight("stem.weight"_s, ane::f16<16, 16, 3, 3>)));
    auto down =
        conv2d<ane::conv{.stride = 2, .padding = ane::same}>(stem, g.weight("down.weight"_s, ane::f16<64, 16, 3, 3>));
    auto wide = conv2d<ane::conv{.stride = 4}>(down, g.weight("wide.weight"_s, ane::f16<200, 64, 1, 1>));
    auto pooled = reduce_mean<ane::axes{2, 3}>(sigmoid(wide) * wide);
    g.output("classes"_s, conv2d(pooled, g.weight("head.weight"_s, ane::f16<512, 200, 1, 1>)));
});

int main() {
    const ane::residency_report m1(model, ane::h13);
    const ane::residency_report m5(model, ane::h17s);
    m1.print();
    fmt::print("\n");
    m5.print();

    // The same figures as values, at compile time too.
    constexpr ane::residency_summary on_m1 = ane::summarize(ane::residency(model, ane::h13), ane::h13);
    static_assert(on_m1.streamed == 4 && on_m1.partitioned);
    fmt::print("\n{} operations stream an operand on the M1, {} on the M5\n", m1.summary().streamed,
               m5.summary().streamed);
    return m1.summary().streamed > m5.summary().streamed ? 0 : 1;
}
