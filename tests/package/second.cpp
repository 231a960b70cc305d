// The second translation unit of the program. The first is the README's and knows nothing of it, so it runs before main.
#include <anemone/model.hpp>
#include <anemone/report/rule_report.hpp>

#include <cstdio>

using namespace ane;

namespace {

constexpr auto wide = graph([](auto& g) {
    auto image = g.input("image"_s, f16<1, 3, 64, 64>);
    g.output("y"_s, conv2d(image, g.weight("stem", f16<8, 3, 7, 14>)));
});

const bool refused = [] {
    const rule_report found = report(wide, h13);
    std::printf("%s", found.str().c_str());
    if (found.ok()) {
        __builtin_trap(); // the test of this program is that it ends well
    }
    return true;
}();

} // namespace
