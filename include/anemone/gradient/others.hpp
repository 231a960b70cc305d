#pragma once

#include "tape.hpp"

/// Sources, the sampling unit, quantisation and the engine's own layers.
namespace ane::detail::gradients {

template <> struct derivative<op::input> : smooth {
    static constexpr void pull(const step&) {}
};
template <> struct derivative<op::weight> : derivative<op::input> {};
template <> struct derivative<op::constant> : derivative<op::input> {};
template <> struct derivative<op::random_uniform> : constant_result {};

/// A product with a matrix for each axis, which are known: back by the transposed ones.
template <> struct derivative<op::resize> : smooth {
    static constexpr void pull(const step& s) {
        const sampling c = s.n.get<sampling>();
        const extents x = s.shape();
        const int rows = matrix(s.t, c, x[2], s.n.shape[2]);
        const int columns = matrix(s.t, c, x[3], s.n.shape[3]);
        const int tall = s.t.emit(op::matmul, transposed{}, {s.dy, columns});
        s.pull(0, s.t.emit(op::matmul, transposed{.a = true}, {rows, tall}));
    }

private:
    /// [count, extent]: the shares of the pixels of an axis in each sample, as backend/kernels/resize.ipp has them.
    static constexpr int matrix(tape& t, const sampling& c, std::int64_t extent, std::int64_t count) {
        sequence<float> shares(static_cast<std::size_t>(count * extent), 0.0F);
        for (std::int64_t i = 0; i < count; ++i) {
            const double wanted = position(c.grid, extent, count, i);
            const auto last = static_cast<double>(extent - 1);
            const double at = wanted < 0 ? 0 : (wanted > last ? last : wanted);
            auto below = static_cast<std::int64_t>(at);
            double share = at - static_cast<double>(below);
            if (c.method == sampling_method::nearest) {
                below += c.grid != sampling_grid::asymmetric && share > 0.5 ? 1 : 0;
                share = 0;
            }
            float* const line = shares.data() + i * extent;
            line[below] += static_cast<float>(1 - share);
            if (share > 0) {
                line[below + 1] += static_cast<float>(share);
            }
        }
        return t.constant({count, extent}, {shares.data(), shares.size()});
    }
    static constexpr double position(sampling_grid grid, std::int64_t extent, std::int64_t count, std::int64_t i) {
        const auto length = static_cast<double>(extent);
        const auto n = static_cast<double>(count);
        const auto k = static_cast<double>(i);
        switch (grid) {
        case sampling_grid::half_pixel: return ((2 * k + 1) * length - n) / (2 * n);
        case sampling_grid::align_corners: return count > 1 ? k * (length - 1) / (n - 1) : 0;
        case sampling_grid::asymmetric: break;
        }
        return k * length / n;
    }
};

struct sampled_at_coordinates : refused_derivative {
    static constexpr no_derivative none{
        "its samples lie where the data says, and the engine has no operation that scatters",
        "resize, or products with a matrix of shares"};
};
template <> struct derivative<op::crop_resize> : sampled_at_coordinates {};
template <> struct derivative<op::resample> : sampled_at_coordinates {};
template <> struct derivative<op::affine> : sampled_at_coordinates {};
template <> struct derivative<op::gather_hw> : sampled_at_coordinates {};

template <> struct derivative<op::quantize> : refused_derivative {
    static constexpr no_derivative none{"it rounds to integers: its derivative is 0 wherever it has one",
                                        "train in fp16 and quantize afterwards"};
};
/// Integers have no cotangent, and scales are fixed when a model is quantized.
template <> struct derivative<op::dequantize> : refused_derivative {
    static constexpr no_derivative none{"its scale belongs to integers that were rounded by it",
                                        "multiply by a weight of its own"};
};
template <> struct derivative<op::compressed> : refused_derivative {
    static constexpr no_derivative none{"the weight is stored compressed",
                                        "train it uncompressed and compress afterwards"};
};

template <> struct derivative<op::dropout> : refused_derivative {
    static constexpr no_derivative none{"which elements it drops is not known to the graph",
                                        "multiply by a mask that is an input"};
};
template <> struct derivative<op::cost_volume> : refused_derivative {
    static constexpr no_derivative none{"it compares by a layer of the engine's own", "abs of differences of slices"};
};
template <> struct derivative<op::furthest_point_sampling> : refused_derivative {
    static constexpr no_derivative none{"it gives back points, but not which it chose", "gather the points by indices"};
};
template <> struct derivative<op::radius_search> : constant_result {};

} // namespace ane::detail::gradients
