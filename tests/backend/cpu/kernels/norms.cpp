// The norms and the composed reductions of the CPU backend against their formulas in double.

#include "../../../from_environment.hpp"
#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/norm.hpp>
#include <anemone/backend/cpu/kernels/reduce.hpp>
#include <anemone/backend/cpu/kernels/softmax.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

struct random_source {
    unsigned seed = from_environment::seed();
    std::mt19937 engine{seed};

    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
    }
    std::vector<half> halves(std::int64_t count, double mean = 0, double deviation = 1) {
        std::normal_distribution<double> normal(mean, deviation);
        std::vector<half> values(static_cast<std::size_t>(count));
        for (half& value : values) {
            value = half(normal(engine));
        }
        return values;
    }
    extents shape() {
        extents e;
        const bool one_is_long = between(0, 4) == 0;
        for (std::int64_t rank = between(1, 5); rank > 0; --rank) {
            e.append(between(1, one_is_long ? 2 : 5));
        }
        if (one_is_long) {
            e[static_cast<int>(between(0, e.rank - 1))] = between(1000, 1100);
        }
        return e;
    }
};

/// One rounding to fp16 and a few of fp32: an ulp, and an absolute error.
bool near(half result, double expected, double absolute) {
    return std::abs(wide(result) - expected) <= std::max(std::abs(expected) * 0x1p-10, 0x1p-24) + absolute;
}

struct statistics {
    double count = 0, sum = 0, squares = 0, magnitudes = 0, powers = 0;
    double least = std::numeric_limits<double>::infinity(), most = -least;

    void add(double v) {
        count += 1;
        sum += v;
        squares += v * v;
        magnitudes += std::abs(v);
        powers += std::exp(v);
        least = std::min(least, v);
        most = std::max(most, v);
    }
    double mean() const { return sum / count; }
};

/// For each element the group whose statistics it shares, and these.
struct grouped {
    std::vector<std::size_t> group;
    std::vector<statistics> of;

    grouped(const std::vector<half>& x, std::size_t groups, const std::function<std::int64_t(std::int64_t)>& number)
        : of(groups) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            group.push_back(static_cast<std::size_t>(number(static_cast<std::int64_t>(i))));
            of[group.back()].add(wide(x[i]));
        }
    }
    const statistics& at(std::size_t i) const { return of[group[i]]; }
};

/// The variance of each group, in a second pass.
std::vector<double> variances(const grouped& g, const std::vector<half>& x) {
    std::vector<double> result(g.of.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = wide(x[i]) - g.at(i).mean();
        result[g.group[i]] += d * d / g.at(i).count;
    }
    return result;
}

/// Runs at every level, checks that the bits are the same, and returns them.
std::vector<half> run(std::size_t count, const std::function<void(const cpu::kernel_table&, half*)>& kernel) {
    std::vector<half> first;
    at_each_level([&](const cpu::kernel_table& table) {
        std::vector<half> out(count);
        kernel(table, out.data());
        first = first.empty() ? out : first;
        CHECK(std::equal(out.begin(), out.end(), first.begin(),
                         [](half a, half b) { return (is_nan(a) && is_nan(b)) || a.bits == b.bits; }));
    });
    return first;
}

} // namespace

