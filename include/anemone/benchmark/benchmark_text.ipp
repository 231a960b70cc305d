#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../report/plot.hpp"
#include "benchmark.hpp"
#include "machine_limits.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace ane::detail::inline ANEMONE_WAY {

/// "0.0821": four digits.
ANEMONE_INLINE std::string in_milliseconds(double seconds) {
    const double ms = seconds * 1e3;
    const int digits = ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : 4;
    return formatted("{:.{}f}", ms, digits);
}

/// The row of a table that a model and a layer have in common: rates, and the part of the ceiling that they reach.
ANEMONE_INLINE std::string rates_text(double flops, double bytes, double seconds,
                                      const std::optional<machine_limits>& limits) {
    std::string text = formatted("{:>9.2f} {:>8.2f} {:>8.1f}", flops / seconds * 1e-9, bytes / seconds * 1e-9,
                                 bytes > 0 ? flops / bytes : 0);
    if (limits) {
        // Where nothing is computed, the ceiling is the bandwidth.
        const double ceiling =
            flops > 0 ? limits->attainable(flops, bytes) / flops : limits->reads_of(bytes).bandwidth / bytes;
        const bool computes = flops > 0 && limits->attainable(flops, bytes) >= limits->peak;
        text += formatted(" {:>6.1f} %  {}", 100 / (seconds * ceiling),
                          computes ? "multiply-adds" : limits->reads_of(bytes).level);
    }
    return text;
}

ANEMONE_INLINE std::string rates_heading(const std::optional<machine_limits>& limits) {
    return formatted("{:>9} {:>8} {:>8}{}", "GFLOP/s", "GB/s", "FLOP/B", limits ? "  of the ceiling" : "");
}

ANEMONE_INLINE std::string run_text(const benchmark_result& result, const benchmark_run& run) {
    const benchmark_times& t = run.times;
    std::string text = formatted("\n{}: compiled in {} ms, first run {} ms\n", run.backend,
                                 in_milliseconds(run.compile), in_milliseconds(run.first));
    text += formatted("  {} ms a run (least {}, quartiles {} and {}, 99 % {}; {} runs)\n", in_milliseconds(t.median),
                      in_milliseconds(t.least), in_milliseconds(t.first_quartile), in_milliseconds(t.third_quartile),
                      in_milliseconds(t.percentile_99), t.runs);
    std::size_t width = 5;
    for (const benchmark_layer& layer : run.layers) {
        width = std::max(width, layer.name.size());
    }
    text += formatted("  {:<{}} {:>9} {:>8} {}\n", "", width, "ms", "share", rates_heading(result.limits));
    text += formatted("  {:<{}} {:>9} {:>8} {}\n", "whole", width, in_milliseconds(t.median), "",
                      rates_text(result.flops, result.bytes, t.median, result.limits));
    const double all = run.layer_seconds();
    for (const benchmark_layer& layer : run.layers) {
        if (!layer.not_timed.empty()) {
            text += formatted("  {:<{}} {:>9} {}\n", layer.name, width, "-", layer.not_timed);
            continue;
        }
        text += formatted("  {:<{}} {:>9} {:>6.1f} % {}\n", layer.name, width, in_milliseconds(layer.times.median),
                          100 * layer.times.median / all,
                          rates_text(layer.flops, layer.bytes, layer.times.median, result.limits));
    }
    if (!run.layers.empty()) {
        text += formatted("  the layers one by one take {} ms, {:.0f} % of the whole\n", in_milliseconds(all),
                          100 * all / t.median);
    }
    return text;
}

ANEMONE_INLINE std::string csv_field(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
    }
    return quoted + '"';
}

ANEMONE_INLINE std::string csv_times(const benchmark_times& t) {
    return formatted("{:.6g},{:.6g},{:.6g},{:.6g},{}", t.least, t.first_quartile, t.median, t.third_quartile, t.runs);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string benchmark_result::text() const {
    std::string text =
        formatted("{} a run, {} of ports and weights\n", detail::scaled(flops, "FLOP"), detail::scaled(bytes, "B"));
    if (limits) {
        text += "this machine, " + limits->line() + "\n";
    }
    for (const benchmark_run& run : runs) {
        text += detail::run_text(*this, run);
    }
    for (std::size_t i = 1; i < runs.size(); ++i) {
        text += formatted("{}{} takes {:.2f} times as long as {}\n", i == 1 ? "\n" : "", runs[i].backend,
                          runs[i].times.median / runs[0].times.median, runs[0].backend);
    }
    return text;
}

ANEMONE_BODY_OF std::string benchmark_result::csv() const {
    std::string text = "backend,layer,flops,bytes,compile_seconds,first_seconds,least_seconds,first_quartile_seconds,"
                       "median_seconds,third_quartile_seconds,runs,not_timed\n";
    for (const benchmark_run& run : runs) {
        text += formatted("{},,{},{},{:.6g},{:.6g},{},\n", detail::csv_field(run.backend), flops, bytes, run.compile,
                          run.first, detail::csv_times(run.times));
        for (const benchmark_layer& layer : run.layers) {
            text +=
                formatted("{},{},{},{},,,{},{}\n", detail::csv_field(run.backend), detail::csv_field(layer.name),
                          layer.flops, layer.bytes, detail::csv_times(layer.times), detail::csv_field(layer.not_timed));
        }
    }
    return text;
}

ANEMONE_BODY_OF std::string benchmark_result::svg() const {
    if (!limits) {
        throw error(errc::argument, "roofline", "the machine was not measured");
    }
    plot drawn;
    drawn.title = "Layers under the ceilings of this machine";
    drawn.note = limits->line();
    drawn.x.label = "FLOP/byte";
    drawn.y.label = "GFLOP/s";
    double least = limits->peak / limits->reads.front().bandwidth;
    double most = limits->peak / limits->reads.back().bandwidth;
    for (const benchmark_run& run : runs) {
        plot_series& points = drawn.series.emplace_back();
        points.label = run.backend;
        points.style = plot_style::dots;
        const auto add = [&](double work, double moved, double seconds) {
            if (work > 0 && moved > 0 && seconds > 0) {
                least = std::min(least, work / moved);
                most = std::max(most, work / moved);
                points.points.emplace_back(work / moved, work / seconds * 1e-9);
            }
        };
        for (const benchmark_layer& layer : run.layers) {
            add(layer.flops, layer.bytes, layer.times.median);
        }
        if (run.layers.empty()) {
            add(flops, bytes, run.times.median);
        }
    }
    if (std::all_of(drawn.series.begin(), drawn.series.end(), [](const plot_series& s) { return s.points.empty(); })) {
        throw error(errc::argument, "roofline", "no layer was timed that computes anything");
    }
    for (const read_rate& rate : limits->reads) {
        const double ridge = limits->peak / rate.bandwidth;
        const double from = std::min(least, ridge) / 2;
        drawn.series.push_back({rate.level,
                                plot_style::dashed,
                                {{from, from * rate.bandwidth * 1e-9},
                                 {ridge, limits->peak * 1e-9},
                                 {std::max(2 * most, ridge), limits->peak * 1e-9}}});
    }
    return draw_plot(drawn);
}

} // namespace ane::inline ANEMONE_WAY
