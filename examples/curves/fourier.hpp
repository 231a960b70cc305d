#pragma once

#include "curve.hpp"
#include "engine.hpp"

#include <fmt/format.h>

#include <numbers>

/// The discrete Fourier transform as a matrix product, and as a fast transform in stages.
namespace curves {

struct complex_halves {
    std::vector<ane::half> re, im;
};
struct complex_doubles {
    std::vector<double> re, im;
};

/// cos and sin of -2 pi k n / N, row k, column n.
inline complex_doubles fourier_matrix(std::int64_t size) {
    complex_doubles w;
    for (std::int64_t k = 0; k < size; ++k) {
        for (std::int64_t n = 0; n < size; ++n) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(k * n % size) / static_cast<double>(size);
            w.re.push_back(std::cos(angle));
            w.im.push_back(std::sin(angle));
        }
    }
    return w;
}

/// The transform of the columns of a size x columns matrix: four products and two sums on the engine, as the guide
/// writes it (Scientific), or in double.
inline complex_halves transform(const ane::numerics::datapath& path, std::int64_t size, std::int64_t columns,
                                const complex_halves& x) {
    const complex_doubles w = fourier_matrix(size);
    const std::vector<ane::half> re = to_halves(w.re), im = to_halves(w.im);
    const auto product = [&](const std::vector<ane::half>& a, const std::vector<ane::half>& b) {
        return on_engine(path, ane::op::matmul, ane::transposed{}, {{{size, size}, a}, {{size, columns}, b}});
    };
    const auto rr = product(re, x.re), ii = product(im, x.im), ri = product(re, x.im), ir = product(im, x.re);
    return {on_engine(path, ane::op::sub, rr, ii), on_engine(path, ane::op::add, ri, ir)};
}
inline complex_doubles transform(std::int64_t size, std::int64_t columns, const complex_doubles& x) {
    const complex_doubles w = fourier_matrix(size);
    complex_doubles y{std::vector<double>(x.re.size()), std::vector<double>(x.re.size())};
    for (std::int64_t k = 0; k < size; ++k) {
        for (std::int64_t n = 0; n < size; ++n) {
            const auto at = static_cast<std::size_t>(k * size + n);
            for (std::int64_t j = 0; j < columns; ++j) {
                const auto in = static_cast<std::size_t>(n * columns + j),
                           out = static_cast<std::size_t>(k * columns + j);
                y.re[out] += w.re[at] * x.re[in] - w.im[at] * x.im[in];
                y.im[out] += w.re[at] * x.im[in] + w.im[at] * x.re[in];
            }
        }
    }
    return y;
}

inline double relative_error(const complex_halves& got, const complex_doubles& exact) {
    std::vector<ane::half> all = got.re;
    all.insert(all.end(), got.im.begin(), got.im.end());
    std::vector<double> wanted = exact.re;
    wanted.insert(wanted.end(), exact.im.begin(), exact.im.end());
    return relative_error(all, wanted);
}

enum class signal : std::uint8_t { real_unrounded, real_fp16, complex_fp16 };

/// Error of the transform as one product. The reference's matrix is exact; its signal is exact or the fp16 one.
inline double dft_error(const ane::numerics::datapath& path, std::int64_t size, std::int64_t columns, signal kind) {
    random_source random(3);
    complex_doubles x{random.normals(size * columns), random.normals(size * columns)};
    if (kind != signal::complex_fp16) {
        x.im.assign(x.im.size(), 0);
    }
    const complex_halves x16{to_halves(x.re), to_halves(x.im)};
    if (kind != signal::real_unrounded) {
        x = {to_doubles(x16.re), to_doubles(x16.im)};
    }
    return relative_error(transform(path, size, columns, x16), transform(size, columns, x));
}

