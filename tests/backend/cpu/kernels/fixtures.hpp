#pragma once

#include "../../../from_environment.hpp"
#include "sets.hpp"
#include <anemone/backend/cpu/kernels/table.hpp>
#include <anemone/base/executor.hpp>
#include <anemone/values/half.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

/// What the tests of the CPU's kernels share.
namespace fixtures {

inline const ane::half infinity = std::numeric_limits<ane::half>::infinity();
inline const ane::half not_a_number = std::numeric_limits<ane::half>::quiet_NaN();

inline double wide(ane::half value) { return static_cast<double>(value); }

inline bool same_value(ane::half a, ane::half b) { return (is_nan(a) && is_nan(b)) || a == b; }

/// check(kernel table) for every instruction set that is tested here.
template <class Check> void at_each_level(Check check) {
    for (const kernel_set& set : kernel_sets()) {
        INFO(set.name);
        check(set.kernels);
    }
}

/// It begins anew with each test case, so that a case that runs alone draws what it draws among others.
inline std::mt19937& generator() {
    static std::mt19937 random;
    static unsigned begun = 0;
    const unsigned seed = from_environment::seed();
    if (begun != from_environment::test_cases_begun) {
        begun = from_environment::test_cases_begun;
        random.seed(seed);
    }
    return random;
}

inline std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator());
}

inline std::vector<ane::half> random_halves(std::int64_t count) {
    std::normal_distribution<double> normal;
    std::vector<ane::half> values(static_cast<std::size_t>(count));
    for (ane::half& value : values) {
        value = ane::half(normal(generator()));
    }
    return values;
}

/// Runs parts backwards in the calling thread: parts that depend on each other's order would show.
class last_first : public ane::executor {
public:
    explicit last_first(int width = 8) : width_(width) {}
    int width() const noexcept override { return width_; }
    void run(int count, void (*part)(const void*, int), const void* context) override {
        for (int i = count; i-- > 0;) {
            part(context, i);
        }
    }

private:
    int width_;
};

inline bool same_bits(const std::vector<ane::half>& a, const std::vector<ane::half>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](ane::half x, ane::half y) { return x.bits == y.bits; });
}

} // namespace fixtures
