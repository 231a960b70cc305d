#pragma once

#include "../base/way.hpp"
#include "elementwise.hpp"
#include "reduction.hpp"

#include <cstdint>
#include <vector>

namespace ane::numerics::inline ANEMONE_WAY {

/// out[i] = e^(x[i] - max x) / sum over j of e^(x[j] - max x), `count` values `stride` elements apart, in place or not.
/// The subtraction of the maximum is in hardware (measured M1, N109). A lane at +infinity, which a NaN enters as, holds
/// all the mass (N087): inf - inf is +0 (N091), the others end at e^-inf = 0.
/// Inferred: every step in fp16, the exponential by its table, the sum by the reduction path, one multiplication by the
/// reciprocal's table. The sum of 2^k equal lanes and N110 are exact under it.
ANEMONE_INLINE void softmax(const datapath& path, const half* x, half* out, std::int64_t count, std::int64_t stride) {
    if (count <= 0) {
        return;
    }
    const half top = reduce(path, op::reduce_max, x, count, stride);
    std::vector<half> power(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        power[static_cast<std::size_t>(i)] = exponential(path, binary<op::sub>(path, x[i * stride], top));
    }
    const half inverse = reciprocal(path, reduce(path, op::reduce_sum, power.data(), count, 1));
    for (std::int64_t i = 0; i < count; ++i) {
        out[i * stride] = multiply(path, power[static_cast<std::size_t>(i)], inverse);
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY
