/// The published points of the engine's accuracy against the model of its arithmetic, each as a table and a plot.
///
///     example_curves [--quick] [--svg folder] [name ...]
#include "encoder.hpp"
#include "fourier.hpp"
#include "grids.hpp"
#include "matmul.hpp"
#include "overflow.hpp"
#include <anemone/io/file.hpp>
#include <anemone/report/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>

namespace {

struct curve {
    std::string_view name;
    curves::result (*run)(curves::effort);
};

constexpr curve all_curves[] = {{"matmul", curves::matmul_curve},   {"fourier", curves::fourier_curve},
                                {"stencil", curves::stencil_curve}, {"jacobi", curves::jacobi_curve},
                                {"encoder", curves::encoder_curve}, {"sticky", curves::sticky_curve},
                                {"slice", curves::slice_curve},     {"loss_scale", curves::loss_scale_curve}};

struct options {
    curves::effort effort = curves::effort::full;
    std::string folder;
    std::vector<std::string> names;
};

options parse(int count, char** arguments) {
    options o;
    for (int i = 1; i < count; ++i) {
        const std::string text = arguments[i];
        if (text == "--quick") {
            o.effort = curves::effort::quick;
        } else if (text == "--svg" && i + 1 < count) {
            o.folder = arguments[++i];
        } else if (std::any_of(std::begin(all_curves), std::end(all_curves),
                               [&](const curve& c) { return c.name == text; })) {
            o.names.push_back(text);
        } else {
            std::string known;
            for (const curve& c : all_curves) {
                known += " " + std::string(c.name);
            }
            throw ane::error(ane::errc::argument, text, "is neither --quick, --svg with a folder, nor one of" + known);
        }
    }
    return o;
}

std::string shown(double value) {
    return std::isinf(value) ? (value < 0 ? "-inf" : "inf") : fmt::format("{:.4g}", value);
}

/// Prints the table; the number of rows that the model does not hold.
int print(const curve& c, const curves::result& r, double seconds) {
    fmt::print("{} ({:.1f} s)\n  {:<34} {:>10} {:>10} {:>6}  {:<9} {}\n", c.name, seconds, "", "published", "model",
               "ratio", "mark", "source");
    int missed = 0;
    for (const curves::row& row : r.rows) {
        const bool has_ratio = std::isfinite(row.published) && row.published != 0;
        fmt::print("  {:<34} {:>10} {:>10} {:>6}  {:<9} {}{}\n", row.what, shown(row.published), shown(row.model),
                   has_ratio ? fmt::format("{:.2f}", row.ratio()) : "", row.mark, row.source,
                   row.held() ? "" : fmt::format("  NOT within a factor of {}", row.factor));
        missed += row.held() ? 0 : 1;
    }
    for (const std::string& note : r.notes) {
        fmt::print("  - {}\n", note);
    }
    fmt::print("\n");
    return missed;
}

} // namespace

int main(int count, char** arguments) {
    try {
        const options o = parse(count, arguments);
        int missed = 0;
        for (const curve& c : all_curves) {
            if (!o.names.empty() && std::find(o.names.begin(), o.names.end(), c.name) == o.names.end()) {
                continue;
            }
            const bool terminal = ane::detail::wants_colour(stderr);
            if (terminal) {
                fmt::print(stderr, "\r{} ...", c.name);
            }
            const auto start = std::chrono::steady_clock::now();
            const curves::result r = c.run(o.effort);
            if (terminal) {
                fmt::print(stderr, "\r{:30}\r", "");
            }
            missed += print(c, r, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            if (!o.folder.empty()) {
                const std::filesystem::path file =
                    std::filesystem::path(o.folder) / fmt::format("curve_{}.svg", c.name);
                ane::write_file(file, ane::draw_plot(r.figure));
            }
        }
        return missed == 0 ? 0 : 1;
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