/// Error of a transform of side x side points in two stages of products with a multiplication by exp(-2 pi i j k / N)
/// between them; the rows of the stages are the columns of `transform`. The reference's signal is exact.
inline double staged_error(const ane::numerics::datapath& path, std::int64_t side) {
    random_source random(5);
    const std::int64_t points = side * side;
    complex_doubles x{random.normals(points), random.normals(points)};
    complex_halves y{to_halves(x.re), to_halves(x.im)};
    x = transform(side, side, x);
    y = transform(path, side, side, y);
    complex_doubles turned = x;
    complex_halves transposed16 = y;
    complex_halves turn = y;
    for (std::int64_t k = 0; k < side; ++k) {
        for (std::int64_t j = 0; j < side; ++j) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(k * j) / static_cast<double>(points);
            const double c = std::cos(angle), s = std::sin(angle);
            const auto from = static_cast<std::size_t>(k * side + j), to = static_cast<std::size_t>(j * side + k);
            turned.re[to] = x.re[from] * c - x.im[from] * s;
            turned.im[to] = x.re[from] * s + x.im[from] * c;
            turn.re[to] = ane::half(c);
            turn.im[to] = ane::half(s);
            transposed16.re[to] = y.re[from];
            transposed16.im[to] = y.im[from];
        }
    }
    const auto times = [&](const std::vector<ane::half>& a, const std::vector<ane::half>& b) {
        return on_engine(path, ane::op::mul, a, b);
    };
    const complex_halves turned16{
        on_engine(path, ane::op::sub, times(transposed16.re, turn.re), times(transposed16.im, turn.im)),
        on_engine(path, ane::op::add, times(transposed16.re, turn.im), times(transposed16.im, turn.re))};
    return relative_error(transform(path, side, side, turned16), transform(side, side, turned));
}

inline result fourier_curve(effort e) {
    const ane::numerics::datapath m1 = ane::numerics::datapath_of(ane::family::a13);
    const ane::numerics::datapath m5 = ane::numerics::datapath_of(ane::family::a17);
    const std::int64_t columns = 4, largest = e == effort::full ? 1024 : 256; // the error hardly depends on the size
    result r;
    ane::plot_series whole{"model: one product, complex signal given in fp16 (M1)", ane::plot_style::line, {}};
    ane::plot_series real{"model: one product, real signal given in fp16 (M5)", ane::plot_style::line, {}};
    ane::plot_series staged{"model: two stages, complex signal (M5)", ane::plot_style::line, {}};
    ane::plot_series published{
        "published: DFT of 1024 points (N183); product and staged transform (N193, N not stated)",
        ane::plot_style::rings,
        {{1024, 0.00035}, {1024, 2.5e-4}, {1024, 5e-4}, {1024, 8e-4}}};
    for (std::int64_t size = 64; size <= largest; size *= 4) {
        whole.points.emplace_back(size, dft_error(m1, size, columns, signal::complex_fp16));
        real.points.emplace_back(size, dft_error(m5, size, columns, signal::real_fp16));
    }
    for (const std::int64_t side : {8, 16, 32}) {
        staged.points.emplace_back(side * side, staged_error(m5, side));
    }
    const double unrounded = dft_error(m1, largest, columns, signal::real_unrounded);
    r.rows = {{"DFT of 1024 points", 0.00035, whole.points.back().second, 1.1, "N183 M1 Max", "measured"},
              {"DFT as a product", 2.5e-4, real.points.back().second, 1.1, "N193 M5", "measured"},
              {"staged FFT, the smaller", 5e-4, staged.points.front().second, 1.25, "N193 M5", "measured"},
              {"staged FFT, the larger", 8e-4, staged.points.back().second, 1.4, "N193 M5", "measured"}};
    r.notes = {
        "Inputs: normal signals of deviation 1 (not published; the error does not depend on the deviation while sums "
        "stay below 2^15).",
        fmt::format("Whether the signal is complex, and whether the reference has its fp16 values, is not published: "
                    "{} points give {:.3g} (complex, fp16), {:.3g} (real, fp16), {:.3g} (real, unrounded).",
                    largest, whole.points.back().second, real.points.back().second, unrounded),
        "Factor 1.1: three independent roundings of 2.1e-4 each make the figure, and there is no other freedom.",
        "The staged figures are a range without sizes and stages: two stages of products give values inside it for 64 "
        "to 1024 points, a radix-2 transform of elementwise steps up to twice the upper end."};
    r.figure = {.title = "Relative error of a discrete Fourier transform",
                .note = "fp16 matrix and signal, one rounding of each sum; stages add roundings",
                .x = {.label = "points", .ticks = {64, 256, 1024}},
                .y = {.label = "relative error"},
                .series = {whole, real, staged, published}};
    return r;
}

} // namespace curves
