#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/kernel_shapes.hpp"
#include "../node_shapes.hpp"
#include "functions.hpp"
#include "shifted_sums.hpp"
#include "step.hpp"
#include "sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::wide_reference::inline ANEMONE_WAY {

/// The indices i of an axis of `extent` elements for which 0 <= i step + first < other.
struct index_run {
    std::int64_t begin;
    std::int64_t end;
};
constexpr index_run inside(std::int64_t extent, std::int64_t step, std::int64_t first, std::int64_t other) {
    const std::int64_t begin = first >= 0 ? 0 : (-first + step - 1) / step;
    const std::int64_t end = first >= other ? 0 : (other - 1 - first) / step + 1;
    return {begin, std::min(extent, end)};
}

/// One plane of a convolution's result: cross-correlations of planes of x with kernels, added up.
ANEMONE_INLINE void convolved_plane(const numerics::convolution_shape& s, const double* x, const double* w,
                                    std::int64_t channels, double* out) {
    block_sums sums(out, s.out_height * s.out_width);
    for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                const double factor = *w++;
                const std::int64_t top = i * s.dilation_height - s.pad_top;
                const std::int64_t left = j * s.dilation_width - s.pad_left;
                const index_run rows = inside(s.out_height, s.stride_height, top, s.in_height);
                const index_run columns = inside(s.out_width, s.stride_width, left, s.in_width);
                for (std::int64_t y = rows.begin; y < rows.end; ++y) {
                    const double* const from = x + (c * s.in_height + y * s.stride_height + top) * s.in_width;
                    double* const to = sums.part() + y * s.out_width;
                    for (std::int64_t k = columns.begin; k < columns.end; ++k) {
                        to[k] += factor * from[k * s.stride_width + left];
                    }
                }
                sums.end_term();
            }
        }
    }
    sums.finish();
}

/// The adjoint: every element of x adds a kernel to the result. `w_step` lies between the kernels of two channels.
ANEMONE_INLINE void transposed_plane(const numerics::convolution_shape& s, const double* x, const double* w,
                                     std::int64_t w_step, std::int64_t channels, double* out) {
    block_sums sums(out, s.out_height * s.out_width);
    for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                const double factor = w[c * w_step + i * s.kernel_width + j];
                const std::int64_t top = i * s.dilation_height - s.pad_top;
                const std::int64_t left = j * s.dilation_width - s.pad_left;
                const index_run rows = inside(s.in_height, s.stride_height, top, s.out_height);
                const index_run columns = inside(s.in_width, s.stride_width, left, s.out_width);
                for (std::int64_t y = rows.begin; y < rows.end; ++y) {
                    const double* const from = x + (c * s.in_height + y) * s.in_width;
                    double* const to = sums.part() + (y * s.stride_height + top) * s.out_width + left;
                    for (std::int64_t k = columns.begin; k < columns.end; ++k) {
                        to[k * s.stride_width] += factor * from[k];
                    }
                }
                sums.end_term();
            }
        }
    }
    sums.finish();
}

/// Calls plane(first input plane, output channel, result) for each plane of a convolution's result and adds the bias.
template <class Plane>
void for_each_plane(evaluation& e, int index, const numerics::convolution_shape& s, const Plane& plane) {
    const std::int64_t in = s.in_channels / s.groups;
    const std::int64_t out = s.out_channels / s.groups;
    const std::int64_t size = s.out_height * s.out_width;
    const double* const bias = e.operand_count(index) == 3 ? e.input(index, 2) : nullptr;
    double* const y = e.result(index);
    share(s.batch * s.out_channels, e.threads, [&](std::int64_t i) {
        const std::int64_t c = i % s.out_channels;
        const std::int64_t first = i / s.out_channels * s.in_channels + c / out * in;
        double* const to = y + i * size;
        plane(e.input(index, 0) + first * s.in_height * s.in_width, c, to);
        for (std::int64_t k = 0; bias != nullptr && k < size; ++k) {
            to[k] += bias[c];
        }
    });
}

/// The same for unit strides, `planes_at_once` planes of a result at a time.
ANEMONE_INLINE void correlate_shifted(evaluation& e, int index, const numerics::convolution_shape& s) {
    const std::int64_t in = s.in_channels / s.groups;
    const std::int64_t out = s.out_channels / s.groups;
    const std::int64_t kernel = in * s.kernel_height * s.kernel_width;
    const std::int64_t size = s.out_height * s.out_width;
    const std::int64_t tiles = (out + planes_at_once - 1) / planes_at_once;
    const double* const bias = e.operand_count(index) == 3 ? e.input(index, 2) : nullptr;
    for (std::int64_t i = 0; i < s.batch * s.groups; ++i) {
        const double* const x = e.input(index, 0) + i * in * s.in_height * s.in_width;
        const shifted_rows rows = shift_rows(s, x, in);
        const std::int64_t group = i % s.groups * out;
        share(tiles, e.threads, [&](std::int64_t tile) {
            const std::int64_t first = tile * planes_at_once;
            const std::int64_t count = std::min(planes_at_once, out - first);
            const double* const w = e.input(index, 1) + (group + first) * kernel;
            double* const to = e.result(index) + (i * out + first) * size;
            if (count == planes_at_once) {
                shifted_planes(s, rows, w, to);
            } else {
                for (std::int64_t c = 0; c < count; ++c) {
                    convolved_plane(s, x, w + c * kernel, in, to + c * size);
                }
            }
            for (std::int64_t k = 0; bias != nullptr && k < count * size; ++k) {
                to[k] += bias[group + first + k / size];
            }
        });
    }
}

