#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/packed_codes.hpp>
#include <anemone/backend/cpu/kernels/product_blocks.hpp>
#include <anemone/weights/encode.hpp>

#include <doctest/doctest.h>

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
