#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/attention.hpp>
#include <anemone/backend/cpu/kernels/attention_blocks.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ane;
using namespace fixtures;
using cpu::attention_shape;

namespace {

struct head {
    std::vector<half> q;
    std::vector<half> k;
    std::vector<half> v;
    std::vector<half> mask;

    explicit head(const attention_shape& s)
        : q(random_halves(s.rows * s.depth)), k(random_halves(s.keys * s.depth)), v(random_halves(s.keys * s.depth)),
          mask(random_halves(s.mask_rows * s.mask_keys)) {}
};

/// The definition in double: the result, and the sum of magnitudes that scales the error of fp32.
struct expected {
    std::vector<double> values;
    std::vector<double> magnitudes;
};

expected defined(const attention_shape& s, const head& h, bool masked) {
    expected e;
    for (std::int64_t r = 0; r < s.rows; ++r) {
        std::vector<double> scores;
        for (std::int64_t k = 0; k < s.keys; ++k) {
            double sum = 0;
            for (std::int64_t d = 0; d < s.depth; ++d) {
                sum += wide(h.q[static_cast<std::size_t>(r * s.depth + d)]) *
                       wide(h.k[static_cast<std::size_t>(k * s.depth + d)]);
            }
            const std::int64_t at = (s.mask_rows == 1 ? 0 : r * s.mask_keys) + (s.mask_keys == 1 ? 0 : k);
            scores.push_back(sum * static_cast<double>(s.scale) +
                             (masked ? wide(h.mask[static_cast<std::size_t>(at)]) : 0.0));
        }
        const double most = *std::max_element(scores.begin(), scores.end());
        double total = 0;
        for (double& score : scores) {
            score = std::exp(score - most);
            total += score;
        }
        for (std::int64_t d = 0; d < s.depth; ++d) {
            double sum = 0;
            double magnitude = 0;
            for (std::int64_t k = 0; k < s.keys; ++k) {
                const double term =
                    scores[static_cast<std::size_t>(k)] / total * wide(h.v[static_cast<std::size_t>(k * s.depth + d)]);
                sum += term;
                magnitude += std::abs(term);
            }
            e.values.push_back(sum);
            e.magnitudes.push_back(magnitude);
        }
    }
    return e;
}

std::vector<half> attended(const cpu::kernel_table& table, const attention_shape& s, const head& h, bool masked) {
    std::vector<half> out(h.q.size(), half(12345));
    cpu::attention(table, s, h.q.data(), h.k.data(), h.v.data(), masked ? h.mask.data() : nullptr, out.data());
    return out;
}

void check(const attention_shape& s, const head& h, bool masked) {
    INFO("rows ", s.rows, " keys ", s.keys, " depth ", s.depth, " mask ", masked, " ", s.mask_rows, " ", s.mask_keys);
    const expected e = defined(s, h, masked);
    at_each_level([&](const cpu::kernel_table& table) {
        const auto out = attended(table, s, h, masked);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double ulp = std::max(std::abs(e.values[i]) * 0x1p-10, 0x1p-24);
            wrong += !(std::abs(wide(out[i]) - e.values[i]) <= 0.5001 * ulp + 0x1p-17 * e.magnitudes[i]);
        }
        CHECK(wrong == 0);
    });
}

} // namespace

TEST_CASE("attention against the definition, random shapes and masks") {
    for (int round = 0; round < 60; ++round) {
        attention_shape s{.rows = between(1, 30), .keys = between(1, 90), .depth = between(1, 70)};
        s.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(s.depth)));
        s.mask_rows = between(0, 1) == 0 ? 1 : s.rows;
        s.mask_keys = between(0, 2) == 0 ? 1 : s.keys;
        head h(s);
        if (s.mask_keys > 1) {
            for (std::size_t i = 0; i < h.mask.size(); i += 3) {
                h.mask[i] = -infinity;
            }
            for (std::int64_t r = 0; r < s.mask_rows; ++r) {
                h.mask[static_cast<std::size_t>((r + 1) * s.mask_keys - 1)] = half(1); // some key counts
            }
        }
        check(s, h, round % 3 != 0);
    }
}

TEST_CASE("attention over several blocks of keys: the largest score may come late, and blocks may be masked") {
    for (const std::int64_t rows : {1, 14}) {
        attention_shape s{.rows = rows, .keys = 1100, .depth = 9, .scale = 1, .mask_rows = rows, .mask_keys = 1100};
        head h(s);
        check(s, h, false);
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t k = 0; k < s.keys; ++k) {
                half& mask = h.mask[static_cast<std::size_t>(r * s.keys + k)];
                mask = r % 3 == 0 && k < 600 ? -infinity : half(static_cast<double>(r % 3 == 1 ? k : -k) / 50);
            }
        }
        check(s, h, true);
    }
    const attention_shape deep{.rows = 3, .keys = 20, .depth = 1100, .scale = 0.03F};
    check(deep, head(deep), false);
    const attention_shape wide_block{.rows = 210, .keys = 5, .depth = 3, .scale = 0.5F};
    check(wide_block, head(wide_block), false);
}

TEST_CASE("attention: a row that is masked whole is 0 / 0, and NaN or infinity stays in its row") {
    for (const std::int64_t keys : {3, 40, 600}) {
        attention_shape s{.rows = 5, .keys = keys, .depth = 6, .scale = 1, .mask_rows = 5, .mask_keys = keys};
        head h(s);
        for (std::int64_t k = 0; k < keys; ++k) {
            h.mask[static_cast<std::size_t>(1 * keys + k)] = -infinity;
        }
        h.mask[static_cast<std::size_t>(2 * keys + keys - 1)] = not_a_number;
        h.mask[static_cast<std::size_t>(3 * keys + 1)] = infinity;
        at_each_level([&](const cpu::kernel_table& table) {
            const auto out = attended(table, s, h, true);
            for (std::int64_t i = 0; i < s.rows * s.depth; ++i) {
                const std::int64_t row = i / s.depth;
                CHECK(is_nan(out[static_cast<std::size_t>(i)]) == (row >= 1 && row <= 3));
            }
        });
    }
}

TEST_CASE("attention: a key that is masked by a number far below counts nothing; equal scores share evenly") {
    const attention_shape s{.rows = 2, .keys = 4, .depth = 2, .scale = 0, .mask_rows = 1, .mask_keys = 4};
    head h(s);
    h.mask = {half(0), half(-60000), half(0), half(-200)};
    h.v = {half(1), half(2), half(512), half(512), half(3), half(4), half(512), half(512)};
    at_each_level([&](const cpu::kernel_table& table) {
        const auto out = attended(table, s, h, true);
        CHECK(out == std::vector<half>{half(2), half(3), half(2), half(3)});
    });
}

TEST_CASE("attention: few queries have the bits that they have among many") {
    for (const std::int64_t depth : {32, 48, 64}) {
        attention_shape s{.rows = 20, .keys = between(500, 560), .depth = depth, .scale = 0.2F};
        s.mask_keys = s.keys;
        const head h(s);
        at_each_level([&](const cpu::kernel_table& table) {
            for (const bool masked : {false, true}) {
                const auto many = attended(table, s, h, masked);
                for (const std::int64_t rows : {1, 2, 3, 5, 6, 8, 9}) {
                    INFO("depth ", depth, " keys ", s.keys, " rows ", rows, " masked ", masked);
                    attention_shape few = s;
                    few.rows = rows;
                    std::vector<half> out(static_cast<std::size_t>(rows * depth));
                    cpu::attention(table, few, h.q.data(), h.k.data(), h.v.data(), masked ? h.mask.data() : nullptr,
                                   out.data());
                    CHECK(out == std::vector<half>(many.begin(), many.begin() + rows * depth));
                }
            }
        });
    }
}

TEST_CASE("attention: any number of threads gives the bits of one") {
    last_first pool;
    const attention_shape s{.rows = 61, .keys = 530, .depth = 20, .scale = 0.3F};
    constexpr std::int64_t heads = 3;
    const auto q = random_halves(heads * s.rows * s.depth);
    const auto k = random_halves(heads * s.keys * s.depth);
    at_each_level([&](const cpu::kernel_table& table) {
        const auto run = [&](int width) {
            const auto each = static_cast<std::size_t>(cpu::detail::attention_scratch(s).bytes() + 63) / 64;
            std::vector<cpu::packed_matrix::line> scratch(each * static_cast<std::size_t>(width));
            cpu::worker_threads workers;
            workers.pool = &pool;
            workers.width = width;
            workers.each = static_cast<std::int64_t>(each) * 64;
            workers.own = reinterpret_cast<std::byte*>(scratch.data());
            std::vector<half> out(q.size());
            cpu::detail::attend(
                table, s, heads, workers,
                [&](std::int64_t i) {
                    const half* const keys = k.data() + i * s.keys * s.depth;
                    return cpu::detail::attention_head{q.data() + i * s.rows * s.depth, keys, keys, nullptr};
                },
                [&](std::int64_t i, float* sums, std::int64_t row) {
                    table.to_half(sums, out.data() + (i * s.rows + row) * s.depth, s.depth);
                });
            return out;
        };
        const auto alone = run(1);
        CHECK(run(2) == alone);
        CHECK(run(7) == alone);
    });
}
