// The sampling unit's operations on both backends, against the definitions of ONNX and PyTorch in double precision.

#include "../both_backends.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace both;

namespace {

const ane::backend::oracle m4{h16};

constexpr sampling_grid grids[] = {sampling_grid::half_pixel, sampling_grid::align_corners, sampling_grid::asymmetric};
constexpr sampling_border borders[] = {sampling_border::zero, sampling_border::edge, sampling_border::reflect};
constexpr sampling_method methods[] = {sampling_method::nearest, sampling_method::bilinear};

/// Largest difference to a function of the place; an infinity or a NaN that is not wanted is infinitely far.
template <class Wanted> double farthest(const dense& got, const Wanted& wanted) {
    double most = 0;
    got.each([&](const place& at) {
        const double off = std::fabs(wide(got(at)) - wanted(at));
        most = std::isnan(off) ? infinite : std::max(most, off);
    });
    return most;
}

/// Half a unit in the last place of numbers up to 3, and the error of fp16 weights, products and sums.
constexpr double one_rounding = 0x1p-10 + 1e-6;
constexpr double engine_steps = 3.0 / 128;

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
std::int64_t held(std::int64_t i, std::int64_t n) { return std::clamp<std::int64_t>(i, 0, n - 1); }

/// The coordinate of a resized axis as a fraction.
struct fraction {
    std::int64_t above;
    std::int64_t below;
};
fraction coordinate(sampling_grid grid, std::int64_t i, std::int64_t in, std::int64_t out) {
    switch (grid) {
    case sampling_grid::half_pixel: return {(2 * i + 1) * in - out, 2 * out};
    case sampling_grid::align_corners: return {out > 1 ? i * (in - 1) : 0, out > 1 ? out - 1 : 1};
    default: return {i * in, out};
    }
}

/// PyTorch's and ONNX's resize of one element.
double resized(const dense& x, const sampling& s, const place& at) {
    const std::int64_t h = x.shape[2];
    const std::int64_t w = x.shape[3];
    const fraction y = coordinate(s.grid, at[2], h, s.extent.height);
    const fraction z = coordinate(s.grid, at[3], w, s.extent.width);
    if (s.method == sampling_method::nearest) {
        const auto nearest = [&s](const fraction& f, std::int64_t n) { // round half down: ceil(c - 1/2)
            const std::int64_t i = s.grid == sampling_grid::asymmetric ? floor_of(f.above, f.below)
                                                                       : -floor_of(f.below - 2 * f.above, 2 * f.below);
            return held(i, n);
        };
        return wide(x({at[0], at[1], nearest(y, h), nearest(z, w)}));
    }
    const auto number = [](const fraction& f) { return static_cast<double>(f.above) / static_cast<double>(f.below); };
    const double row = std::clamp(number(y), 0.0, static_cast<double>(h - 1));
    const double column = std::clamp(number(z), 0.0, static_cast<double>(w - 1));
    double sum = 0;
    for (std::int64_t i = 0; i < h; ++i) {
        for (std::int64_t j = 0; j < w; ++j) {
            const double weight = std::max(0.0, 1 - std::fabs(row - static_cast<double>(i))) *
                                  std::max(0.0, 1 - std::fabs(column - static_cast<double>(j)));
            sum += weight * wide(x({at[0], at[1], i, j}));
        }
    }
    return sum;
}

/// PyTorch's grid_sample of one element at a row and a column, with the border's rule.
double sampled(const dense& x, const sampling& s, std::int64_t n, std::int64_t c, double row, double column) {
    const auto moved = [&s](double v, std::int64_t extent) {
        const auto last = static_cast<double>(extent - 1);
        if (s.border == sampling_border::reflect) {
            const bool centres = s.grid == sampling_grid::align_corners;
            const double low = centres ? 0 : -0.5;
            const double high = centres ? last : last + 0.5;
            while (high > low && (v < low || v > high)) { // one mirror at a time
                v = v < low ? 2 * low - v : 2 * high - v;
            }
        }
        return s.border == sampling_border::zero ? v : std::clamp(v, 0.0, last);
    };
    const double y = moved(row, x.shape[2]);
    const double z = moved(column, x.shape[3]);
    const auto pixel = [&](double i, double j) {
        const auto a = static_cast<std::int64_t>(i);
        const auto b = static_cast<std::int64_t>(j);
        const bool inside = a >= 0 && a < x.shape[2] && b >= 0 && b < x.shape[3];
        return inside ? wide(x({n, c, a, b})) : 0.0;
    };
    if (s.method == sampling_method::nearest) {
        return pixel(std::nearbyint(y), std::nearbyint(z));
    }
    const double i = std::floor(y);
    const double j = std::floor(z);
    const double up = y - i;
    const double right = z - j;
    return (1 - up) * ((1 - right) * pixel(i, j) + right * pixel(i, j + 1)) +
           up * ((1 - right) * pixel(i + 1, j) + right * pixel(i + 1, j + 1));
}

} // namespace

