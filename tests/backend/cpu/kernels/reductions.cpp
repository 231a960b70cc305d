#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/norm.hpp>
#include <anemone/backend/cpu/kernels/pool.hpp>
#include <anemone/backend/cpu/kernels/reduce.hpp>
#include <anemone/backend/cpu/kernels/softmax.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

extents random_extents() {
    extents shape;
    for (std::int64_t rank = between(1, 5); rank > 0; --rank) {
        shape.append(between(1, 7));
    }
    return shape;
}

/// Half an ulp of fp16 plus an absolute error.
bool close(half result, double expected, double absolute) {
    return std::abs(wide(result) - expected) <= 0.501 * std::max(std::abs(expected) * 0x1p-10, 0x1p-24) + absolute;
}

} // namespace

TEST_CASE("pooling against the definition, random shapes") {
    for (int round = 0; round < 200; ++round) {
        cpu::pool_shape s{between(1, 2),     between(1, 3), between(1, 14), between(1, 40), 0, 0,
                          between(1, 4),     between(1, 4), between(1, 3),  between(1, 3),  0, 0,
                          between(0, 1) == 1};
        s.pad_top = between(0, s.kernel_height - 1);
        s.pad_left = between(0, s.kernel_width - 1);
        s.out_height = between(1, (s.in_height + s.pad_top) / s.stride_height + 1);
        s.out_width = between(1, (s.in_width + s.pad_left) / s.stride_width + 1);
        const auto x = random_halves(s.batch * s.channels * s.in_height * s.in_width);
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> most(static_cast<std::size_t>(s.batch * s.channels * s.out_height * s.out_width));
            std::vector<half> mean(most.size());
            std::vector<half> length(most.size());
            cpu::pool(table, op::max_pool, s, x.data(), most.data());
            cpu::pool(table, op::avg_pool, s, x.data(), mean.data());
            cpu::pool(table, op::l2_pool, s, x.data(), length.data());
            std::size_t wrong = 0;
            std::size_t at = 0;
            for (std::int64_t c = 0; c < s.batch * s.channels; ++c)
                for (std::int64_t oy = 0; oy < s.out_height; ++oy)
                    for (std::int64_t ox = 0; ox < s.out_width; ++ox, ++at) {
                        double sum = 0;
                        double magnitude = 0;
                        double largest = -std::numeric_limits<double>::infinity();
                        double covered = 0;
                        double squares = 0;
                        for (std::int64_t i = 0; i < s.kernel_height; ++i)
                            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                                const std::int64_t y = oy * s.stride_height + i - s.pad_top;
                                const std::int64_t z = ox * s.stride_width + j - s.pad_left;
                                if (y < 0 || y >= s.in_height || z < 0 || z >= s.in_width)
                                    continue;
                                const double v =
                                    wide(x[static_cast<std::size_t>((c * s.in_height + y) * s.in_width + z)]);
                                sum += v;
                                magnitude += std::abs(v);
                                squares += v * v;
                                largest = std::max(largest, v);
                                covered += 1;
                            }
                        const double area =
                            s.exclude_padding ? covered : static_cast<double>(s.kernel_height * s.kernel_width);
                        wrong += !close(length[at], std::sqrt(squares), std::sqrt(squares) * 0x1p-20);
                        wrong += wide(most[at]) != largest;
                        wrong +=
                            area == 0 ? !is_nan(mean[at]) : !close(mean[at], sum / area, magnitude / area * 0x1p-20);
                    }
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE("pooling: padding counts or not, NaN wins, operations are checked") {
    const cpu::pool_shape s{1, 1, 1, 3, 1, 2, 1, 3, 1, 2, 0, 1, false};
    cpu::pool_shape excluding = s;
    excluding.exclude_padding = true;
    at_each_level([&](const cpu::kernel_table& table) {
        const half x[] = {half(-3), half(-6), half(-9)};
        half out[2];
        cpu::pool(table, op::avg_pool, s, x, out);
        CHECK(wide(out[0]) == -3);
        CHECK(wide(out[1]) == -5);
        cpu::pool(table, op::avg_pool, excluding, x, out);
        CHECK(wide(out[0]) == -4.5);
        CHECK(wide(out[1]) == -7.5);
        cpu::pool(table, op::max_pool, s, x, out);
        CHECK(wide(out[0]) == -3);
        CHECK(wide(out[1]) == -6);
        const half with_nan[] = {half(1), not_a_number, infinity};
        cpu::pool(table, op::max_pool, s, with_nan, out);
        CHECK(is_nan(out[0]));
        CHECK(is_nan(out[1]));
        CHECK_THROWS_AS(cpu::pool(table, op::relu, s, x, out), error);
        cpu::pool_shape bad = s;
        bad.stride_width = 0;
        CHECK_THROWS_AS(cpu::pool(table, op::max_pool, bad, x, out), error);
    });
}

namespace {

/// How far a softmax may be from its definition, relatively and before it is rounded to fp16. A power is off by 2^-18.4
/// (power_of_units), and so is the mean of them that they are divided by: 2^-17.4 together. The exponent is a multiple of
/// log2 e, whose fp32 is off by 2^-26, and is rounded once, by 2^-24: a quarter more than 2^-24 for each unit of the
/// distance from the largest, of the power and of the mean. A sum of fp32 is off by 2^-24 for each addition, a division
/// and a product by as much each.
double softmax_error(double distance, double mean_distance, std::int64_t count) {
    return std::exp2(-17.4) + (1.25 * (distance + mean_distance) + static_cast<double>(count + 2)) * 0x1p-24;
}

} // namespace

TEST_CASE("softmax: a power is within 2^-18.4 of the exponential of its exponent, for all that fp16 has") {
    // Each of many halves as a row's largest element, and everything from 0 to -64 below it: each pair has an exponent of its
    // own in fp32, down to -100.
    constexpr float unit = 0x1p23F * 1.44269504F;
    std::vector<std::vector<float>> first_level;
    at_each_level([&](const cpu::kernel_table& table) {
        std::vector<std::vector<float>> powers;
        for (unsigned largest = 0; largest < 0x4C00; largest += 0x1C3) { // 0 to 16
            const half most = half::from_bits(static_cast<std::uint16_t>(largest));
            std::vector<half> x{most};
            for (unsigned bits = 0x8000; bits <= 0xD400; ++bits) { // 0 to -64
                x.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
            }
            const auto count = static_cast<std::int64_t>(x.size());
            std::vector<half> out(x.size());
            std::vector<float> wide_row(static_cast<std::size_t>(cpu::detail::row_scratch_bytes(count)) /
                                        sizeof(float));
            table.norms.softmax(x.data(), out.data(), 1, count, wide_row.data());
            double worst = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const float exponent = std::max(
                    std::fma(static_cast<float>(x[i]), unit, -static_cast<float>(most) * unit), -100 * 0x1p23F);
                const double exact = std::exp2(static_cast<double>(exponent) * 0x1p-23);
                worst = std::max(worst, std::abs(static_cast<double>(wide_row[i]) / exact - 1));
            }
            CHECK(worst < std::exp2(-18.4));
            CHECK(worst > 0x1p-19); // else the bound says too little
            wide_row.resize(x.size());
            powers.push_back(std::move(wide_row));
        }
        first_level = first_level.empty() ? powers : first_level;
        CHECK(powers == first_level);
    });
}

