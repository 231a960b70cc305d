#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/gemm.hpp>
#include <anemone/backend/cpu/kernels/packed_codes.hpp>
#include <anemone/backend/cpu/kernels/product_blocks.hpp>
#include <anemone/backend/cpu/kernels/shared_weights.hpp>
#include <anemone/weights/encode.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

using namespace ane;
using namespace fixtures;
using cpu::detail::product_extents;
using cpu::detail::right_matrix;

namespace {

std::vector<half> product_of(const cpu::kernel_table& table, const product_extents& e, const std::vector<half>& a,
                             const right_matrix& right) {
    std::vector<cpu::packed_matrix::line> scratch(
        static_cast<std::size_t>(cpu::detail::product_scratch(e).bytes() + 63) / 64);
    cpu::worker_threads workers;
    workers.own = reinterpret_cast<std::byte*>(scratch.data());
    std::vector<half> out(static_cast<std::size_t>(e.m * e.n), half(12345));
    cpu::detail::multiply(
        table, e, 1, workers, [&](std::int64_t) { return std::pair(a.data(), right); },
        [&](std::int64_t, float* sums, std::int64_t row, std::int64_t column, std::int64_t columns) {
            table.to_half(sums, out.data() + row * e.n + column, columns);
        });
    return out;
}

bool reads_codes(const cpu::kernel_table& table) { return table.products.few_coded != nullptr; }

const compression by_bytes{.form = weight_form::affine, .bits = 8};
const compression by_nibbles{.form = weight_form::palette, .bits = 4};
const compression by_blocks{.form = weight_form::blockwise, .bits = 8, .block = 32};

/// A weight [n, k] of codes from -127 to 127 and a scale for each block of terms, with the largest code in each block.
std::vector<half> coded_weight(std::int64_t n, std::int64_t k, std::int64_t block, double size) {
    std::vector<half> weight(static_cast<std::size_t>(n * k));
    std::uniform_int_distribution<int> codes(-127, 127);
    std::uniform_real_distribution<double> scales(0.5 * size, size);
    double scale = 0;
    for (std::int64_t i = 0; i < n * k; ++i) {
        const bool begins = i % k % block == 0;
        scale = begins ? static_cast<double>(half(scales(generator()))) : scale;
        weight[static_cast<std::size_t>(i)] = half((begins ? 127 : codes(generator())) * scale);
    }
    return weight;
}

} // namespace

TEST_CASE("packed codes: products have the bits of those with the expanded weight") {
    for (int round = 0; round < 12; ++round) {
        const std::int64_t n = between(1, 90);
        const std::int64_t k = round == 0 ? 600 : between(1, 60);
        compression form = round % 2 == 0 ? by_bytes : by_nibbles;
        form.bits = round % 3 == 0 ? 4 : form.bits;
        const std::vector<half> weight = stored_values(random_halves(n * k), extents{n, k}, form);
        at_each_level([&](const cpu::kernel_table& table) {
            const cpu::matmul_shape s{1, 1, n, k, false, true, 0, 0};
            const cpu::packed_codes codes = cpu::pack_codes(table, s, weight.data(), form);
            CHECK(codes.empty() == !reads_codes(table));
            if (codes.empty()) {
                return;
            }
            CHECK(codes.nibbles == (form.form == weight_form::palette));
            const cpu::packed_matrix packed = cpu::pack(table, s, weight.data());
            for (const std::int64_t m : {1, 2, 3, 8, 9, 14}) {
                INFO("m ", m, " n ", n, " k ", k, " bits ", form.bits);
                const product_extents e{m, n, k};
                const auto a = random_halves(m * k);
                CHECK(product_of(table, e, a, {nullptr, true, false, &codes}) ==
                      product_of(table, e, a, {packed.matrix(0), true, false}));
            }
        });
    }
}