TEST_CASE("resize: every method and grid against PyTorch's and ONNX's definition, random extents") {
    constexpr unsigned seed = 41;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 25; ++round) {
        CAPTURE(round);
        const extents shape{1 + below(random, 2), 1 + below(random, 3), 1 + below(random, 9), 1 + below(random, 9)};
        const dense x = random_tensor(random, shape);
        for (const sampling_method method : methods) {
            for (const sampling_grid grid : grids) {
                const sampling s{
                    .extent = {1 + below(random, 14), 1 + below(random, 14)}, .method = method, .grid = grid};
                CAPTURE(name(method));
                CAPTURE(name(grid));
                const auto wanted = [&](const place& at) { return resized(x, s, at); };
                const bool moves = method == sampling_method::nearest;
                CHECK(farthest(one(plain, op::resize, s, {x}), wanted) <= (moves ? 0 : one_rounding));
                CHECK(farthest(one(m1, op::resize, s, {x}), wanted) <= (moves ? 0 : engine_steps));
                CHECK(farthest(one(m6, op::resize, s, {x}), wanted) <= (moves ? 0 : engine_steps));
            }
        }
    }
}

TEST_CASE("resize: published examples") {
    const dense x = tensor_of({1, 1, 2, 2}, {1, 2, 3, 4});
    const dense halves = tensor_of({1, 1, 4, 4}, {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, //
                                                  2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
    CHECK(unequal_bits(one(plain, op::resize, sampling{.extent = 4}, {x}), halves).empty());
    CHECK(unequal_bits(one(m4, op::resize, sampling{.extent = 4}, {x}), halves).empty()); // all steps are exact
    CHECK(unequal_bits(one(m1, op::resize, sampling{.extent = 4}, {x}), halves).empty());
    const dense corners = one(plain, op::resize, sampling{.extent = 4, .grid = sampling_grid::align_corners}, {x});
    CHECK(farthest(corners, [](const place& at) {
              return 1 + 2 * static_cast<double>(at[2]) / 3 + static_cast<double>(at[3]) / 3;
          }) < 0.002);
    for (const sampling_grid grid : {sampling_grid::half_pixel, sampling_grid::asymmetric}) { // blocks of copies
        const sampling s{.extent = {4, 6}, .method = sampling_method::nearest, .grid = grid};
        const dense blocks = one(m6, op::resize, s, {x});
        CHECK(farthest(blocks, [&](const place& at) { return wide(x({0, 0, at[2] / 2, at[3] / 3})); }) == 0);
    }
    // Every other pixel: ONNX takes the lower one of two equally near, the asymmetric grid starts at the first.
    const dense row = tensor_of({1, 1, 1, 4}, {1, 2, 3, 4});
    for (const sampling_grid grid : {sampling_grid::half_pixel, sampling_grid::asymmetric}) {
        const sampling s{.extent = {1, 2}, .method = sampling_method::nearest, .grid = grid};
        CHECK(unequal_bits(one(plain, op::resize, s, {row}), tensor_of({1, 1, 1, 2}, {1, 3})).empty());
    }
}

TEST_CASE("resize to the same extents changes no bit") {
    dense x({1, 1, 256, 256});
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        x.values[i] = half::from_bits(static_cast<std::uint16_t>(i));
    }
    dense entered = x; // N080
    for (half& h : entered.values) {
        h = is_nan(h) ? half::from_bits(0x7C00) : h;
    }
    for (const sampling_method method : methods) {
        for (const sampling_grid grid : grids) {
            const sampling s{.extent = 256, .method = method, .grid = grid};
            CHECK(unequal_bits(one(plain, op::resize, s, {x}), x).empty());
            CHECK(unequal_bits(one(m1, op::resize, s, {x}), entered).empty());
        }
    }
}

TEST_CASE("resize: an infinity does not reach pixels that have no share of it") {
    const dense x = tensor_of({1, 1, 1, 3}, {1, infinite, 2});
    const sampling s{.extent = {1, 5}, .grid = sampling_grid::align_corners}; // at 0, 1/2, 1, 3/2, 2
    const dense wanted = tensor_of({1, 1, 1, 5}, {1, infinite, infinite, infinite, 2});
    CHECK(unequal_bits(one(plain, op::resize, s, {x}), wanted).empty());
    const dense on_engine = one(m6, op::resize, s, {x}); // where an infinity may be 2^16 to a multiplier
    for (const std::size_t pixel : {0U, 2U, 4U}) {
        CHECK(on_engine.values[pixel].bits == wanted.values[pixel].bits);
    }
}

TEST_CASE("resize: without a sampling unit it is a convolution, with its ceiling") {
    const dense x = tensor_of({1, 1, 1, 2}, {40000, 40000});
    const sampling s{.extent = {1, 4}};
    CHECK(
        unequal_bits(one(m1, op::resize, s, {x}), tensor_of({1, 1, 1, 4}, {40000, infinite, infinite, 40000})).empty());
    CHECK(unequal_bits(one(m4, op::resize, s, {x}), tensor_of({1, 1, 1, 4}, {40000, 40000, 40000, 40000})).empty());
    // 3/4 of 2^-14 is below what one product keeps there, and a subnormal is nothing to the multiplier of M1.
    const dense small = tensor_of({1, 1, 1, 2}, {0x1p-20, 0});
    CHECK(unequal_bits(one(m1, op::resize, s, {small}), tensor_of({1, 1, 1, 4}, {0x1p-20, 0, 0, 0})).empty());
    CHECK(unequal_bits(one(m4, op::resize, s, {small}),
                       tensor_of({1, 1, 1, 4}, {0x1p-20, 0.75 * 0x1p-20, 0.25 * 0x1p-20, 0}))
              .empty());
}

TEST_CASE("crop_resize: the box of the whole image is a resize") {
    constexpr unsigned seed = 42;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 10; ++round) {
        const extents shape{1, 2, 2 + below(random, 7), 2 + below(random, 7)};
        const dense x = random_tensor(random, shape);
        for (const sampling_method method : methods) {
            for (const sampling_grid grid : grids) {
                CAPTURE(round);
                CAPTURE(name(grid));
                const int less = grid == sampling_grid::align_corners ? 1 : 0;
                const sampling s{.extent = {1 + below(random, 9), 1 + below(random, 9)},
                                 .method = method,
                                 .grid = grid,
                                 .border = sampling_border::edge};
                const dense whole = tensor_of(
                    {1, 4}, {0, 0, static_cast<double>(shape[2] - less), static_cast<double>(shape[3] - less)});
                CHECK(unequal_bits(one(plain, op::crop_resize, s, {x, whole}), one(plain, op::resize, s, {x})).empty());
                CHECK(unequal_bits(one(m6, op::crop_resize, s, {x, whole}), one(m6, op::resize, s, {x})).empty());
            }
        }
    }
}

