#include <anemone/numerics/pooling.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace ane;
using namespace ane::numerics;

TEST_CASE("neighbouring windows that are pooled together give what each gives alone") {
    constexpr std::uint64_t seed = 77;
    CAPTURE(seed);
    std::mt19937_64 engine(seed);
    const auto pick = [&](int limit) { return static_cast<std::int64_t>(engine() % static_cast<unsigned>(limit)); };
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        pool_shape s;
        s.channels = 1 + pick(2);
        s.kernel_height = 1 + pick(3);
        s.kernel_width = 1 + pick(4);
        s.stride_height = 1 + pick(2);
        s.stride_width = 1 + pick(3);
        s.pad_top = pick(static_cast<int>(s.kernel_height));
        s.pad_left = pick(static_cast<int>(s.kernel_width));
        s.in_height = s.kernel_height + pick(5);
        s.in_width = s.kernel_width + pick(60);
        s.out_height = (s.in_height + 2 * s.pad_top - s.kernel_height) / s.stride_height + 1;
        s.out_width = (s.in_width + 2 * s.pad_left - s.kernel_width) / s.stride_width + 1;
        s.exclude_padding = round % 2 == 0;
        std::vector<half> x(static_cast<std::size_t>(s.channels * s.in_height * s.in_width));
        for (half& h : x) {
            h.bits = static_cast<std::uint16_t>(round % 5 == 0 ? engine() & 0xFFFFU : engine() & 0xBFFFU);
        }
        datapath path = datapath_of(round % 3 == 0 ? family::a13 : family::a17);
        path.reduction_tile = round % 7 == 0 ? 3 : 4;
        for (const op kind : {op::max_pool, op::avg_pool, op::l2_pool}) {
            std::vector<half> out(static_cast<std::size_t>(s.channels * s.out_height * s.out_width));
            numerics::pool(path, kind, s, x.data(), out.data());
            for (std::size_t i = 0; i < out.size(); ++i) {
                const auto place = static_cast<std::int64_t>(i);
                const std::int64_t ox = place % s.out_width;
                const std::int64_t oy = place / s.out_width % s.out_height;
                const half* const plane = x.data() + place / s.out_width / s.out_height * s.in_height * s.in_width;
                std::vector<half> window;
                for (std::int64_t ky = 0; ky < s.kernel_height; ++ky) {
                    for (std::int64_t kx = 0; kx < s.kernel_width; ++kx) {
                        const std::int64_t y = oy * s.stride_height + ky - s.pad_top;
                        const std::int64_t c = ox * s.stride_width + kx - s.pad_left;
                        if (y >= 0 && c >= 0 && y < s.in_height && c < s.in_width) {
                            const half value = plane[y * s.in_width + c];
                            window.push_back(kind == op::l2_pool ? multiply(path, value, value) : value);
                        }
                    }
                }
                const auto inside = static_cast<std::int64_t>(window.size());
                half expected{};
                if (kind == op::max_pool) {
                    expected = reduce(path, op::reduce_max, window.data(), inside, 1);
                } else if (kind == op::l2_pool) {
                    expected = square_root(path, reduce(path, op::reduce_sum, window.data(), inside, 1));
                } else {
                    const std::int64_t places =
                        s.exclude_padding ? inside : s.kernel_height * s.kernel_width; // all of the padding is declared
                    expected = store_sum(path, sum_reduction(path, window.data(), inside, 1), places);
                }
                REQUIRE(out[i].bits == expected.bits);
            }
        }
    }
}
