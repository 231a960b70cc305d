#include "run_memory.hpp"

#include "option_faults.hpp"
#include "reading.hpp"
#include <anemone/analysis/arena.hpp>
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace app {

double run_memory(const ane::graph_view& model, kept_values kept) {
    std::vector<bool> depends; // on an input
    double ports = 0;
    double constants = 0;
    double values = 0;
    for (int i = 0; i < model.size(); ++i) {
        const ane::node& n = model[i];
        bool is_computed = n.kind == ane::op::input;
        for (const int operand : model.operands(i)) {
            is_computed = is_computed || depends[static_cast<std::size_t>(operand)];
        }
        depends.push_back(is_computed);
        const auto bytes = static_cast<double>(ane::bytes(n.type, n.shape.count()));
        (is_computed ? values : constants) += bytes;
        if (n.kind == ane::op::input) {
            ports += bytes + static_cast<double>(sizeof(double)) * static_cast<double>(n.shape.count());
        }
    }
    for (const ane::output_port& out : model.outputs) {
        const ane::node& n = model[out.node];
        ports += static_cast<double>(ane::bytes(n.type, n.shape.count())) +
                 static_cast<double>(sizeof(double)) * static_cast<double>(n.shape.count());
    }
    const double held = kept == kept_values::live ? static_cast<double>(ane::plan_arena(model).bytes)
                                                  : values * (kept == kept_values::twice ? 2 : 1);
    return ports + constants + held;
}

void require_run_memory(const ane::graph_view& model, kept_values kept, std::uint64_t most, const caller& who) {
    const double needed = run_memory(model, kept);
    if (needed > static_cast<double>(most)) {
        throw ane::error(
            ane::errc::argument, spelled(&reading_options::max_memory, who.by),
            fmt::format("the values of the model take {:.0f} bytes, allowed are {}; give smaller shapes or "
                        "a larger limit",
                        needed, most));
    }
}

} // namespace app
