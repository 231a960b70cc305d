// How far a layer's values are from those in double precision, told block by block as element by element.

#include "../from_environment.hpp"
#include <anemone/diff/wide_error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

using namespace ane;

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

/// The definition, an element at a time.
wide_error defined_error(const std::vector<double>& want, const std::vector<half>& have, double relative,
                         double absolute) {
    wide_error e;
    e.count = static_cast<std::int64_t>(want.size());
    double distance = 0;
    double size = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const double got = static_cast<double>(have[i]);
        const double apart = std::abs(got - want[i]);
        double excess = 0;
        if (std::isfinite(apart)) {
            excess = apart == 0 ? 0 : apart / (relative * std::abs(want[i]) + absolute);
            e.max_abs = std::max(e.max_abs, apart);
            distance += apart * apart;
            size += want[i] * want[i];
        } else if (want[i] != got && !(std::isnan(want[i]) && std::isnan(got))) {
            excess = endless;
            ++e.not_finite;
        }
        e.beyond += excess > 1 ? 1 : 0;
        if (excess > e.excess) {
            e.excess = excess;
            e.worst = static_cast<std::int64_t>(i);
        }
    }
    e.relative = distance == 0 ? 0 : std::sqrt(distance / size);
    return e;
}

} // namespace

TEST_CASE("an error told by blocks is that of its elements, whatever they are") {
    std::mt19937 random(from_environment::seed());
    std::normal_distribution<double> numbers;
    std::uniform_int_distribution<int> odd(0, 400);
    for (const std::size_t count : {1U, 3U, 4U, 511U, 512U, 513U, 2051U}) {
        for (const double noise : {0.0, 1e-4, 0.03, 0.3}) {
            for (const bool is_special : {false, true}) {
                std::vector<double> want(count);
                std::vector<half> have(count);
                for (std::size_t i = 0; i < count; ++i) {
                    want[i] = numbers(random);
                    have[i] = half(want[i] * (1 + noise * numbers(random)));
                    switch (is_special ? odd(random) : 9) {
                    case 0: want[i] = endless; break;
                    case 1: have[i] = half(-endless); break;
                    case 2: have[i] = half(std::nan("")); break;
                    case 3: want[i] = std::nan(""); break;
                    case 4: want[i] = endless, have[i] = half(endless); break;
                    case 5: want[i] = 1e200; break; // whose square is none
                    case 6: want[i] = 0, have[i] = half(0.0); break;
                    default: break;
                    }
                }
                CAPTURE(count);
                CAPTURE(noise);
                const detail::numbers_view expected{std::span<const double>(want)};
                const detail::numbers_view got(dtype::f16, std::as_bytes(std::span<const half>(have)));
                const error_bound bound{.relative = 0.05, .absolute = 0.01};
                const wide_error found = detail::error_of(expected, got, bound);
                const wide_error told = defined_error(want, have, bound.relative, bound.absolute);
                CHECK(found.count == told.count);
                CHECK(found.beyond == told.beyond);
                CHECK(found.not_finite == told.not_finite);
                CHECK(found.max_abs == told.max_abs);
                CHECK(found.excess == told.excess);
                CHECK(found.worst == told.worst);
                CHECK((found.relative == doctest::Approx(told.relative).epsilon(1e-12) ||
                       (std::isnan(found.relative) && std::isnan(told.relative))));

                const detail::value_sizes sizes = detail::sizes_of(expected);
                double largest = 0;
                double squares = 0;
                std::size_t finite = 0;
                for (const double each : want) {
                    if (std::isfinite(each)) {
                        largest = std::max(largest, std::abs(each));
                        squares += each * each;
                        ++finite;
                    }
                }
                CHECK(sizes.largest == largest);
                CHECK(sizes.is_finite == (finite == count));
                const double mean = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
                CHECK((sizes.magnitude == mean || sizes.magnitude == doctest::Approx(mean).epsilon(1e-12)));
            }
        }
    }
}

TEST_CASE("every fp16 number is widened to itself") {
    std::vector<half> all(65536 + 5);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = half::from_bits(static_cast<std::uint16_t>(i));
    }
    std::vector<double> wide(all.size());
    detail::widen(all.data(), static_cast<std::int64_t>(all.size()), wide.data());
    std::size_t others = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double exact = static_cast<double>(all[i]);
        others += wide[i] == exact || (std::isnan(wide[i]) && std::isnan(exact)) ? 0 : 1;
    }
    CHECK(others == 0);
}
