#include "../../../from_environment.hpp"
#include <anemone/backend/cpu/kernels/table.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace ane;

TEST_CASE("chains: several functions in one pass have the bits of one after another, at every level") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    const auto number = [&] {
        constexpr float special[] = {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e30F, -7.5F};
        return random() % 16 == 0 ? special[random() % 7]
                                  : static_cast<float>(static_cast<int>(random() % 2001)) / 100 - 10;
    };
    std::vector<op> kinds;
    for (std::size_t i = 0; i < op_count; ++i) {
        if (cpu::chain_functions.contains(static_cast<op>(i))) {
            kinds.push_back(static_cast<op>(i));
        }
    }
    CHECK(kinds.size() == 11);
    for (const kernel_set& set : kernel_sets()) {
        CAPTURE(set.name);
        const cpu::kernel_table& table = set.kernels;
        for (int repetition = 0; repetition < 300; ++repetition) {
            const std::size_t n = 1 + random() % 200;
            const int count = 1 + static_cast<int>(random() % 6);
            CAPTURE(n);
            std::vector<float> x(n);
            for (float& v : x) {
                v = number();
            }
            std::vector<std::vector<float>> others(static_cast<std::size_t>(count), std::vector<float>(n));
            std::vector<std::vector<half>> halves(static_cast<std::size_t>(count), std::vector<half>(n));
            std::vector<cpu::chain_link> links(static_cast<std::size_t>(count));
            std::vector<float> wanted = x;
            const auto size = static_cast<std::int64_t>(n);
            for (std::size_t l = 0; l < links.size(); ++l) {
                cpu::chain_link& link = links[l];
                link.kind = kinds[random() % kinds.size()];
                link.first = link.kind == op::clamp ? -2.0F : 0.25F;
                link.second = 3.0F;
                if (!is_binary(link.kind)) {
                    table.unary(link.kind, wanted.data(), wanted.data(), size, link.first, link.second);
                    continue;
                }
                link.other_first = random() % 2 == 0;
                for (std::size_t i = 0; i < n; ++i) {
                    halves[l][i] = half(number());
                    others[l][i] = static_cast<float>(halves[l][i]);
                }
                link.other = others[l].data();
                link.stride = random() % 3 == 0 ? 0 : 1;
                link.halves = link.stride == 1 && random() % 2 == 0 ? halves[l].data() : nullptr;
                const float* const a = link.other_first ? link.other : wanted.data();
                const float* const b = link.other_first ? wanted.data() : link.other;
                table.binary(link.kind, a, link.other_first ? link.stride : 1, b, link.other_first ? 1 : link.stride,
                             wanted.data(), size);
            }
            const auto same = [](const auto& got, const auto& expected) { // but for which NaN it is
                for (std::size_t i = 0; i < got.size(); ++i) {
                    const auto a = static_cast<float>(got[i]);
                    const auto b = static_cast<float>(expected[i]);
                    if (std::memcmp(&a, &b, sizeof a) != 0 && (a == a || b == b)) {
                        return false;
                    }
                }
                return true;
            };
            std::vector<half> rounded(n);
            std::vector<half> wanted_halves(n);
            table.chains.to_half(links.data(), count, x.data(), rounded.data(), size);
            table.to_half(wanted.data(), wanted_halves.data(), size);
            REQUIRE(same(rounded, wanted_halves));
            table.chains.to_float(links.data(), count, x.data(), x.data(), size); // in place
            REQUIRE(same(x, wanted));
        }
    }
}
