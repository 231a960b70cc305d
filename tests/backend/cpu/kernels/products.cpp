#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/gemm.hpp>
#include <anemone/backend/cpu/kernels/product_blocks.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

using namespace ane;
using namespace fixtures;
using cpu::detail::product_extents;
using cpu::detail::right_matrix;

namespace {

/// A product by `width` threads: the left operand is [m, k], or [k, m].
std::vector<half> multiplied(const cpu::kernel_table& table, const product_extents& e, int width,
                             const std::vector<half>& a, const right_matrix& right, std::int64_t count = 1,
                             bool rounded = false) {
    const auto each = static_cast<std::size_t>(cpu::detail::product_scratch(e).bytes() + 63) / 64;
    std::vector<cpu::packed_matrix::line> scratch(each * static_cast<std::size_t>(width));
    last_first pool;
    cpu::worker_threads workers;
    workers.pool = &pool;
    workers.width = width;
    workers.each = static_cast<std::int64_t>(each) * 64;
    workers.own = reinterpret_cast<std::byte*>(scratch.data());
    std::vector<half> out(static_cast<std::size_t>(count * e.m * e.n), half(12345));
    cpu::detail::multiply(
        table, e, count, workers, [&](std::int64_t i) { return std::pair(a.data() + i * e.m * e.k, right); },
        [&](std::int64_t i, float* sums, std::int64_t row, std::int64_t column, std::int64_t columns) {
            table.to_half(sums, out.data() + (i * e.m + row) * e.n + column, columns);
        },
        [&](std::int64_t i) {
            const cpu::finishing direct{.out = rounded ? out.data() + i * e.m * e.n : nullptr};
            return cpu::detail::finished_results{direct, e.n, nullptr, nullptr};
        });
    return out;
}

/// One result as every set must have it: fp32 in the order of the terms, fused where the set has that.
half in_order(cpu::isa_level level, const product_extents& e, const std::vector<half>& a, const std::vector<half>& b,
              bool turned, std::int64_t row, std::int64_t column) {
    float sum = 0;
    for (std::int64_t t = 0; t < e.k; ++t) {
        const auto left = static_cast<std::size_t>(e.turned_left ? t * e.m + row : row * e.k + t);
        const auto right = static_cast<std::size_t>(turned ? column * e.k + t : t * e.n + column);
        const auto x = static_cast<float>(a[left]);
        const auto y = static_cast<float>(b[right]);
        if (level == cpu::isa_level::generic) {
            const volatile float product = x * y;
            sum = product + sum;
        } else {
            sum = std::fma(x, y, sum);
        }
    }
    return half(sum);
}

} // namespace

TEST_CASE("products: every blocking, layout and number of threads sums in the order of the terms") {
    const product_extents shapes[] = {
        {1, 70, 530, false},  {2, 33, 40, true},      {3, 300, 7, false},   {8, 64, 100, false}, {9, 257, 513, false},
        {30, 600, 20, false}, {270, 17, 5, false},    {300, 20, 200, true}, {13, 32, 1, true},   {197, 40, 64, false},
        {4, 16, 1030, false}, {70, 290, 1040, false}, {6, 45, 29, false}};
    for (const product_extents& e : shapes) {
        const auto a = random_halves(e.m * e.k);
        const auto b = random_halves(e.k * e.n);
        at_each_level([&](const cpu::kernel_table& table) {
            for (const bool turned : {false, true}) {
                INFO("m ", e.m, " n ", e.n, " k ", e.k, " turned ", e.turned_left, turned);
                const cpu::packed_matrix packed =
                    cpu::pack(table, cpu::matmul_shape{1, e.m, e.n, e.k, false, turned, 0, 0}, b.data());
                const auto first = multiplied(table, e, 1, a, {b.data(), false, turned});
                for (int check = 0; check < 30; ++check) {
                    const std::int64_t row = between(0, e.m - 1);
                    const std::int64_t column = between(0, e.n - 1);
                    const half expected = in_order(table.level, e, a, b, turned, row, column);
                    CHECK(first[static_cast<std::size_t>(row * e.n + column)].bits == expected.bits);
                }
                CHECK(multiplied(table, e, 1, a, {packed.matrix(0), true, false}) == first);
                CHECK(multiplied(table, e, 2, a, {packed.matrix(0), true, false}) == first);
                CHECK(multiplied(table, e, 3, a, {b.data(), false, turned}) == first);
                CHECK(multiplied(table, e, 1, a, {packed.matrix(0), true, false}, 1, true) == first);
                CHECK(multiplied(table, e, 3, a, {b.data(), false, turned}, 1, true) == first);
            }
        });
    }
}