TEST_CASE("norms along any axis against their formulas, random shapes; the same bits at every level") {
    random_source random;
    CAPTURE(random.seed);
    for (int round = 0; round < 60; ++round) {
        const extents shape = random.shape();
        CAPTURE(round);
        const int axis = static_cast<int>(random.between(-shape.rank, shape.rank - 1));
        const auto view = cpu::detail::view_of_axis(shape, axis);
        const auto x = random.halves(shape.count(), 0.5, 2);
        const auto gamma = random.halves(view.count);
        const auto beta = random.halves(view.count);
        const double epsilon = 0x1p-10;
        const auto eps = static_cast<float>(epsilon);
        const grouped lines(x, static_cast<std::size_t>(view.outer * view.inner), [&](std::int64_t i) {
            return i / (view.count * view.inner) * view.inner + i % view.inner;
        });
        const std::vector<double> variance = variances(lines, x);
        const auto layer = run(x.size(), [&](const cpu::kernel_table& table, half* out) {
            cpu::layer_norm(table, x.data(), shape, axis, gamma.data(), beta.data(), eps, out);
        });
        const auto rms = run(x.size(), [&](const cpu::kernel_table& table, half* out) {
            cpu::rms_norm(table, x.data(), shape, axis, gamma.data(), eps, out);
        });
        const auto l2 = run(x.size(), [&](const cpu::kernel_table& table, half* out) {
            cpu::l2_norm(table, x.data(), shape, axis, eps, out);
        });
        const auto minmax = run(x.size(), [&](const cpu::kernel_table& table, half* out) {
            cpu::minmax_norm(table, x.data(), shape, axis, eps, out);
        });
        const auto shares = run(x.size(), [&](const cpu::kernel_table& table, half* out) {
            cpu::softmax(table, x.data(), shape, axis, out);
        });
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto along = static_cast<std::size_t>(static_cast<std::int64_t>(i) / view.inner % view.count);
            const statistics& s = lines.at(i);
            const double v = wide(x[i]);
            const double z = (v - s.mean()) / std::sqrt(variance[lines.group[i]] + epsilon);
            // The mean of numbers near 1 carries an fp32 error, which the deviation (at least 2^-5) divides.
            wrong += !near(layer[i], z * wide(gamma[along]) + wide(beta[along]),
                           (std::abs(wide(gamma[along])) + 1) * 0x1p-16);
            wrong += !near(rms[i], v / std::sqrt(s.squares / s.count + epsilon) * wide(gamma[along]), 0);
            wrong += !near(l2[i], v / std::max(std::sqrt(s.squares), std::sqrt(epsilon)), 0);
            wrong += !near(minmax[i], (v - s.least) / (s.most - s.least + epsilon), 0);
            wrong += !near(shares[i], std::exp(v) / s.powers, 0);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("norms of channels and groups of channels, random shapes") {
    random_source random;
    CAPTURE(random.seed);
    for (int round = 0; round < 60; ++round) {
        const std::int64_t batch = random.between(1, 3);
        const std::int64_t groups = random.between(1, 4);
        const std::int64_t channels = groups * random.between(1, 3);
        const std::int64_t plane = random.between(1, round % 10 == 0 ? 1200 : 60);
        const auto x = random.halves(batch * channels * plane, 3, 2);
        const auto gamma = random.halves(channels);
        const auto beta = random.halves(channels);
        const double epsilon = 0x1p-8;
        for (const std::int64_t each : {groups, channels}) { // as many groups as channels: an instance norm
            const grouped shared(x, static_cast<std::size_t>(batch * each),
                                 [&](std::int64_t i) { return i / (channels / each * plane); });
            const std::vector<double> variance = variances(shared, x);
            const auto out = run(x.size(), [&](const cpu::kernel_table& table, half* to) {
                cpu::group_norm(table, x.data(), batch, channels, plane, each, gamma.data(), beta.data(),
                                static_cast<float>(epsilon), to);
            });
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::size_t c = i / static_cast<std::size_t>(plane) % static_cast<std::size_t>(channels);
                const double z = (wide(x[i]) - shared.at(i).mean()) / std::sqrt(variance[shared.group[i]] + epsilon);
                wrong += !near(out[i], z * wide(gamma[c]) + wide(beta[c]), (std::abs(wide(gamma[c])) + 1) * 0x1p-16);
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("norms: a line alone or in a batch, in place, large numbers, zeros, NaN") {
    random_source random;
    CAPTURE(random.seed);
    const std::int64_t count = 77;
    const auto x = random.halves(5 * count);
    const auto gamma = random.halves(count);
    at_each_level([&](const cpu::kernel_table& table) {
        const auto norms = [&](const half* from, const extents& shape, int which, half* out) {
            switch (which) {
            case 0: return cpu::rms_norm(table, from, shape, 1, gamma.data(), 1e-5F, out);
            case 1: return cpu::l2_norm(table, from, shape, 1, 1e-5F, out);
            case 2: return cpu::minmax_norm(table, from, shape, 1, 1e-5F, out);
            default: return cpu::layer_norm(table, from, shape, 1, gamma.data(), gamma.data(), 1e-5F, out);
            }
        };
        for (int which = 0; which < 4; ++which) {
            std::vector<half> together(x.size());
            norms(x.data(), {5, count}, which, together.data());
            std::vector<half> alone = x; // in place
            for (std::int64_t row = 0; row < 5; ++row) {
                norms(alone.data() + row * count, {1, count}, which, alone.data() + row * count);
            }
            CHECK(alone == together);
        }
        const half large[] = {half(65504), half(-65504), half(65504), half(65504)};
        half out[4];
        cpu::l2_norm(table, large, {4}, 0, 1e-6F, out); // fp32 holds the squares
        CHECK(wide(out[1]) == -0.5);
        cpu::minmax_norm(table, large, {4}, 0, 0, out);
        CHECK(wide(out[0]) == 1);
        CHECK(wide(out[1]) == 0);
        const half zeros[4] = {};
        cpu::l2_norm(table, zeros, {4}, 0, 1e-6F, out);
        CHECK(wide(out[0]) == 0);
        cpu::l2_norm(table, zeros, {4}, 0, 0, out);
        CHECK(is_nan(out[0])); // 0 / 0
        cpu::minmax_norm(table, zeros, {4}, 0, 0, out);
        CHECK(is_nan(out[0]));
        const half poisoned[] = {half(1), not_a_number, half(2), half(3)};
        for (int which = 0; which < 4; ++which) {
            norms(poisoned, {1, 4}, which, out);
            CHECK((is_nan(out[0]) && is_nan(out[3])));
        }
        CHECK_THROWS_AS(cpu::l2_norm(table, zeros, {4}, 1, 0, out), error);
    });
}

TEST_CASE("composed reductions over any axes against their formulas, random shapes") {
    random_source random;
    CAPTURE(random.seed);
    for (int round = 0; round < 60; ++round) {
        const extents shape = random.shape();
        const auto set = static_cast<cpu::axis_set>(random.between(0, (1 << shape.rank) - 1));
        CAPTURE(shape.rank);
        CAPTURE(set);
        extents strides = shape;
        std::int64_t kept = 1;
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            const bool folds = (set >> static_cast<unsigned>(axis) & 1U) != 0;
            strides[axis] = folds ? 0 : kept;
            kept *= folds ? 1 : shape[axis];
        }
        const auto x = random.halves(shape.count(), round % 3 == 0 ? 30 : 1, 2);
        const grouped g(x, static_cast<std::size_t>(kept), [&](std::int64_t i) {
            std::int64_t to = 0;
            for (int axis = shape.rank - 1; axis >= 0; --axis) {
                to += i % shape[axis] * strides[axis];
                i /= shape[axis];
            }
            return to;
        });
        const auto of = [&](op kind) {
            return run(g.of.size(), [&](const cpu::kernel_table& table, half* out) {
                cpu::reduce(table, kind, x.data(), shape, set, out);
            });
        };
        const auto squares = of(op::reduce_sum_square);
        const auto l1 = of(op::reduce_l1_norm);
        const auto l2 = of(op::reduce_l2_norm);
        const auto log_sum = of(op::reduce_log_sum);
        const auto log_sum_exp = of(op::reduce_log_sum_exp);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < g.of.size(); ++i) {
            const statistics& s = g.of[i];
            wrong += s.squares > 65000 ? !(wide(squares[i]) > 64000) : !near(squares[i], s.squares, 0);
            wrong += s.magnitudes > 65000 ? !(wide(l1[i]) > 64000) : !near(l1[i], s.magnitudes, 0);
            wrong += !near(l2[i], std::sqrt(s.squares), 0);
            if (s.sum > s.magnitudes * 0x1p-4) { // not cancelled; the fp32 error of the sum is that of its logarithm
                wrong += !near(log_sum[i], std::log(s.sum), 0x1p-16);
            } else if (s.sum < -s.magnitudes * 0x1p-4) {
                wrong += !is_nan(log_sum[i]);
            }
            wrong += !near(log_sum_exp[i], std::log(s.powers), 0x1p-20);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("reductions: an item gives the same bits alone and in a batch") {
    random_source random;
    CAPTURE(random.seed);
    for (int round = 0; round < 40; ++round) {
        extents item = random.shape();
        item[0] = 1;
        extents batch = item;
        batch[0] = 3;
        const auto set = static_cast<cpu::axis_set>(random.between(0, (1 << item.rank) - 1)) & ~1U;
        const auto x = random.halves(batch.count());
        for (int i = 0; i < static_cast<int>(op_count); ++i) {
            const op kind = static_cast<op>(i);
            if (!is_reduction(kind)) {
                continue;
            }
            CAPTURE(name(kind));
            std::vector<half> together(x.size());
            std::vector<half> alone(x.size());
            cpu::reduce(cpu::best_kernels(), kind, x.data(), batch, set, together.data());
            std::int64_t kept = 1;
            for (int axis = 1; axis < item.rank; ++axis) {
                kept *= (set >> static_cast<unsigned>(axis) & 1U) != 0 ? 1 : item[axis];
            }
            for (std::int64_t n = 0; n < 3; ++n) {
                cpu::reduce(cpu::best_kernels(), kind, x.data() + n * item.count(), item, set, alone.data() + n * kept);
            }
            CHECK(std::equal(together.begin(), together.begin() + 3 * kept, alone.begin(),
                             [](half a, half b) { return (is_nan(a) && is_nan(b)) || a.bits == b.bits; }));
        }
    }
}

TEST_CASE("composed reductions: overflow, infinities, NaN, nothing") {
    at_each_level([&](const cpu::kernel_table& table) {
        const auto of = [&](op kind, const std::vector<half>& x) {
            half out;
            cpu::reduce(table, kind, x.data(), {static_cast<std::int64_t>(x.size())}, 1, &out);
            return out;
        };
        const std::vector<half> large(40, half(65504));
        CHECK(is_infinite(of(op::reduce_sum_square, large)));
        CHECK(is_infinite(of(op::reduce_l1_norm, large)));
        CHECK(wide(of(op::reduce_l2_norm, {half(30000), half(-40000)})) == wide(half(50000))); // squares in fp32
        CHECK(wide(of(op::reduce_log_sum_exp, large)) == 65504);
        CHECK(wide(of(op::reduce_log_sum_exp, {half(-60000), half(-60000)})) == wide(half(std::log(2.0) - 60000)));
        CHECK(of(op::reduce_log_sum_exp, {-infinity, -infinity}) == -infinity);
        CHECK(of(op::reduce_log_sum_exp, {-infinity, half(2)}) == half(2));
        CHECK(of(op::reduce_log_sum_exp, {infinity, half(2)}) == infinity);
        CHECK(is_nan(of(op::reduce_log_sum_exp, {infinity, not_a_number})));
        CHECK(is_nan(of(op::reduce_log_sum, {half(-3), half(2)})));
        CHECK(of(op::reduce_log_sum, {half(-2), half(2)}) == -infinity);
        CHECK(is_nan(of(op::reduce_l2_norm, {half(1), not_a_number})));
        CHECK(is_infinite(of(op::reduce_l1_norm, {half(1), -infinity})));
        for (const op kind : {op::reduce_sum_square, op::reduce_l1_norm, op::reduce_l2_norm}) {
            CHECK(of(kind, {}) == half(0));
        }
        for (const op kind : {op::reduce_log_sum, op::reduce_log_sum_exp}) {
            CHECK(of(kind, {}) == -infinity);
        }
        CHECK(is_nan(of(op::reduce_mean, {})));
    });
}