TEST_CASE("softmax along any axis: definition, sum one, shift invariance of the extremes") {
    for (int round = 0; round < 150; ++round) {
        const extents shape = random_extents();
        const int axis = static_cast<int>(between(-shape.rank, shape.rank - 1));
        const auto view = cpu::detail::view_of_axis(shape, axis);
        const auto x = random_halves(shape.count());
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> out(x.size());
            cpu::softmax(table, x.data(), shape, axis, out.data());
            std::size_t wrong = 0;
            for (std::int64_t o = 0; o < view.outer; ++o)
                for (std::int64_t i = 0; i < view.inner; ++i) {
                    const auto at = [&](std::int64_t t) {
                        return static_cast<std::size_t>((o * view.count + t) * view.inner + i);
                    };
                    double most = wide(x[at(0)]);
                    for (std::int64_t t = 0; t < view.count; ++t)
                        most = std::max(most, wide(x[at(t)]));
                    double total = 0;
                    double mean_distance = 0;
                    for (std::int64_t t = 0; t < view.count; ++t) {
                        const double distance = most - wide(x[at(t)]);
                        total += std::exp(-distance);
                        mean_distance += std::exp(-distance) * distance;
                    }
                    mean_distance /= total;
                    for (std::int64_t t = 0; t < view.count; ++t) {
                        const double distance = most - wide(x[at(t)]);
                        const double expected = std::exp(-distance) / total;
                        const double error = softmax_error(distance, mean_distance, view.count);
                        wrong += !close(out[at(t)], expected, expected * error);
                    }
                }
            CHECK(wrong == 0);
        });
    }
    at_each_level([&](const cpu::kernel_table& table) {
        half out[3];
        const half large[] = {half(65504), half(65504), half(-65504)};
        cpu::softmax(table, large, {3}, 0, out);
        CHECK(wide(out[0]) == 0.5);
        CHECK(wide(out[2]) == 0);
        const half masked[] = {half(1), -infinity, half(1)};
        cpu::softmax(table, masked, {3}, 0, out);
        CHECK(wide(out[0]) == 0.5);
        CHECK(wide(out[1]) == 0);
        const half nothing[] = {-infinity, -infinity, -infinity};
        cpu::softmax(table, nothing, {3}, 0, out);
        CHECK(is_nan(out[1]));
        const half poisoned[] = {half(1), not_a_number, half(1)};
        cpu::softmax(table, poisoned, {3}, 0, out);
        CHECK(is_nan(out[0]));
        CHECK_THROWS_AS(cpu::softmax(table, large, {3}, 1, out), error);
    });
}

