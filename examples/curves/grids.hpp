#pragma once

#include "curve.hpp"
#include "engine.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <span>
#include <string>
#include <utility>

/// Fixed numbers of steps in one graph: a five-point stencil and a Jacobi solver.
namespace curves {

/// `Steps` steps u' = centre u + side (north + south + east + west) on a Size x Size grid, zeros outside.
template <int Size, int Steps> ane::dynamic_graph stencil_graph(float centre, float side) {
    return ane::build_graph([=](auto& g) {
        using namespace ane::literals;
        auto u = g.input("u"_s, ane::f16<1, 1, Size, Size>);
        auto kernel = g.constant(ane::f16<1, 1, 3, 3>, {0, side, 0, side, centre, side, 0, side, 0});
        for (int i = 0; i < Steps; ++i) {
            u = conv2d<ane::conv{.padding = ane::same}>(u, kernel);
        }
        g.output("later"_s, u);
    });
}

enum class field : std::uint8_t { normal, half_wave };

template <int Size> std::vector<double> start_of(field f) {
    random_source random(1);
    std::vector<double> u;
    for (int i = 0; i < Size; ++i) {
        for (int j = 0; j < Size; ++j) {
            const double wave = std::numbers::pi / (Size + 1);
            u.push_back(f == field::normal ? random.normal() : std::sin(wave * (i + 1)) * std::sin(wave * (j + 1)));
        }
    }
    return u;
}

/// Relative error after `Steps` steps of heat conduction, centre = 1 - 4 side, against the same steps in double.
template <int Size, int Steps> double stencil_error(ane::target generation, double side, field f) {
    const double centre = 1 - 4 * side;
    const ane::dynamic_graph graph = stencil_graph<Size, Steps>(static_cast<float>(centre), static_cast<float>(side));
    auto program = ane::compile(graph, ane::backend::oracle{generation}, ane::weight_store{});
    std::vector<double> u = start_of<Size>(f);
    const std::vector<ane::half> u16 = to_halves(u);
    std::vector<ane::half> later(u16.size());
    const std::array<std::span<const std::byte>, 1> inputs{std::as_bytes(std::span(u16))};
    const std::array<std::span<std::byte>, 1> outputs{std::as_writable_bytes(std::span(later))};
    program.run(inputs, outputs);
    std::vector<double> next(u.size());
    for (int step = 0; step < Steps; ++step) {
        const auto at = [&](std::int64_t i, std::int64_t j) {
            return i < 0 || j < 0 || i >= Size || j >= Size ? 0.0 : u[static_cast<std::size_t>(i * Size + j)];
        };
        for (std::int64_t i = 0; i < Size; ++i) {
            for (std::int64_t j = 0; j < Size; ++j) {
                next[static_cast<std::size_t>(i * Size + j)] =
                    centre * at(i, j) + side * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
            }
        }
        std::swap(u, next);
    }
    return relative_error(later, u);
}

/// Relative error of `cycles` steps x' = b - D^-1 R x from x = 0, for n unknowns: the rows of D^-1 R are normal with
/// Euclidean length `coupling`, b is normal.
inline double jacobi_error(const ane::numerics::datapath& path, std::int64_t n, int cycles, double coupling) {
    random_source random(2);
    std::vector<double> matrix = random.normals(n * n, coupling / std::sqrt(static_cast<double>(n)));
    for (std::int64_t i = 0; i < n; ++i) {
        matrix[static_cast<std::size_t>(i * n + i)] = 0;
    }
    const std::vector<double> b = random.normals(n);
    const std::vector<ane::half> matrix16 = to_halves(matrix), b16 = to_halves(b);
    std::vector<double> x(b.size()), product(b.size());
    std::vector<ane::half> x16(b.size());
    for (int cycle = 0; cycle < cycles; ++cycle) {
        x16 = on_engine(path, ane::op::sub, b16,
                        on_engine(path, ane::op::matmul, ane::transposed{}, {{{n, n}, matrix16}, {{n, 1}, x16}}));
        for (std::size_t i = 0; i < x.size(); ++i) {
            product[i] = 0;
            for (std::size_t j = 0; j < x.size(); ++j) {
                product[i] += matrix[i * x.size() + j] * x[j];
            }
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = b[i] - product[i];
        }
    }
    return relative_error(x16, x);
}

inline result stencil_curve(effort e) {
    result r;
    ane::plot_series normal{"model: normal field", ane::plot_style::line, {}};
    ane::plot_series wave{"model: half a sine wave", ane::plot_style::dashed, {}};
    const bool full = e == effort::full;
    double chosen = 0, least = 1, most = 0;
    for (const double side : full ? std::vector{0.05, 0.1, 0.125, 0.15, 0.2, 0.24} : std::vector{0.1, 0.2}) {
        const double small = full ? stencil_error<64, 32>(ane::h13g, side, field::normal)
                                  : stencil_error<32, 32>(ane::h13g, side, field::normal);
        normal.points.emplace_back(side, full && side == 0.1 ? stencil_error<256, 32>(ane::h13g, side, field::normal)
                                                             : small);
        wave.points.emplace_back(side, full ? stencil_error<64, 32>(ane::h13g, side, field::half_wave)
                                            : stencil_error<32, 32>(ane::h13g, side, field::half_wave));
        chosen = side == 0.1 ? normal.points.back().second : chosen;
        least = std::min({least, normal.points.back().second, wave.points.back().second});
        most = std::max({most, normal.points.back().second, wave.points.back().second});
    }
    r.rows = {{"five-point stencil, 32 steps", 0.00146, chosen, 1.25, "N184 M1 Max", "measured"}};
    r.notes = {
        "Grid 256 x 256 (guide chapter 10), zeros outside. Coefficients and field are not published: 0.1 for each "
        "neighbour, 0.6 for the centre, a normal field.",
        fmt::format(
            "It matters: the choices drawn give {:.2g} to {:.2g}. Where the fp16 coefficients do not add up to one "
            "(0.2, 0.05) the error is theirs, 32 times.",
            least, most),
        "Factor 1.25: the figure is one field of one choice; the factor covers the smaller grids (64 x 64) of the others."};
    r.figure = {.title = "Relative error of 32 steps of a five-point stencil",
                .note = "u' = (1 - 4 c) u + c (north + south + east + west), M1's arithmetic",
                .x = {.label = "c", .logarithmic = false, .ticks = {0.05, 0.1, 0.15, 0.2, 0.25}},
                .y = {.label = "relative error"},
                .series = {normal,
                           wave,
                           {"published: M1 Max (N184); drawn at c = 0.1, which is not published",
                            ane::plot_style::rings,
                            {{0.1, 0.00146}}}}};
    return r;
}

inline result jacobi_curve(effort e) {
    const ane::numerics::datapath m1 = ane::numerics::datapath_of(ane::family::a13);
    result r;
    ane::plot_series model{"model: 512 unknowns, 25 cycles", ane::plot_style::line, {}};
    double chosen = 0;
    for (const double coupling : {0.1, 0.3, 0.5, 0.7, 0.9}) {
        model.points.emplace_back(coupling, jacobi_error(m1, e == effort::full ? 512 : 128, 25, coupling));
        chosen = coupling == 0.5 ? model.points.back().second : chosen;
    }
    r.rows = {{"Jacobi, 512 unknowns, 25 cycles", 0.0004, chosen, 1.25, "N185 M1 Max", "measured"}};
    r.notes = {
        "The system is not published: rows of D^-1 R normal, of length 0.5 (each cycle halves the error), right-hand "
        "side normal.",
        fmt::format("It hardly matters while the system is well conditioned: {:.2g} at 0.1, {:.2g} at 0.7, {:.2g} at "
                    "0.9. After 25 cycles the error is that of one product and one sum.",
                    model.points[0].second, model.points[3].second, model.points[4].second),
        "Factor 1.25: the published figure has one digit."};
    r.figure = {
        .title = "Relative error of 25 Jacobi cycles",
        .note = "x' = b - D^-1 R x, 512 unknowns, M1's arithmetic",
        .x = {.label = "length of the rows of D^-1 R", .logarithmic = false, .ticks = {0.1, 0.3, 0.5, 0.7, 0.9}},
        .y = {.label = "relative error", .ticks = {2e-4, 5e-4, 1e-3}},
        .series = {model,
                   {"published: M1 Max (N185); drawn at 0.5, which is not published",
                    ane::plot_style::rings,
                    {{0.5, 0.0004}}}}};
    return r;
}

} // namespace curves
