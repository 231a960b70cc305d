// Windows, scans and the netplist's own layers on both backends, against their definitions in double precision.

#include "../../sanitized.hpp"
#include "../both_backends.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/weights/fold_constants.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace both;

namespace {

using function_of_place = std::function<double(const place&)>;

/// Half a unit in the last place and what fp32 adds.
bool is_rounded(half got, double wanted) {
    return std::fabs(wide(got) - wanted) <= 0.5001 * std::max(std::fabs(wanted) * 0x1p-10, 0x1p-24) + 1e-6;
}

/// The CPU's result is the formula's, rounded once; both generations of the oracle are within `relative` and
/// `absolute`.
void check(op kind, const attributes& a, const std::vector<dense>& operands, const function_of_place& wanted,
           double relative, double absolute) {
    CAPTURE(name(kind));
    const dense on_cpu = one(plain, kind, a, operands);
    const dense on_m1 = one(m1, kind, a, operands);
    const dense on_m6 = one(m6, kind, a, operands);
    std::size_t wrong = 0;
    on_cpu.each([&](const place& at) {
        const double w = wanted(at);
        wrong += !is_rounded(on_cpu(at), w);
        for (const dense* engine : {&on_m1, &on_m6}) {
            wrong += !(std::fabs(wide((*engine)(at)) - w) <= relative * std::fabs(w) + absolute);
        }
    });
    CHECK(wrong == 0);
}

/// The elements of x that lie under one window, and how many places it has on the padded input.
struct window_view {
    std::vector<double> values;
    double places = 0;
};
window_view under(const dense& x, const pool& p, const place& at) {
    window_view r;
    for (std::int64_t i = 0; i < p.kernel.height; ++i) {
        for (std::int64_t j = 0; j < p.kernel.width; ++j) {
            const std::int64_t y = at[2] * p.stride.height + i - p.padding.top;
            const std::int64_t z = at[3] * p.stride.width + j - p.padding.left;
            if (y >= 0 && y < x.shape[2] && z >= 0 && z < x.shape[3]) {
                r.values.push_back(wide(x({at[0], at[1], y, z})));
            }
            r.places += 1;
        }
    }
    return r;
}

} // namespace

TEST_CASE("windows: largest, mean and length by their definitions, random windows, padding and ceil_mode") {
    constexpr unsigned seed = 51;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        const dense x = random_tensor(random, {2, 2, 3 + below(random, 8), 3 + below(random, 8)});
        pool p{.kernel = {1 + below(random, 3), 1 + below(random, 3)},
               .stride = {1 + below(random, 3), 1 + below(random, 3)}};
        p.padding = {below(random, p.kernel.height), below(random, p.kernel.height), below(random, p.kernel.width),
                     below(random, p.kernel.width)};
        p.ceil_mode = below(random, 2) == 1;
        p.exclude_padding = below(random, 2) == 1;
        const auto largest = [&](const place& at) {
            const auto w = under(x, p, at).values;
            return *std::max_element(w.begin(), w.end());
        };
        const auto length = [&](const place& at) {
            double sum = 0;
            for (const double v : under(x, p, at).values) {
                sum += v * v;
            }
            return std::sqrt(sum);
        };
        const auto mean = [&](const place& at) {
            const window_view w = under(x, p, at);
            double sum = 0;
            for (const double v : w.values) {
                sum += v;
            }
            return sum / (p.exclude_padding ? static_cast<double>(w.values.size()) : w.places);
        };
        check(op::max_pool, p, {x}, largest, 0, 0);
        check(op::l2_pool, p, {x}, length, 0.004, 0.002);
        check(op::avg_pool, p, {x}, mean, 0.002, 0.005);
    }
}

TEST_CASE("windows: a mean counts all of a window that ceil_mode adds") {
    // The last of two windows holds one element of three; the engine divides it by two, PyTorch by one.
    const dense x = tensor_of({1, 1, 1, 3}, {2, 4, 8});
    const pool p{.kernel = {1, 2}, .ceil_mode = true};
    const pool resolved{.kernel = {1, 2}, .stride = {1, 2}, .ceil_mode = true};
    CHECK(resolve(p, x.shape) == resolved);
    CHECK(unequal_bits(one(plain, op::avg_pool, resolved, {x}), tensor_of({1, 1, 1, 2}, {3, 4})).empty());
    CHECK(unequal_bits(one(m6, op::avg_pool, resolved, {x}), tensor_of({1, 1, 1, 2}, {3, 4})).empty());
}

