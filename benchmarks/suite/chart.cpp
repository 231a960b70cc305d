#include "summary.hpp"
#include <anemone/base/error.hpp>
#include <anemone/report/plot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace suite {

std::string chart(const std::vector<record>& records, int threads) {
    ane::plot drawn;
    drawn.title =
        fmt::format("Workloads under the ceilings of this machine, {} thread{}", threads, threads == 1 ? "" : "s");
    drawn.note = "FLOP of the direct methods; ours moves fp16, peers fp32. A point above the peak is Winograd's.";
    drawn.x.label = "FLOP/byte";
    drawn.y.label = "GFLOP/s";
    double least = 1;
    double most = 1;
    for (const record& r : records) {
        if (r.found.threads != threads || r.found.rounds.empty() || r.flops <= 0 || r.bytes <= 0) {
            continue;
        }
        const auto same = [&](const ane::plot_series& s) { return s.label == r.found.contender; };
        auto found = std::find_if(drawn.series.begin(), drawn.series.end(), same);
        if (found == drawn.series.end()) {
            drawn.series.push_back({r.found.contender, ane::plot_style::dots, {}});
            found = drawn.series.end() - 1;
        }
        const double intensity = r.flops / r.bytes / (r.found.ours ? 1 : 2);
        least = std::min(least, intensity);
        most = std::max(most, intensity);
        found->points.emplace_back(intensity, r.flops / r.found.least * 1e-9);
    }
    if (drawn.series.empty()) {
        throw ane::error(ane::errc::argument, "--svg", "nothing was timed");
    }
    if (const auto limits = limits_of(records, threads)) {
        for (const ane::read_rate& rate : limits->reads) {
            const double ridge = limits->peak / rate.bandwidth;
            const double from = std::min(least, ridge) / 2;
            drawn.series.push_back({rate.level,
                                    ane::plot_style::dashed,
                                    {{from, from * rate.bandwidth * 1e-9},
                                     {ridge, limits->peak * 1e-9},
                                     {std::max(most * 2, ridge), limits->peak * 1e-9}}});
        }
    }
    return ane::draw_plot(drawn);
}

} // namespace suite
