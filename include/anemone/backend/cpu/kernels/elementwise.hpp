#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/strided.hpp"
#include "../../kernels/loop_nest.hpp"
#include "slab.hpp"
#include "workers.hpp"

#include <cstdint>

/// Element by element: what is computed is shared among the threads of a workers, or done by the calling thread.
namespace ane::cpu::inline ANEMONE_WAY {

/// The shape of a two-operand result under NumPy's rule: aligned at the last axis, an extent of one repeats.
/// Throws errc::argument when the shapes do not fit.
ANEMONE_API extents broadcast(const extents& a, const extents& b);

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// out = f(a, b) over broadcast(a_shape, b_shape), for add .. floor_div: IEEE fp32, rounded once, which for add, sub,
/// mul, div, minimum and maximum equals the correctly rounded fp16 result; pow and floor_div go through double. minimum
/// and maximum propagate NaN. Throws errc::argument on another operation or on shapes that do not fit.
ANEMONE_API void binary(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                        const extents& b_shape, half* out, const worker_threads& workers = {});

/// out = a < b and so on over broadcast(a_shape, b_shape): 1 or 0; the zeros are equal, and with a NaN only not_equal
/// is true. Throws errc::argument on another operation or on shapes that do not fit.
ANEMONE_API void compare(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                         const extents& b_shape, std::uint8_t* out, const worker_threads& workers = {});

/// out = condition ? a : b over the shape that the three broadcast to; the bits are copied. Throws errc::argument on
/// shapes that do not fit.
ANEMONE_API void select(const std::uint8_t* condition, const extents& condition_shape, const half* a,
                        const extents& a_shape, const half* b, const extents& b_shape, half* out,
                        const worker_threads& workers = {});

/// out[i] = x[i] is false. In place allowed.
ANEMONE_API void logical_not(const std::uint8_t* x, std::uint8_t* out, std::int64_t count,
                             const worker_threads& workers = {});

/// out = a and b, a or b, or one of them alone, over broadcast(a_shape, b_shape): 1 or 0. Throws errc::argument on
/// another operation or on shapes that do not fit.
ANEMONE_API void logic(op kind, const std::uint8_t* a, const extents& a_shape, const std::uint8_t* b,
                       const extents& b_shape, std::uint8_t* out, const worker_threads& workers = {});

/// out[i] = f(x[i]) for relu .. atan, computed in fp32 and rounded once: within one ulp of the exact value; parameters
/// as in detail::unary_function. In place allowed. Throws errc::argument on another operation.
ANEMONE_API void unary(const kernel_table& table, op kind, const half* x, half* out, std::int64_t count, float p0 = 0,
                       float p1 = 0, const worker_threads& workers = {});

/// out[n, c, i] = f(x[n, c, i]) with parameters for each channel c: prelu (slope first[c]) or parametric_softplus
/// (first[c] ln(1 + e^(second[c] x))); `plane` elements i a channel. In place allowed.
ANEMONE_API void parametric(const kernel_table& table, op kind, const half* x, std::int64_t batch,
                            std::int64_t channels, std::int64_t plane, const half* first, const half* second, half* out,
                            const worker_threads& workers = {});

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "elementwise.ipp"
#endif