TEST_CASE("packed codes: a scale for each block of terms") {
    struct shape {
        std::int64_t n, k, block;
        double size;
    };
    // Terms are taken in parts of up to 512: of 1040 and 40 a part ends within a block. The last of 100 terms are no block.
    for (const shape& s : {shape{50, 96, 32, 0.001}, shape{33, 1040, 40, 2}, shape{7, 100, 32, 1}, shape{70, 12, 1, 3},
                           shape{40, 64, 32, 0x1P-20}}) {
        INFO("n ", s.n, " k ", s.k, " block ", s.block);
        const std::vector<half> weight = coded_weight(s.n, s.k, s.block, s.size);
        compression form = by_blocks;
        form.block = static_cast<int>(s.block);
        at_each_level([&](const cpu::kernel_table& table) {
            const cpu::matmul_shape product{1, 1, s.n, s.k, false, true, 0, 0};
            const cpu::packed_codes codes = cpu::pack_codes(table, product, weight.data(), form);
            REQUIRE(codes.empty() == !reads_codes(table));
            if (codes.empty()) {
                return;
            }
            const std::int64_t columns = (s.n + codes.columns - 1) / codes.columns * codes.columns;
            const std::int64_t blocks = (s.k + s.block - 1) / s.block;
            CHECK(codes.bytes() == static_cast<std::size_t>(columns * (s.k + 2 * blocks)));
            const cpu::packed_matrix packed = cpu::pack(table, product, weight.data());
            for (const std::int64_t m : {1, 2, 3, 8, 9, 14}) {
                INFO("m ", m);
                const product_extents e{m, s.n, s.k};
                const auto a = random_halves(m * s.k);
                CHECK(product_of(table, e, a, {nullptr, true, false, &codes}) ==
                      product_of(table, e, a, {packed.matrix(0), true, false}));
            }
        });
    }
}

TEST_CASE("packed codes: each code times each scale is rounded as fp16 is") {
    // Scales below fp16's normal range, those of all mantissas, and some of each exponent; 127 times the last is finite.
    std::vector<half> scales;
    for (int pattern = 1; pattern <= 0x6006; pattern += pattern < 0x400 || pattern >> 10 == 9 ? 1 : 61) {
        scales.push_back(half::from_bits(static_cast<std::uint16_t>(pattern)));
    }
    const auto n = static_cast<std::int64_t>(scales.size());
    constexpr std::int64_t k = 255;
    std::vector<half> weight;
    for (const half scale : scales) {
        for (int q = -127; q <= 127; ++q) {
            weight.emplace_back(q == 0 ? 0.0 : q * static_cast<double>(scale));
        }
    }
    at_each_level([&](const cpu::kernel_table& table) {
        const cpu::packed_codes codes =
            cpu::pack_codes(table, {1, 1, n, k, false, true, 0, 0}, weight.data(), by_bytes);
        REQUIRE(codes.empty() == !reads_codes(table));
        std::vector<float> wide(static_cast<std::size_t>(k * codes.columns));
        std::int64_t wrong = 0;
        for (std::int64_t c = 0; c < (codes.empty() ? 0 : n); ++c) {
            if (c % codes.columns == 0) {
                table.products.widen_coded(codes.panels(c, 0), k, wide.data());
            }
            for (std::int64_t t = 0; t < k; ++t) {
                wrong += wide[static_cast<std::size_t>(t * codes.columns + c % codes.columns)] !=
                                 static_cast<float>(weight[static_cast<std::size_t>(c * k + t)])
                             ? 1
                             : 0;
            }
        }
        CHECK(wrong == 0);
    });
}

TEST_CASE("packed codes: fp16 weights are no codes") {
    const std::vector<half> weight = random_halves(std::int64_t{64} * 64);
    at_each_level([&](const cpu::kernel_table& table) {
        CHECK(cpu::pack_codes(table, {1, 1, 64, 64, false, true, 0, 0}, weight.data(), by_blocks).empty());
        CHECK(cpu::pack_codes(table, {1, 1, 64, 64, false, false, 0, 0}, weight.data(), by_blocks).empty());
    });
}

