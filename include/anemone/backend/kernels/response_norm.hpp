#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes.hpp"
#include "arithmetic.hpp"

#include <algorithm>
#include <cstdint>

namespace ane::kernels::inline ANEMONE_WAY {

/// x / (k + alpha / size * sum of x^2)^beta over x [N, C, ...]: the sum over (size - 1) / 2 channels before, the
/// channel itself and size / 2 behind, rounded down, as far as there are any (ONNX). On the engine conflicting: so
/// ANEForge's documents, but its reference sums all channels, and the guide's appendix B has only the first `size`
/// channels normalised; runs on M1 and M5 had as many as `size`. Inferred: the squares in fp16, their sum / size as a
/// mean of the reduction path, then the power -beta with one rounding, and one product: a sweep on M5 found a relative
/// error of 1.4e-4 (ops facts).
template <class Arithmetic>
void local_response_norm(const Arithmetic& a, const response_norm_shape& how, const element_of<Arithmetic>* x,
                         const extents& shape, element_of<Arithmetic>* out) {
    using value = typename Arithmetic::value;
    const std::int64_t channels = shape[1];
    const std::int64_t inner = shape.count() / (shape[0] * channels);
    const value alpha = a.number(static_cast<double>(how.alpha));
    const value exponent = a.number(-static_cast<double>(how.beta));
    const value k = a.number(static_cast<double>(how.k));
    for (std::int64_t n = 0; n < shape[0]; ++n) {
        for (std::int64_t c = 0; c < channels; ++c) {
            const std::int64_t begin = std::max<std::int64_t>(0, c - (how.size - 1) / 2);
            const std::int64_t end = std::min(channels, c + how.size / 2 + 1);
            for (std::int64_t i = 0; i < inner; ++i) {
                typename Arithmetic::sum squares(a);
                for (std::int64_t j = begin; j < end; ++j) {
                    const value near = a.load(x[(n * channels + j) * inner + i]);
                    squares.add(a.multiply(near, near));
                }
                const value divisor = a.add(k, a.multiply(alpha, squares.mean(how.size)));
                const std::int64_t at = (n * channels + c) * inner + i;
                out[at] = a.store(a.multiply(a.load(x[at]), a.power(divisor, exponent)));
            }
        }
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY
