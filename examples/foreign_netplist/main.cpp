/// A netplist as another tool writes it: read, checked against the M1, run on the CPU; and one that cannot be read, with
/// everything that is in the way.
#include <anemone/anemone.hpp>
#include <anemone/readers/plist.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

/// What the file says: x sigmoid(x), plus 3, halved, between 0 and 2.
double expected(double x) { return std::clamp((x / (1 + std::exp(-x)) + 3) * 0.5, 0.0, 2.0); }

int main() {
    const std::string path = ANEMONE_EXAMPLE_DATA "/net.plist";
    const ane::read_model read = ane::read_netplist_file(path);
    fmt::print("{}\n", ane::print(read.graph));
    ane::report(read.graph, ane::h13).print();

    const ane::ndarray<ane::shape<1, 4, 1, 2>> x{-4, -1, -0.5, 0, 0.5, 1, 2, 6};
    std::vector<ane::half> y(8);
    const std::array inputs{std::as_bytes(x.elements())};
    const std::array outputs{std::as_writable_bytes(std::span(y))};
    ane::compile(read.graph, ane::backend::cpu{}, read.weights).run(inputs, outputs);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        worst = std::max(worst, std::abs(float(y[i]) - expected(float(x.elements()[i]))));
    }
    fmt::print("largest error {:.1e}\n\n", worst);

    // The same file with a curve that nobody has published, and a real where fp16 bits belong.
    ane::formats::plist_value document = ane::readers::load_plist(path);
    auto& network = *(*document.get_if<ane::formats::plist_dict>())["network_gate"].get_if<ane::formats::plist_dict>();
    const auto params = [&](const char* unit) -> ane::formats::plist_dict& {
        return *(*network[unit].get_if<ane::formats::plist_dict>())["Params"].get_if<ane::formats::plist_dict>();
    };
    params("gate")["Type"] = "Degamma";
    params("bound")["ReluMax"] = 2.0;
    params("shift")["BiasScalar"] = 3.0;
    std::size_t faults = 0;
    try {
        ane::read_netplist(ane::netplist{document, {}});
    } catch (const ane::unreadable& refused) {
        faults = refused.faults().size();
        fmt::print("{}\n", refused.what());
    }
    return worst < 1e-2 && faults == 3 ? 0 : 1;
}