TEST_CASE("layer_norm against two passes in double") {
    for (int round = 0; round < 60; ++round) {
        const std::int64_t rows = between(1, 4);
        const std::int64_t count = between(1, 300);
        auto x = random_halves(rows * count);
        const auto gamma = random_halves(count);
        const auto beta = random_halves(count);
        for (half& value : x)
            value = half(wide(value) + 20); // a mean that a one-pass variance would lose
        const float epsilon = 1e-3F;
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> out(x.size());
            std::vector<half> plain(x.size());
            cpu::layer_norm(table, x.data(), {rows, count}, 1, gamma.data(), beta.data(), epsilon, out.data());
            cpu::layer_norm(table, x.data(), {rows, count}, 1, nullptr, nullptr, epsilon, plain.data());
            std::size_t wrong = 0;
            for (std::int64_t r = 0; r < rows; ++r) {
                const half* const row = x.data() + r * count;
                double mean = 0;
                double variance = 0;
                for (std::int64_t i = 0; i < count; ++i)
                    mean += wide(row[i]) / static_cast<double>(count);
                for (std::int64_t i = 0; i < count; ++i)
                    variance += (wide(row[i]) - mean) * (wide(row[i]) - mean) / static_cast<double>(count);
                for (std::int64_t i = 0; i < count; ++i) {
                    const auto at = static_cast<std::size_t>(r * count + i);
                    const double z = (wide(row[i]) - mean) / std::sqrt(variance + static_cast<double>(epsilon));
                    const double expected =
                        z * wide(gamma[static_cast<std::size_t>(i)]) + wide(beta[static_cast<std::size_t>(i)]);
                    // The mean near 20 carries an fp32 error, divided by the deviation (above 0.03 here).
                    const double tolerance = 20 * 0x1p-22 / std::sqrt(variance + 1e-3) + std::abs(z) * 0x1p-19;
                    wrong += !close(plain[at], z, tolerance);
                    wrong += !close(out[at], expected,
                                    tolerance * (std::abs(wide(gamma[static_cast<std::size_t>(i)])) + 1) +
                                        std::abs(expected) * 0x1p-20);
                }
            }
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE("batch_norm against the definition, with and without scale and offset") {
    for (int round = 0; round < 60; ++round) {
        const std::int64_t batch = between(1, 3);
        const std::int64_t channels = between(1, 5);
        const std::int64_t plane = between(1, 70);
        const auto x = random_halves(batch * channels * plane);
        const auto mean = random_halves(channels);
        auto variance = random_halves(channels);
        for (half& value : variance)
            value = half(std::abs(wide(value)));
        const auto gamma = random_halves(channels);
        const auto beta = random_halves(channels);
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> out(x.size());
            std::vector<half> plain(x.size());
            cpu::batch_norm(table, x.data(), batch, channels, plane, mean.data(), variance.data(), gamma.data(),
                            beta.data(), 0.01F, out.data());
            cpu::batch_norm(table, x.data(), batch, channels, plane, mean.data(), variance.data(), nullptr, nullptr,
                            0.01F, plain.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::size_t c = i / static_cast<std::size_t>(plane) % static_cast<std::size_t>(channels);
                const double z =
                    (wide(x[i]) - wide(mean[c])) / std::sqrt(wide(variance[c]) + static_cast<double>(0.01F));
                wrong += !close(plain[i], z, std::abs(z) * 0x1p-20);
                const double scaled = z * wide(gamma[c]);
                wrong += !close(out[i], scaled + wide(beta[c]), (std::abs(scaled) + std::abs(wide(beta[c]))) * 0x1p-20);
            }
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE("reductions over any set of axes against the definition") {
    for (int round = 0; round < 300; ++round) {
        extents shape = random_extents();
        if (round % 10 == 0) {
            shape[static_cast<int>(between(0, shape.rank - 1))] = 1100; // longer than one chunk
        }
        if (shape.count() > 200'000) {
            continue;
        }
        const auto set = static_cast<cpu::axis_set>(between(0, (1 << shape.rank) - 1));
        INFO("rank ", shape.rank, " set ", set);
        const auto x = random_halves(shape.count());
        std::int64_t kept = 1;
        extents strides = shape;
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            const bool folds = (set >> static_cast<unsigned>(axis) & 1U) != 0;
            strides[axis] = folds ? 0 : kept;
            kept *= folds ? 1 : shape[axis];
        }
        const auto size = static_cast<std::size_t>(kept);
        std::vector<double> sum(size, 0.0), magnitude(size, 0.0), least(size, 1e9), most(size, -1e9);
        for (std::int64_t flat = 0; flat < shape.count(); ++flat) {
            std::int64_t rest = flat;
            std::int64_t to = 0;
            for (int axis = shape.rank - 1; axis >= 0; --axis) {
                to += rest % shape[axis] * strides[axis];
                rest /= shape[axis];
            }
            const auto at = static_cast<std::size_t>(to);
            const double value = wide(x[static_cast<std::size_t>(flat)]);
            sum[at] += value;
            magnitude[at] += std::abs(value);
            least[at] = std::min(least[at], value);
            most[at] = std::max(most[at], value);
        }
        const double folded = static_cast<double>(shape.count() / kept);
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> s(size), m(size), low(size), high(size);
            cpu::reduce(table, op::reduce_sum, x.data(), shape, set, s.data());
            cpu::reduce(table, op::reduce_mean, x.data(), shape, set, m.data());
            cpu::reduce(table, op::reduce_min, x.data(), shape, set, low.data());
            cpu::reduce(table, op::reduce_max, x.data(), shape, set, high.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < size; ++i) {
                wrong += !close(s[i], sum[i], magnitude[i] * folded * 0x1p-24);
                wrong += !close(m[i], sum[i] / folded, magnitude[i] * 0x1p-23);
                wrong += wide(low[i]) != least[i] || wide(high[i]) != most[i];
            }
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE("reductions: fp32 sums, NaN, empty extents, refusals") {
    at_each_level([&](const cpu::kernel_table& table) {
        const std::vector<half> ones(5000, half(1));
        half out;
        cpu::reduce(table, op::reduce_sum, ones.data(), {5000}, 1, &out); // an fp16 sum would stop at 2048
        CHECK(wide(out) == 5000);
        const half mixed[] = {half(1), not_a_number, infinity};
        cpu::reduce(table, op::reduce_max, mixed, {3}, 1, &out);
        CHECK(is_nan(out));
        cpu::reduce(table, op::reduce_min, mixed, {3}, 1, &out);
        CHECK(is_nan(out));
        cpu::reduce(table, op::reduce_sum, mixed, {0}, 1, &out);
        CHECK(wide(out) == 0);
        CHECK_THROWS_AS(cpu::reduce(table, op::reduce_max, mixed, {0}, 1, &out), error);
        CHECK_THROWS_AS(cpu::reduce(table, op::reduce_max, mixed, {3}, 2, &out), error);
        CHECK_THROWS_AS(cpu::reduce(table, op::relu, mixed, {3}, 1, &out), error);
    });
}

TEST_CASE("arg_max and arg_min: the first of equals, the first NaN, any axis") {
    const std::vector<half> x{half(1), half(3), half(3), half(-2), half(-2), half(5)};
    std::int32_t index[3];
    cpu::arg_reduce(op::arg_max, x.data(), {2, 3}, -1, index);
    CHECK(index[0] == 1);
    CHECK(index[1] == 2);
    cpu::arg_reduce(op::arg_min, x.data(), {2, 3}, 0, index);
    CHECK(index[0] == 1);
    CHECK(index[1] == 1);
    CHECK(index[2] == 0);
    half as_half;
    cpu::arg_reduce(op::arg_max, x.data(), {6}, 0, &as_half);
    CHECK(wide(as_half) == 5);
    const std::vector<half> poisoned{infinity, not_a_number, not_a_number, half(1)};
    cpu::arg_reduce(op::arg_min, poisoned.data(), {4}, 0, index);
    CHECK(index[0] == 1);
    CHECK_THROWS_AS(cpu::arg_reduce(op::arg_max, x.data(), {0}, 0, index), error);
    const std::vector<half> many(129);
    std::int8_t narrow = 0;
    CHECK_THROWS_AS(cpu::arg_reduce(op::arg_max, many.data(), {129}, 0, &narrow), error);
    CHECK_THROWS_AS(cpu::arg_reduce(op::reduce_max, x.data(), {6}, 0, index), error);
}