TEST_CASE("crop_resize: boxes of a plane are points of the plane, box r in image r or in the only one") {
    // x[n, c, h, w] = 8 n + 4 c + h - w / 2 is linear: between pixels the value is the formula's.
    const auto ramp = [](const extents& shape) {
        dense x(shape);
        x.each([&](const place& at) {
            x(at) = half(8.0 * static_cast<double>(at[0]) + 4.0 * static_cast<double>(at[1]) +
                         static_cast<double>(at[2]) - 0.5 * static_cast<double>(at[3]));
        });
        return x;
    };
    const dense boxes = tensor_of({2, 4}, {1, 0.5, 4, 6.5, 3, 2, 2, 5}); // y1, x1, y2, x2; the second one upside down
    for (const std::int64_t images : {1, 2}) {
        const dense x = ramp({images, 2, 6, 8});
        for (const sampling_grid grid : grids) {
            const sampling s{.extent = {4, 3}, .grid = grid, .border = sampling_border::edge};
            const auto wanted = [&](const place& at) {
                const auto along = [&](int first, std::int64_t i, double count) {
                    const double begin = wide(boxes({at[0], first}));
                    const double length = wide(boxes({at[0], first + 2})) - begin;
                    const auto index = static_cast<double>(i);
                    return grid == sampling_grid::half_pixel      ? begin + (index + 0.5) * length / count - 0.5
                           : grid == sampling_grid::align_corners ? begin + index * length / (count - 1)
                                                                  : begin + index * length / count;
                };
                return (images == 2 ? 8.0 * static_cast<double>(at[0]) : 0.0) + 4.0 * static_cast<double>(at[1]) +
                       along(0, at[2], 4) - 0.5 * along(1, at[3], 3);
            };
            CHECK(farthest(one(plain, op::crop_resize, s, {x, boxes}), wanted) < 0.01);
            CHECK(farthest(one(m6, op::crop_resize, s, {x, boxes}), wanted) < 0.1);
        }
    }
}