TEST_CASE("shared weights: equal ones are in memory once, as long as somebody has them") {
    const std::vector<half> weight = coded_weight(64, 2048, 32, 0.01);
    std::vector<half> other = weight;
    other[77] = half(static_cast<double>(other[77]) + 1);
    const cpu::matmul_shape s{1, 1, 64, 2048, false, true, 0, 0};
    at_each_level([&](const cpu::kernel_table& table) {
        auto first = cpu::shared_weight(cpu::pack(table, s, weight.data()));
        CHECK(first->bytes() >= std::size_t{64} * 2048 * 2);
        CHECK(cpu::shared_weight(cpu::pack(table, s, weight.data())) == first);
        const auto changed = cpu::shared_weight(cpu::pack(table, s, other.data()));
        CHECK(changed != first);
        const std::weak_ptr<const cpu::packed_matrix> watched = first;
        first.reset();
        CHECK(watched.expired());
        if (reads_codes(table)) {
            const auto codes = cpu::shared_weight(cpu::pack_codes(table, s, weight.data(), by_blocks));
            CHECK(codes->bytes() >= cpu::least_shared_weight);
            CHECK(cpu::shared_weight(cpu::pack_codes(table, s, weight.data(), by_blocks)) == codes);
        }
        const cpu::matmul_shape small{1, 1, 2, 32, false, true, 0, 0};
        CHECK(cpu::shared_weight(cpu::pack(table, small, weight.data())) !=
              cpu::shared_weight(cpu::pack(table, small, weight.data())));
    });
}

TEST_CASE("packed codes: [k, n] as well as [n, k]") {
    const std::vector<half> weight = stored_values(random_halves(40 * 7), extents{40, 7}, by_nibbles);
    const product_extents e{2, 7, 40};
    const auto a = random_halves(2 * 40);
    at_each_level([&](const cpu::kernel_table& table) {
        const cpu::packed_codes codes =
            cpu::pack_codes(table, {1, 2, 7, 40, false, false, 0, 0}, weight.data(), by_nibbles);
        if (!codes.empty()) {
            CHECK(product_of(table, e, a, {nullptr, true, false, &codes}) ==
                  product_of(table, e, a, {weight.data(), false, false}));
        }
    });
}

TEST_CASE("packed codes: a weight of which one value would differ stays fp16") {
    at_each_level([&](const cpu::kernel_table& table) {
        const auto coded = [&](const std::vector<half>& weight, const compression& form) {
            return !cpu::pack_codes(table, {1, 1, 2, 20, false, true, 0, 0}, weight.data(), form).empty();
        };
        std::vector<half> integers(40, half(3));
        integers[0] = half(127);
        integers[20] = half(-127);
        CHECK(coded(integers, by_bytes) == reads_codes(table));
        std::vector<half> changed = integers;
        changed[25] = half(2.5);
        CHECK_FALSE(coded(changed, by_bytes));
        changed[25] = half(-0.0);
        CHECK_FALSE(coded(changed, by_bytes));
        changed[25] = not_a_number;
        CHECK_FALSE(coded(changed, by_bytes));
        changed[25] = infinity;
        CHECK_FALSE(coded(changed, by_bytes));
        CHECK(coded(std::vector<half>(40), by_bytes) == reads_codes(table)); // zeros are multiples of anything

        std::vector<half> few(40);
        for (std::size_t i = 0; i < few.size(); ++i) {
            few[i] = half(static_cast<double>(i % 16) - 7.5);
        }
        CHECK(coded(few, by_nibbles) == reads_codes(table));
        few[9] = half(-0.0);
        few[25] = half(-0.0); // the seventeenth value
        CHECK_FALSE((coded(few, by_nibbles) && few[9] != few[25]));
        few[39] = half(100);
        CHECK_FALSE(coded(few, by_nibbles));
        compression other = by_bytes;
        other.zero_point = true;
        CHECK_FALSE(coded(integers, other));
        other = {.form = weight_form::sparse};
        CHECK_FALSE(coded(integers, other));
    });
}