TEST_CASE("l2_pool: squares overflow in fp16, not in the field") {
    const dense x = tensor_of({1, 1, 1, 4}, {300, 400, -3, 4});
    const pool p{.kernel = {1, 2}, .stride = {1, 2}};
    CHECK(unequal_bits(one(plain, op::l2_pool, p, {x}), tensor_of({1, 1, 1, 2}, {500, 5})).empty());
    CHECK(unequal_bits(one(m6, op::l2_pool, p, {x}), tensor_of({1, 1, 1, 2}, {infinite, 5})).empty());
}

TEST_CASE("local_response_norm by ONNX's definition, random shapes and numbers") {
    constexpr unsigned seed = 52;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 30; ++round) {
        CAPTURE(round);
        const extents shape =
            round % 2 == 0 ? extents{2, 1 + below(random, 9), 3, 2} : extents{1, 1 + below(random, 9), 4};
        const dense x = random_tensor(random, shape);
        const auto fp16 = [&random](double low, double high) {
            return static_cast<float>(half(uniform(random, low, high)));
        };
        const response_norm_shape how{1 + below(random, 7), fp16(0, 2), fp16(0.2, 1.2), fp16(0.5, 2)};
        const auto wanted = [&](const place& at) {
            double sum = 0;
            for (std::int64_t c = 0; c < shape[1]; ++c) {
                const double back = std::floor((how.size - 1) / 2.0);
                const double forward = std::ceil((how.size - 1) / 2.0);
                const auto distance = static_cast<double>(c - at[1]);
                place near = at;
                near[1] = c;
                sum += distance >= -back && distance <= forward ? wide(x(near)) * wide(x(near)) : 0;
            }
            const auto number = [](float f) { return static_cast<double>(f); };
            return wide(x(at)) / std::pow(number(how.k) + number(how.alpha) / how.size * sum, number(how.beta));
        };
        check(op::local_response_norm, how, {x}, wanted, 0.004, 0.0005);
    }
    // With ONNX's defaults a channel hardly changes.
    const dense one_channel = tensor_of({1, 1, 2}, {1, -2});
    check(
        op::local_response_norm, response_norm_shape{}, {one_channel},
        [&](const place& at) { return wide(one_channel(at)) / std::pow(1 + 2e-5 * (at[2] == 0 ? 1 : 4), 0.75); }, 0.001,
        0);
}

TEST_CASE("cumsum by ONNX's definition: every axis, exclusive and reverse") {
    constexpr unsigned seed = 53;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        const extents shape = random_shape(random, 4, 6);
        const dense x = random_tensor(random, shape);
        const cumulation how{below(random, shape.rank), below(random, 2) == 1, below(random, 2) == 1};
        CAPTURE(how.axis);
        CAPTURE(how.exclusive);
        CAPTURE(how.reverse);
        const auto wanted = [&](const place& at) {
            double sum = 0;
            const auto axis = static_cast<std::size_t>(how.axis);
            for (place from = at; true; from[axis] += how.reverse ? 1 : -1) {
                if (from[axis] < 0 || from[axis] >= shape[how.axis]) {
                    return sum;
                }
                sum += how.exclusive && from == at ? 0 : wide(x(from));
            }
        };
        check(op::cumsum, how, {x}, wanted, 0x1p-11, 1e-4);
    }
}

