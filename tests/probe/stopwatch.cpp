#include "stopwatch.hpp"

#include "journal.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/passes/lowering.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace kit {
unwritten::unwritten(std::string_view what) {
    journal::instance().call(what);
    journal::instance().timing = true;
}
unwritten::~unwritten() {
    journal::instance().timing = false;
    journal::instance().answer(0);
}

std::string time_against_cost(const std::function<void()>& run, const ane::graph_view& model, ane::target chip) {
    std::array<double, 5> milliseconds{};
    {
        const unwritten now("(five runs that are timed)");
        for (double& each : milliseconds) {
            const auto began = std::chrono::steady_clock::now();
            run();
            each = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
        }
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto cost = ane::estimate(ane::lower(model).graph, chip).seconds;
    return fmt::format("time {:.4f} ms, median of 5 ({:.4f} to {:.4f}); cost {}", milliseconds[2], milliseconds.front(),
                       milliseconds.back(), cost ? fmt::format("{:.4f} ms", 1e3 * *cost) : "not known");
}

} // namespace kit
