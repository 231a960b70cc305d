#pragma once

#include <anemone/report/plot.hpp>
#include <anemone/values/half.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Published points of the engine's accuracy, and the same from the model of its arithmetic.
namespace curves {

/// Normal numbers from integers only, so that a figure is the same with every compiler and library: the number of ones
/// among 256 random bits (splitmix64), smoothed by two uniform numbers. Excess kurtosis -0.008.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
    double normal() {
        int ones = 0;
        for (int i = 0; i < 4; ++i) {
            ones += std::popcount(bits());
        }
        return (ones - 128 + uniform() + uniform() - 1) / std::sqrt(64 + 1.0 / 6);
    }
    std::vector<double> normals(std::int64_t count, double deviation = 1) {
        std::vector<double> values(static_cast<std::size_t>(count));
        for (double& v : values) {
            v = deviation * normal();
        }
        return values;
    }

private:
    std::uint64_t state_;
};

inline std::vector<ane::half> to_halves(const std::vector<double>& values) {
    std::vector<ane::half> out;
    out.reserve(values.size());
    for (const double v : values) {
        out.emplace_back(v);
    }
    return out;
}
inline std::vector<double> to_doubles(std::span<const ane::half> values) {
    std::vector<double> out;
    out.reserve(values.size());
    for (const ane::half v : values) {
        out.push_back(static_cast<double>(v));
    }
    return out;
}

/// |got - exact| / |exact| in the Euclidean norm over all elements.
inline double relative_error(std::span<const ane::half> got, const std::vector<double>& exact) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double difference = static_cast<double>(got[i]) - exact[i];
        error += difference * difference;
        norm += exact[i] * exact[i];
    }
    return std::sqrt(error / norm);
}

/// A published point and the model's value at it.
struct row {
    std::string what;
    double published, model;
    double factor; ///< the model holds the point if neither is more than this many times the other
    std::string source;
    std::string_view mark;  ///< of the published value
    double difference = -1; ///< where not negative: how far apart the two may be, instead of the factor

    double ratio() const { return model / published; }
    bool held() const {
        if (difference >= 0) {
            return std::fabs(model - published) <= difference;
        }
        return std::isinf(published) ? model == published : ratio() <= factor && ratio() >= 1 / factor;
    }
};

struct result {
    std::vector<row> rows;
    ane::plot figure;
    std::vector<std::string> notes; ///< what was assumed, why the factors are what they are, how much it matters
};

/// How much to compute: the same experiments on fewer outputs.
enum class effort : std::uint8_t { quick, full };

} // namespace curves