TEST_CASE("cumsum is a product with a triangle of ones, which the program gets as one constant") {
    composer c;
    c.output(c.add(op::cumsum, cumulation{.axis = -1}, {c.input({1, 2, 5})}));
    const lowered_graph lowered = lower(c.finish());
    CHECK_NOTHROW(validate(lowered.view()));
    const folded_constants constants = fold_constants(lowered.view(), {});
    int products = 0;
    for (int i = 0; i < lowered.view().size(); ++i) {
        const node& n = lowered.view()[i];
        products += n.kind == op::matmul ? 1 : 0;
        CHECK((constants.known(i) || n.kind == op::input || n.kind == op::matmul));
        if (n.kind == op::matmul) {
            const half* const triangle = constants.data(lowered.view().operands(i)[1]);
            for (std::int64_t k = 0; k < 25; ++k) {
                CHECK(wide(triangle[k]) == (k % 5 <= k / 5 ? 1 : 0));
            }
        }
    }
    CHECK(products == 1);
    // Beyond 2048 fp16 does not count in ones, but its whole numbers still grow by one at least.
    std::size_t wrong = 0;
    for (std::int64_t i = -ane::detail::whole_halves / 2; i < ane::detail::whole_halves / 2; ++i) {
        const float number = ane::detail::whole_half(i);
        wrong += static_cast<float>(half(number)) != number || ane::detail::whole_half(i + 1) - number < 1;
    }
    constexpr std::int64_t terms = sanitized ? 300 : 2100;
    dense ones({terms});
    std::fill(ones.values.begin(), ones.values.end(), half(1.0));
    const dense counted = one(m6, op::cumsum, cumulation{.axis = 0}, {ones});
    counted.each(
        [&](const place& at) { wrong += at[0] < 2048 && wide(counted(at)) != static_cast<double>(at[0] + 1); });
    CHECK(wrong == 0);
    CHECK(wide(counted({terms - 1})) == static_cast<double>(terms));
    composer longer;
    longer.output(longer.add(op::cumsum, cumulation{.axis = 0}, {longer.input({ane::detail::whole_halves + 1})}));
    CHECK_THROWS_AS(lower(longer.finish()), error);
    // The accumulator's ceiling is for good.
    const dense high = tensor_of({1, 3}, {20000, 20000, -20000});
    CHECK(
        unequal_bits(one(m6, op::cumsum, cumulation{.axis = 1}, {high}), tensor_of({1, 3}, {20000, infinite, infinite}))
            .empty());
    CHECK(unequal_bits(one(plain, op::cumsum, cumulation{.axis = 1}, {high}), tensor_of({1, 3}, {20000, 40000, 20000}))
              .empty());
}

TEST_CASE("scaled_elementwise is scale (a op b)") {
    constexpr unsigned seed = 54;
    CAPTURE(seed);
    random_engine random(seed);
    const dense a = random_tensor(random, {2, 3, 4});
    const dense b = random_tensor(random, {2, 3, 4});
    for (const scaled_function f :
         {scaled_function::add, scaled_function::mul, scaled_function::maximum, scaled_function::minimum}) {
        CAPTURE(name(f));
        const float scale = f == scaled_function::mul ? 1.0F : -1.5F;
        const auto wanted = [&](const place& at) {
            const double x = wide(a(at));
            const double y = wide(b(at));
            const double inner = f == scaled_function::add       ? x + y
                                 : f == scaled_function::mul     ? x * y
                                 : f == scaled_function::maximum ? std::max(x, y)
                                                                 : std::min(x, y);
            return static_cast<double>(scale) * inner;
        };
        check(op::scaled_elementwise, scaling{f, scale}, {a, b}, wanted, 0x1p-10, 1e-6);
    }
    const dense numbers = tensor_of({3}, {1, 2, 60000});
    const dense others = tensor_of({3}, {std::nan(""), 5, 60000});
    const dense largest =
        one(plain, op::scaled_elementwise, scaling{scaled_function::maximum, 0.5F}, {numbers, others});
    CHECK(is_nan(largest.values[0])); // as maximum has it in PyTorch
    CHECK(wide(largest.values[1]) == 2.5);
    // The sum overflows before the scale takes it back; not in fp32.
    const scaling halved{scaled_function::add, 0.5F};
    CHECK(wide(one(plain, op::scaled_elementwise, halved, {numbers, others}).values[2]) == 60000);
    CHECK(wide(one(m6, op::scaled_elementwise, halved, {numbers, others}).values[2]) != 60000);
}

TEST_CASE("cross_correlation: a template that is not turned, random sizes") {
    constexpr unsigned seed = 55;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 20; ++round) {
        CAPTURE(round);
        const dense t = random_tensor(random, {1, 1, 1 + below(random, 4), 1 + below(random, 4)});
        const dense x = random_tensor(random, {2, 1, t.shape[2] + below(random, 5), t.shape[3] + below(random, 5)});
        const auto wanted = [&](const place& at) {
            double sum = 0;
            t.each([&](const place& u) { sum += wide(t(u)) * wide(x({at[0], 0, at[2] + u[2], at[3] + u[3]})); });
            return sum;
        };
        check(op::cross_correlation, no_attributes{}, {x, t}, wanted, 0x1p-11, 2e-4);
    }
    const dense x = tensor_of({1, 1, 1, 3}, {200, 200, 100}); // 200 * 200 + ... beyond the ceiling of the accumulator
    const dense t = tensor_of({1, 1, 1, 2}, {200, -100});
    CHECK(unequal_bits(one(plain, op::cross_correlation, no_attributes{}, {x, t}),
                       tensor_of({1, 1, 1, 2}, {20000, 30000}))
              .empty());
    CHECK(unequal_bits(one(m6, op::cross_correlation, no_attributes{}, {x, t}),
                       tensor_of({1, 1, 1, 2}, {infinite, infinite}))
              .empty());
}

TEST_CASE("cross_product of vectors in the channels") {
    constexpr unsigned seed = 56;
    CAPTURE(seed);
    random_engine random(seed);
    const dense a = random_tensor(random, {20, 3, 1, 1});
    const dense b = random_tensor(random, {20, 3, 1, 1});
    const auto wanted = [&](const place& at) {
        const auto x = [&](std::int64_t i) { return wide(a({at[0], i % 3, 0, 0})); };
        const auto y = [&](std::int64_t i) { return wide(b({at[0], i % 3, 0, 0})); };
        return x(at[1] + 1) * y(at[1] + 2) - x(at[1] + 2) * y(at[1] + 1);
    };
    check(op::cross_product, no_attributes{}, {a, b}, wanted, 0x1p-11, 18 * 0x1p-11);
    const dense e1 = tensor_of({1, 3, 1, 1}, {1, 0, 0});
    const dense e2 = tensor_of({1, 3, 1, 1}, {0, 1, 0});
    for (const bool engine : {false, true}) {
        const dense e3 = engine ? one(m1, op::cross_product, no_attributes{}, {e1, e2})
                                : one(plain, op::cross_product, no_attributes{}, {e1, e2});
        CHECK(unequal_bits(e3, tensor_of({1, 3, 1, 1}, {0, 0, 1})).empty());
    }
}

TEST_CASE("cost_volume: one plane of distances for each disparity") {
    constexpr unsigned seed = 57;
    CAPTURE(seed);
    random_engine random(seed);
    for (const int planes : {1, 2, 5}) {
        const dense x = random_tensor(random, {2, 1, 3, 6});
        const dense reference = random_tensor(random, {2, 1, 3, 6 + planes - 1 + below(random, 3)});
        const auto wanted = [&](const place& at) {
            return std::fabs(wide(x({at[0], 0, at[2], at[3]})) - wide(reference({at[0], 0, at[2], at[3] + at[1]})));
        };
        check(op::cost_volume, item_count{planes}, {x, reference}, wanted, 0x1p-11, 1e-6);
    }
}

