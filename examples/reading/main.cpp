/// A model of another tool: read from MIL text, checked against the M1, run on the CPU. `example_reading model.mil`
/// takes any file; its inputs are then ramps from -1 to 1.
#include <anemone/anemone.hpp>
#include <anemone/fmt.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace {

/// A buffer for each port, and numbers in those of the inputs.
struct ports {
    std::vector<std::vector<std::byte>> inputs;
    std::vector<std::vector<std::byte>> outputs;

    explicit ports(const ane::graph_view& g) {
        for (const ane::node& n : g.nodes) {
            if (n.kind == ane::op::input) {
                inputs.emplace_back(static_cast<std::size_t>(ane::bytes(n.type, n.shape.count())));
                const auto halves =
                    std::span(reinterpret_cast<ane::half*>(inputs.back().data()), inputs.back().size() / 2);
                for (std::size_t i = 0; n.type == ane::dtype::f16 && i < halves.size(); ++i) {
                    halves[i] = ane::half(2.0 * static_cast<double>(i) / static_cast<double>(halves.size()) - 1);
                }
            }
        }
        for (const ane::output_port& port : g.outputs) {
            const ane::node& n = g.nodes[static_cast<std::size_t>(port.node)];
            outputs.emplace_back(static_cast<std::size_t>(ane::bytes(n.type, n.shape.count())));
        }
    }
};

} // namespace

int main(int count, char** arguments) {
    const bool own = count < 2;
    const std::string path = own ? ANEMONE_EXAMPLE_DATA "/classifier.mil" : arguments[1];
    try {
        const ane::read_model model = ane::read_mil_file(path);
        for (const std::string& note : model.notes) {
            fmt::print("note: {}\n", note);
        }
        ane::report(model.graph, ane::h13).print();

        auto program = ane::compile(model.graph, ane::backend::cpu{}, model.weights);
        ports data(model.graph);
        const std::vector<std::span<const std::byte>> inputs(data.inputs.begin(), data.inputs.end());
        const std::vector<std::span<std::byte>> outputs(data.outputs.begin(), data.outputs.end());
        program.run(inputs, outputs);

        const ane::graph_view g = model.graph;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const auto values =
                std::span(reinterpret_cast<const ane::half*>(data.outputs[i].data()), data.outputs[i].size() / 2);
            const auto shown = values.first(std::min<std::size_t>(values.size(), 8));
            fmt::print("{} = {}{}\n", g.name(g.outputs[i]), fmt::join(shown, " "),
                       shown.size() < values.size() ? " ..." : "");
            // A ramp changes four times as fast from row to row as within a row: more horizontal edges than vertical.
            if (own && !(static_cast<double>(values[0]) > 0.5 &&
                         std::abs(static_cast<double>(values[0]) + static_cast<double>(values[1]) - 1) < 0.01)) {
                return 1;
            }
        }
    } catch (const ane::unreadable& refused) { // all that is wrong with the file
        fmt::print("{}\n", refused.what());
        return 1;
    }
}
