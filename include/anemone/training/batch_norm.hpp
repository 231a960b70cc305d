#pragma once

#include "../ops/elementwise.hpp"
#include "../ops/functions.hpp"
#include "../ops/movement.hpp"
#include "../ops/reduction.hpp"

/// Batch normalisation while a model trains: by the statistics of the batch. Where it has been trained, `batch_norm` takes the
/// running ones as weights.
namespace ane {

/// What a batch was normalised to, and its statistics [C], of which the running ones are made:
///
///     auto n = normalized_batch(x, read(gamma), read(beta));
///     write(mean, 0.9 * read(mean) + 0.1 * n.mean);
template <class X, class Statistic> struct batch_normalized {
    X value;
    Statistic mean;
    Statistic variance; ///< of the batch itself: divided by the number of its elements
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta over all axes of x [N, C, H, W] but the channels; gamma and beta [C].
/// The square of what exceeds 255 from the mean is infinite in fp16.
template <class X, class G, class B>
    requires(X::extent.rank == 4 && G::extent == extents{X::extent[1]} && B::extent == G::extent)
constexpr auto normalized_batch(X x, G gamma, B beta, double epsilon = 1e-5, source_location where = here()) {
    constexpr std::int64_t channels = X::extent[1];
    const auto mean = reduce_mean<axes{0, 2, 3}>(x, where);
    const auto apart = sub(x, mean, where);
    const auto variance = reduce_mean<axes{0, 2, 3}>(square(apart, where), where);
    const auto scale = mul(reshape<1, channels, 1, 1>(gamma, where), rsqrt(variance, epsilon, where), where);
    const auto value = add(mul(apart, scale, where), reshape<1, channels, 1, 1>(beta, where), where);
    return batch_normalized<X, G>{value, reshape<channels>(mean, where), reshape<channels>(variance, where)};
}

} // namespace ane