TEST_CASE("resample: every method and border against PyTorch's grid_sample, random coordinates") {
    constexpr unsigned seed = 43;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 20; ++round) {
        CAPTURE(round);
        const extents shape{2, 1 + below(random, 3), 1 + below(random, 6), 1 + below(random, 6)};
        const dense x = random_tensor(random, shape);
        const extents place_of{1 + below(random, 2), 2, 1 + below(random, 4), 1 + below(random, 5)};
        dense at_pixels = random_tensor(random, place_of, -9, 14);
        for (std::size_t i = 0; i < at_pixels.values.size(); i += 3) { // some on pixels, some half way between two
            at_pixels.values[i] = half(std::round(2 * wide(at_pixels.values[i])) / 2);
        }
        for (const sampling_method method : methods) {
            for (const sampling_border border : borders) {
                CAPTURE(name(method));
                CAPTURE(name(border));
                const sampling s{.extent = {static_cast<int>(place_of[2]), static_cast<int>(place_of[3])},
                                 .method = method,
                                 .border = border};
                const auto wanted = [&](const place& at) {
                    const std::int64_t n = place_of[0] == 1 ? 0 : at[0];
                    return sampled(x, s, at[0], at[1], wide(at_pixels({n, 0, at[2], at[3]})),
                                   wide(at_pixels({n, 1, at[2], at[3]})));
                };
                const bool moves = method == sampling_method::nearest;
                CHECK(farthest(one(plain, op::resample, s, {x, at_pixels}), wanted) <= (moves ? 0 : one_rounding));
                CHECK(farthest(one(m6, op::resample, s, {x, at_pixels}), wanted) <= (moves ? 0 : engine_steps));
                if (moves && border == sampling_border::zero) {
                    const dense picked = one(plain, op::gather_hw, no_attributes{}, {x, at_pixels});
                    CHECK(farthest(picked, wanted) == 0);
                    CHECK(unequal_bits(one(m6, op::gather_hw, no_attributes{}, {x, at_pixels}), picked).empty());
                }
            }
        }
    }
}

