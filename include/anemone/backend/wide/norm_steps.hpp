#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../kernels/response_norm.hpp"
#include "contraction_steps.hpp"
#include "functions.hpp"
#include "step.hpp"
#include "wide_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

/// The norms, as the catalogue defines them; a variance is that of all elements (not n - 1) and taken in a second pass.
namespace ane::wide_reference::inline ANEMONE_WAY {

/// Elements that lie evenly spaced.
struct strided_line {
    const double* first;
    std::int64_t count;
    std::int64_t step;

    double operator[](std::int64_t i) const { return first[i * step]; }
    /// The sum of apply(x).
    template <class Function> double sum(const Function& apply) const {
        exact_sum total;
        for (std::int64_t i = 0; i < count; ++i) {
            total.add(apply((*this)[i]));
        }
        return total.result();
    }
    /// The mean of apply(x).
    template <class Function> double mean(const Function& apply) const {
        return sum(apply) / static_cast<double>(count);
    }
};

/// mean, and 1 / sqrt(variance + epsilon).
struct moments {
    double mean;
    double inverse;

    ANEMONE_INLINE moments(const strided_line& x, double epsilon)
        : mean(x.mean([](double v) { return v; })),
          inverse(1 / std::sqrt(x.mean([this](double v) { return (v - mean) * (v - mean); }) + epsilon)) {}
};

/// result[i] = apply(line)(x, i) for each line of the operand along an axis.
template <class Function> void along_lines(evaluation& e, int index, int axis, const Function& apply) {
    ane::detail::for_each_row(e.shape(index), normalized_axis(axis, e.shape(index).rank),
                              [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t step) {
                                  const strided_line x{e.input(index, 0) + begin, count, step};
                                  double* const y = e.result(index) + begin;
                                  const auto of_element = apply(x);
                                  for (std::int64_t i = 0; i < count; ++i) {
                                      y[i * step] = of_element(x[i], i);
                                  }
                              });
}

ANEMONE_INLINE void softmax(evaluation& e, int index) {
    std::copy_n(e.input(index, 0), e.count(index), e.result(index));
    ane::detail::for_each_row(e.shape(index), normalized_axis(e.at(index).get<axis>().index, e.shape(index).rank),
                              [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t step) {
                                  soften(e.result(index) + begin, count, step);
                              });
}

ANEMONE_INLINE void layer_norm(evaluation& e, int index) {
    const auto& s = e.at(index).get<stabilizer>();
    along_lines(e, index, s.axis, [&](const strided_line& line) {
        const moments m(line, static_cast<double>(s.epsilon));
        return [m, gamma = e.input(index, 1), beta = e.input(index, 2)](double x, std::int64_t i) {
            return (x - m.mean) * m.inverse * gamma[i] + beta[i];
        };
    });
}

ANEMONE_INLINE void rms_norm(evaluation& e, int index) {
    const auto& s = e.at(index).get<stabilizer>();
    along_lines(e, index, s.axis, [&](const strided_line& line) {
        const double square = line.mean([](double x) { return x * x; });
        const double inverse = 1 / std::sqrt(square + static_cast<double>(s.epsilon));
        return [inverse, gamma = e.input(index, 1)](double x, std::int64_t i) { return x * inverse * gamma[i]; };
    });
}

ANEMONE_INLINE void l2_norm(evaluation& e, int index) {
    const auto& s = e.at(index).get<stabilizer>();
    along_lines(e, index, s.axis, [&](const strided_line& line) {
        const double norm = std::sqrt(line.sum([](double x) { return x * x; }));
        const double divisor = larger(norm, std::sqrt(static_cast<double>(s.epsilon)));
        return [divisor](double x, std::int64_t) { return x / divisor; };
    });
}

ANEMONE_INLINE void minmax_norm(evaluation& e, int index) {
    const auto& s = e.at(index).get<stabilizer>();
    along_lines(e, index, s.axis, [&](const strided_line& line) {
        double low = line[0];
        double high = line[0];
        for (std::int64_t i = 1; i < line.count; ++i) {
            low = smaller(low, line[i]);
            high = larger(high, line[i]);
        }
        const double range = high - low + static_cast<double>(s.epsilon);
        return [low, range](double x, std::int64_t) { return (x - low) / range; };
    });
}

/// Operands: x, then mean, variance, gamma and beta of each channel.
ANEMONE_INLINE void batch_norm(evaluation& e, int index) {
    const extents& shape = e.shape(index);
    const std::int64_t plane = shape.count() / (shape[0] * shape[1]);
    const auto epsilon = static_cast<double>(e.at(index).get<stabilizer>().epsilon);
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        const std::int64_t c = i / plane % shape[1];
        e.result(index)[i] = (e.input(index, 0)[i] - e.input(index, 1)[c]) / std::sqrt(e.input(index, 2)[c] + epsilon) *
                                 e.input(index, 3)[c] +
                             e.input(index, 4)[c];
    }
}

/// An instance norm has as many groups as channels.
ANEMONE_INLINE void group_norm(evaluation& e, int index) {
    const node& n = e.at(index);
    const extents& shape = n.shape;
    const bool grouped = n.kind == op::group_norm;
    const std::int64_t groups = grouped ? n.get<grouping>().groups : shape[1];
    const auto epsilon = static_cast<double>(grouped ? n.get<grouping>().epsilon : n.get<stabilizer>().epsilon);
    const std::int64_t plane = shape.count() / (shape[0] * shape[1]);
    const std::int64_t size = shape.count() / (shape[0] * groups);
    for (std::int64_t first = 0; first < shape.count(); first += size) {
        const moments m({e.input(index, 0) + first, size, 1}, epsilon);
        for (std::int64_t i = first; i < first + size; ++i) {
            const std::int64_t c = i / plane % shape[1];
            e.result(index)[i] =
                (e.input(index, 0)[i] - m.mean) * m.inverse * e.input(index, 1)[c] + e.input(index, 2)[c];
        }
    }
}

ANEMONE_INLINE void local_response_norm(evaluation& e, int index) {
    kernels::local_response_norm(wide_arithmetic{}, e.at(index).get<response_norm_shape>(), e.input(index, 0),
                                 e.shape(index), e.result(index));
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