TEST_CASE("products: a row has the same bits alone, among few and among many") {
    const std::int64_t k = between(1, 700);
    const std::int64_t n = between(1, 100);
    const auto a = random_halves(40 * k);
    const auto b = random_halves(k * n);
    at_each_level([&](const cpu::kernel_table& table) {
        const cpu::packed_matrix packed = cpu::pack(table, cpu::matmul_shape{1, 1, n, k, false, true, 0, 0}, b.data());
        const auto many = multiplied(table, {40, n, k}, 1, a, {packed.matrix(0), true, false});
        for (const std::int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 16}) {
            INFO("m ", m, " n ", n, " k ", k);
            const auto few = multiplied(table, {m, n, k}, 2, a, {packed.matrix(0), true, false});
            CHECK(few == std::vector<half>(many.begin(), many.begin() + m * n));
            // As products of a batch, which threads split in the middle of one.
            const auto apart = multiplied(table, {1, n, k}, 3, a, {packed.matrix(0), true, false}, m);
            CHECK(apart == few);
        }
    });
}

TEST_CASE("products: NaN and infinity in one row or column stay there") {
    for (const std::int64_t m : {3, 20}) {
        const product_extents e{m, 50, 30};
        auto a = random_halves(e.m * e.k);
        auto b = random_halves(e.k * e.n);
        a[static_cast<std::size_t>(1 * e.k + 4)] = not_a_number; // row 1
        b[static_cast<std::size_t>(7 * e.n + 49)] = infinity;    // column 49
        b[static_cast<std::size_t>(8 * e.n + 49)] = -infinity;
        for (std::int64_t row = 0; row < m; ++row) {
            a[static_cast<std::size_t>(row * e.k + 7)] = half(2);
            a[static_cast<std::size_t>(row * e.k + 8)] = half(row == 2 ? 1 : -1);
        }
        at_each_level([&](const cpu::kernel_table& table) {
            const auto out = multiplied(table, e, 2, a, {b.data(), false, false});
            for (std::int64_t row = 0; row < m; ++row) {
                for (std::int64_t column = 0; column < e.n; ++column) {
                    const half value = out[static_cast<std::size_t>(row * e.n + column)];
                    const bool last = column == e.n - 1;
                    CHECK(is_nan(value) == (row == 1 || (last && row == 2)));
                    CHECK((value == infinity) == (last && row != 1 && row != 2));
                }
            }
        });
    }
}

TEST_CASE("products: no terms give zeros, no rows or columns nothing") {
    at_each_level([&](const cpu::kernel_table& table) {
        for (const std::int64_t m : {2, 20}) {
            const std::vector<half> nothing(1);
            CHECK(multiplied(table, {m, 3, 0}, 1, nothing, {nothing.data(), false, false}) ==
                  std::vector<half>(static_cast<std::size_t>(3 * m), half(0)));
            CHECK(multiplied(table, {m, 0, 1}, 2, std::vector<half>(20), {nothing.data(), false, false}).empty());
        }
        CHECK(multiplied(table, {0, 3, 1}, 2, {}, {nullptr, false, false}).empty());
    });
}

TEST_CASE("products: panels of another instruction set are refused") {
    const half b[4];
    half out[2];
    const cpu::matmul_shape s{1, 1, 2, 2, false, false, 0, 0};
    at_each_level([&](const cpu::kernel_table& table) {
        cpu::packed_matrix packed = cpu::pack(table, s, b);
        cpu::matmul(table, s, b, packed, nullptr, out);
        packed.columns *= 2;
        CHECK_THROWS_AS(cpu::matmul(table, s, b, packed, nullptr, out), error);
    });
}