TEST_CASE("resample: one channel of coordinates is a warp along the rows") {
    const dense x = tensor_of({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    const dense columns = tensor_of({1, 1, 2, 2}, {0.5, 2, 0, 1.25});
    const dense wanted = tensor_of({1, 1, 2, 2}, {1.5, 3, 4, 5.25});
    CHECK(unequal_bits(one(plain, op::resample, sampling{.extent = 2}, {x, columns}), wanted).empty());
    CHECK(unequal_bits(one(m6, op::resample, sampling{.extent = 2}, {x, columns}), wanted).empty());
}

TEST_CASE("coordinates that are infinite or no number read a pixel of the image or zero") {
    const dense x = tensor_of({1, 1, 1, 3}, {1, 2, 3});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const dense columns = tensor_of({1, 1, 1, 5}, {infinite, -infinite, nan, 65504, -65504});
    for (const sampling_method method : methods) {
        const auto with = [&](sampling_border border, const auto& where) {
            return one(where, op::resample, sampling{.extent = {1, 5}, .method = method, .border = border},
                       {x, columns});
        };
        for (const bool engine : {false, true}) {
            const auto run_with = [&](sampling_border b) { return engine ? with(b, m6) : with(b, plain); };
            CHECK(unequal_bits(run_with(sampling_border::zero), tensor_of({1, 1, 1, 5}, {0, 0, 0, 0, 0})).empty());
            // The engine reads a NaN as +infinity (N080).
            const dense edge = tensor_of({1, 1, 1, 5}, {3, 1, engine ? 3.0 : 1.0, 3, 1});
            CHECK(unequal_bits(run_with(sampling_border::edge), edge).empty());
            const dense mirrored = run_with(sampling_border::reflect);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(wide(mirrored.values[i]) == 1);
            }
            // From edge to edge three pixels are walked to and fro: 65504 = 10917 * 6 + 2, and its negative one less.
            CHECK(wide(mirrored.values[3]) == 3);
            CHECK(wide(mirrored.values[4]) == 2);
        }
    }
    dense boxes({1, 4});
    dense matrix({1, 6});
    for (const unsigned bits : {0x7C00U, 0xFC00U, 0x7E00U, 0x7BFFU}) {
        const half all = half::from_bits(static_cast<std::uint16_t>(bits));
        std::fill(boxes.values.begin(), boxes.values.end(), all);
        std::fill(matrix.values.begin(), matrix.values.end(), all);
        for (const sampling_grid grid : grids) {
            for (const sampling_border border : borders) {
                const sampling s{.extent = 3, .grid = grid, .border = border};
                const auto finite = [&](const dense& y) { return farthest(y, [](const place&) { return 2; }) <= 2; };
                CHECK(finite(one(plain, op::crop_resize, s, {x, boxes})));
                CHECK(finite(one(m6, op::crop_resize, s, {x, boxes})));
                CHECK(finite(one(plain, op::affine, s, {x, matrix})));
                CHECK(finite(one(m6, op::affine, s, {x, matrix})));
            }
        }
    }
}

TEST_CASE("affine: against PyTorch's affine_grid and grid_sample, random matrices") {
    constexpr unsigned seed = 44;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 15; ++round) {
        CAPTURE(round);
        const extents shape{2, 1 + below(random, 3), 2 + below(random, 6), 2 + below(random, 6)};
        const dense x = random_tensor(random, shape);
        const dense matrix = random_tensor(random, {1 + below(random, 2), 6}, -1.5, 1.5);
        for (const bool corners : {false, true}) {
            for (const sampling_border border : borders) {
                const sampling s{.extent = {1 + below(random, 6), 2 + below(random, 6)},
                                 .grid = corners ? sampling_grid::align_corners : sampling_grid::half_pixel,
                                 .border = border};
                CAPTURE(corners);
                CAPTURE(name(border));
                const auto wanted = [&](const place& at) {
                    const auto normal = [&](std::int64_t i,
                                            int n) { // torch.linspace(-1, 1, n), scaled where not corners
                        if (n == 1 && corners) {
                            return 0.0;
                        }
                        const auto index = static_cast<double>(i);
                        return corners ? -1 + 2 * index / (n - 1) : (-1 + 2 * index / (n - 1)) * (n - 1) / n;
                    };
                    const double v = s.extent.height == 1 ? 0 : normal(at[2], s.extent.height);
                    const double u = normal(at[3], s.extent.width);
                    const std::int64_t n = matrix.shape[0] == 1 ? 0 : at[0];
                    const auto row = [&](std::int64_t i) {
                        return wide(matrix({n, i})) * u + wide(matrix({n, i + 1})) * v + wide(matrix({n, i + 2}));
                    };
                    const auto pixel = [&](double normalised, std::int64_t extent) {
                        const auto e = static_cast<double>(extent);
                        return corners ? (normalised + 1) / 2 * (e - 1) : ((normalised + 1) * e - 1) / 2;
                    };
                    return sampled(x, s, at[0], at[1], pixel(row(3), x.shape[2]), pixel(row(0), x.shape[3]));
                };
                CHECK(farthest(one(plain, op::affine, s, {x, matrix}), wanted) <= one_rounding);
                // fp16 coordinates up to about 16 are off by 2^-8 at most, times the step between pixels
                CHECK(farthest(one(m6, op::affine, s, {x, matrix}), wanted) <= engine_steps + 12 * 0x1p-8);
            }
        }
    }
}

TEST_CASE("affine: the identity and mirrors move pixels and round nothing") {
    constexpr unsigned seed = 45;
    CAPTURE(seed);
    random_engine random(seed);
    const dense x = random_tensor(random, {1, 2, 5, 7}, -1000, 1000);
    const dense identity = tensor_of({1, 6}, {1, 0, 0, 0, 1, 0});
    const dense mirror = tensor_of({1, 6}, {-1, 0, 0, 0, 1, 0});
    for (const sampling_method method : methods) {
        for (const sampling_grid grid : grids) {
            CAPTURE(name(grid));
            const sampling s{.extent = {5, 7}, .method = method, .grid = grid};
            CHECK(unequal_bits(one(plain, op::affine, s, {x, identity}), x).empty());
            CHECK(unequal_bits(one(m6, op::affine, s, {x, identity}), x).empty());
            if (grid != sampling_grid::asymmetric) {
                const auto turned = [&](const place& at) { return wide(x({0, at[1], at[2], 6 - at[3]})); };
                CHECK(farthest(one(plain, op::affine, s, {x, mirror}), turned) == 0);
                CHECK(farthest(one(m6, op::affine, s, {x, mirror}), turned) == 0);
            }
        }
    }
}