ANEMONE_INLINE void correlate(evaluation& e, int index, const numerics::convolution_shape& s) {
    const double* const w = e.input(index, 1);
    if (has_shifted_rows(s, w)) {
        correlate_shifted(e, index, s);
        return;
    }
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t kernel = channels * s.kernel_height * s.kernel_width;
    for_each_plane(e, index, s, [&](const double* x, std::int64_t c, double* to) {
        convolved_plane(s, x, w + c * kernel, channels, to);
    });
}

ANEMONE_INLINE void conv2d(evaluation& e, int index) {
    correlate(e, index, ane::detail::convolution_shape_of<conv>(e.graph, e.at(index)));
}

ANEMONE_INLINE void cross_correlation(evaluation& e, int index) {
    correlate(e, index, ane::detail::correlation_shape_of(e.graph, e.at(index)));
}

ANEMONE_INLINE void conv_transpose2d(evaluation& e, int index) {
    const numerics::convolution_shape s = ane::detail::convolution_shape_of<conv_transpose>(e.graph, e.at(index));
    const std::int64_t in = s.in_channels / s.groups;
    const std::int64_t out = s.out_channels / s.groups;
    const std::int64_t kernel = s.kernel_height * s.kernel_width;
    const double* const w = e.input(index, 1);
    for_each_plane(e, index, s, [&](const double* x, std::int64_t c, double* to) {
        transposed_plane(s, x, w + (c / out * in * out + c % out) * kernel, out * kernel, in, to);
    });
}

/// x w^T + b for rows of x.
ANEMONE_INLINE void linear(evaluation& e, int index) {
    const std::int64_t terms = e.operand_shape(index, 0).width();
    const std::int64_t features = e.shape(index).width();
    const double* const bias = e.operand_count(index) == 3 ? e.input(index, 2) : nullptr;
    share(e.count(index) / features, e.threads, [&](std::int64_t row) {
        const double* const x = e.input(index, 0) + row * terms;
        double* const y = e.result(index) + row * features;
        for (std::int64_t k = 0; k < features; ++k) {
            y[k] = dot(x, 1, e.input(index, 1) + k * terms, terms) + (bias == nullptr ? 0 : bias[k]);
        }
    });
}

ANEMONE_INLINE void matmul(evaluation& e, int index) {
    const numerics::matmul_shape s = ane::detail::matmul_shape_of(e.graph, e.at(index));
    std::vector<std::array<std::int64_t, 2>> from; // where the operands of each product begin
    ane::detail::for_each_batch(e.shape(index), e.operand_shape(index, 0), e.operand_shape(index, 1),
                                [&](std::int64_t, std::int64_t a, std::int64_t b) {
                                    from.push_back({a, b});
                                });
    share(static_cast<std::int64_t>(from.size()) * s.m, e.threads, [&](std::int64_t i) {
        const std::int64_t row = i % s.m;
        const auto& begin = from[static_cast<std::size_t>(i / s.m)];
        const double* const a = e.input(index, 0) + begin[0] + (s.transpose_a ? row : row * s.k);
        const std::int64_t a_step = s.transpose_a ? s.m : 1;
        const double* const b = e.input(index, 1) + begin[1];
        double* const y = e.result(index) + i * s.n;
        if (s.transpose_b) {
            for (std::int64_t column = 0; column < s.n; ++column) {
                y[column] = dot(a, a_step, b + column * s.k, s.k);
            }
        } else {
            row_times_matrix(a, a_step, b, s.k, s.n, y);
        }
    });
}

/// e^(x - max) / sum e^(x - max) of a row. NaN where it holds a NaN or +infinity, or -infinity alone.
ANEMONE_INLINE void soften(double* row, std::int64_t count, std::int64_t step) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < count; ++i) {
        most = larger(most, row[i * step]);
    }
    exact_sum total;
    for (std::int64_t i = 0; i < count; ++i) {
        row[i * step] = std::exp(row[i * step] - most);
        total.add(row[i * step]);
    }
    const double sum = total.result();
    for (std::int64_t i = 0; i < count; ++i) {
        row[i * step] /= sum;
    }
}

/// softmax(scale q k^T + mask) v; the leading axes of the mask broadcast, and its rows and keys.
ANEMONE_INLINE void attention(evaluation& e, int index) {
    const extents& q = e.operand_shape(index, 0);
    const extents& v = e.operand_shape(index, 2);
    const bool masked = e.operand_count(index) == 4;
    const extents mask = masked ? e.operand_shape(index, 3) : extents{1, 1};
    const std::int64_t rows = q.height();
    const std::int64_t depth = q.width();
    const std::int64_t keys = v.height();
    const std::int64_t width = v.width();
    const auto scale = static_cast<double>(e.at(index).get<score_scaling>().scale);
    std::vector<std::int64_t> masks; // where the mask of each head begins
    ane::detail::for_each_batch(q, q, mask,
                                [&](std::int64_t, std::int64_t, std::int64_t from) { masks.push_back(from); });
    share(static_cast<std::int64_t>(masks.size()) * rows, e.threads, [&](std::int64_t i) {
        const std::int64_t head = i / rows;
        const std::int64_t row = i % rows;
        std::vector<double> scores(static_cast<std::size_t>(keys));
        for (std::int64_t key = 0; key < keys; ++key) {
            double& score = scores[static_cast<std::size_t>(key)];
            score =
                scale * dot(e.input(index, 0) + i * depth, 1, e.input(index, 1) + (head * keys + key) * depth, depth);
            if (masked) {
                const std::int64_t at = (mask.height() == 1 ? 0 : row) * mask.width() + (mask.width() == 1 ? 0 : key);
                score += e.input(index, 3)[masks[static_cast<std::size_t>(head)] + at];
            }
        }
        soften(scores.data(), keys, 1);
        row_times_matrix(scores.data(), 1, e.input(index, 2) + head * keys * width, keys, width,
                         e.result(index) + i * width);
    });
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