TEST_CASE("furthest_point_sampling: the first point, then always the one that is farthest from those chosen") {
    const auto points = [](std::initializer_list<double> coordinates) {
        return tensor_of({1, 3, 1, static_cast<std::int64_t>(coordinates.size()) / 3}, coordinates);
    };
    // On a line 0, 1, 2, 10, 6: the ends first, then the one half way, then of the equals 1 (1 from 0) and 2 ... the
    // farther.
    const dense line = points({0, 1, 2, 10, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    const dense chosen = points({0, 10, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(unequal_bits(one(plain, op::furthest_point_sampling, item_count{4}, {line}), chosen).empty());
    CHECK(unequal_bits(one(m1, op::furthest_point_sampling, item_count{4}, {line}), chosen).empty());
    // Of equals the first; a point with a NaN counts as near, on the engine as infinitely far (N080).
    const dense square = points({0, 3, 0, 3, std::nan(""), 0, 0, 3, 0, 0, 0, 0, 0, 0, 0});
    const dense first = points({0, 3, 0, 0, 0, 3, 0, 0, 0});
    CHECK(unequal_bits(one(plain, op::furthest_point_sampling, item_count{3}, {square}), first).empty());
    // Squares from 256 on are infinite on the engine, so 300 and 500 are equally far there.
    const dense far = points({0, 300, 500, 0, 0, 0, 0, 0, 0});
    CHECK(wide(one(plain, op::furthest_point_sampling, item_count{2}, {far}).values[1]) == 500);
    CHECK(wide(one(m6, op::furthest_point_sampling, item_count{2}, {far}).values[1]) == 300);

    constexpr unsigned seed = 58;
    CAPTURE(seed);
    random_engine random(seed);
    for (int round = 0; round < 20; ++round) {
        CAPTURE(round);
        const std::int64_t count = 5 + below(random, 30);
        dense cloud({1, 3, 1, count});
        for (half& h : cloud.values) {
            h = half(static_cast<double>(below(random, 60) - 30)); // squares and their sums are whole: both are exact
        }
        const int wanted_count = 2 + below(random, static_cast<int>(count) - 2);
        std::vector<std::int64_t> picked{0};
        const auto distance = [&](std::int64_t i, std::int64_t j) {
            double sum = 0;
            for (std::int64_t c = 0; c < 3; ++c) {
                sum += std::pow(wide(cloud({0, c, 0, i})) - wide(cloud({0, c, 0, j})), 2);
            }
            return sum;
        };
        while (static_cast<int>(picked.size()) < wanted_count) {
            std::int64_t best = 0;
            double most = -1;
            for (std::int64_t i = 0; i < count; ++i) {
                double nearest = infinite;
                for (const std::int64_t p : picked) {
                    nearest = std::min(nearest, distance(i, p));
                }
                if (nearest > most) {
                    most = nearest;
                    best = i;
                }
            }
            picked.push_back(best);
        }
        const dense got = one(plain, op::furthest_point_sampling, item_count{wanted_count}, {cloud});
        std::size_t wrong = 0;
        got.each([&](const place& at) {
            wrong += got(at).bits != cloud({0, at[1], 0, picked[static_cast<std::size_t>(at[3])]}).bits;
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("radius_search: flags of the points within the radius of each centroid, its rim included") {
    const auto flags = [](const auto& where, float radius, const dense& centroids, const dense& points) {
        composer c;
        const int found =
            c.add(op::radius_search, search_radius{radius}, {c.input(centroids.shape), c.input(points.shape)});
        c.output(c.add(op::cast, {found}));
        dynamic_graph g = c.finish();
        g.nodes[2].type = dtype::uint8;
        REQUIRE(g.nodes[2].kind == op::radius_search);
        return run(g, where, {centroids, points})[0];
    };
    const dense centroids = tensor_of({1, 3, 1, 2}, {0, 10, 0, 0, 0, 0});
    const dense points = tensor_of({1, 3, 1, 4}, {3, 3, 9, std::nan(""), 4, 4, 0, 0, 0, 0.5, 0, 0});
    const dense within_five = tensor_of({1, 1, 4, 2}, {1, 0, 0, 0, 0, 1, 0, 0});
    CHECK(unequal_bits(flags(plain, 5, centroids, points), within_five).empty());
    CHECK(unequal_bits(flags(m1, 5, centroids, points), within_five).empty());
    const dense at_zero = tensor_of({1, 1, 4, 2}, {0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(unequal_bits(flags(plain, 0, centroids, points), at_zero).empty());
    // A radius whose square is infinite in fp16 takes everything in.
    const dense everything = tensor_of({1, 1, 4, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
    CHECK(unequal_bits(flags(m6, 300, centroids, points), everything).empty());
}

TEST_CASE("no input makes a layer read or choose outside its operands") {
    constexpr unsigned seed = 59;
    CAPTURE(seed);
    random_engine random(seed);
    const auto wild = [&random](const extents& shape) {
        dense d(shape);
        for (half& h : d.values) {
            h = half::from_bits(static_cast<std::uint16_t>(random() & 0xFFFFU));
        }
        return d;
    };
    for (int round = 0; round < 10; ++round) {
        const auto everywhere = [](op kind, const attributes& a, const std::vector<dense>& operands) {
            CHECK_NOTHROW(one(plain, kind, a, operands));
            CHECK_NOTHROW(one(m1, kind, a, operands));
            CHECK_NOTHROW(one(m6, kind, a, operands));
        };
        everywhere(op::furthest_point_sampling, item_count{5}, {wild({1, 3, 1, 9})});
        everywhere(op::resample, sampling{.extent = 3, .border = sampling_border::reflect},
                   {wild({1, 1, 3, 3}), wild({1, 2, 3, 3})});
        everywhere(op::gather_hw, no_attributes{}, {wild({1, 1, 3, 3}), wild({1, 2, 3, 3})});
        everywhere(op::crop_resize, sampling{.extent = 3}, {wild({1, 1, 3, 3}), wild({2, 4})});
        everywhere(op::affine, sampling{.extent = 3}, {wild({1, 1, 3, 3}), wild({1, 6})});
        everywhere(op::local_response_norm, response_norm_shape{}, {wild({1, 4, 3})});
        everywhere(op::cross_product, no_attributes{}, {wild({2, 3, 1, 1}), wild({2, 3, 1, 1})});
        everywhere(op::cumsum, cumulation{.axis = 1}, {wild({2, 9})});
    }
}
