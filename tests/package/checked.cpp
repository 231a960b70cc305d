// A program that asks only what the engine makes of a model: what is left of the library where nothing runs.
#include <anemone/model.hpp>
#include <anemone/report/rule_report.hpp>

#include <cstdio>

using namespace ane;

namespace {

constexpr auto classifier = graph([](auto& g) {
    auto image = g.input("image"_s, f16<1, 1, 8, 8>, within(0, 1));
    auto edges = relu(conv2d<conv{.padding = same}>(image, g.weight("edges"_s, f16<4, 1, 3, 3>, bounded(1))));
    g.output("scores"_s, linear(flatten(edges), g.weight("scores"_s, f16<3, 256>, bounded(0.5))));
});
static_assert(conforms<classifier, macs>);

constexpr auto wide = graph([](auto& g) {
    auto image = g.input("image"_s, f16<1, 3, 64, 64>);
    g.output("y"_s, conv2d(image, g.weight("stem", f16<8, 3, 7, 14>)));
});

} // namespace

int main() {
    const rule_report found = report(wide, h13);
    std::printf("%s", found.str().c_str());
    return report(classifier, h13).ok() && !found.ok() ? 0 : 1;
}
