#pragma once

#include "append.hpp"
#include "convolution.hpp"

namespace ane {

/// The attributes as a graph keeps them: padding explicit, the stride given.
constexpr pool resolve(pool a, const extents& x) {
    if (a.stride.height == 0 && a.stride.width == 0) {
        a.stride = a.kernel;
    }
    a.padding = detail::resolved(a.padding, x, a.kernel, a.stride, 1);
    return a;
}

/// H' = (H + top + bottom - kH) / stride + 1, rounded down, or up with ceil_mode; W' likewise.
constexpr inferred shape_rule(const pool& given, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, x.rank, 4);
    r.require(given.kernel.height >= 1, fault::kernel_must_be_at_least_1, given.kernel.height, 1);
    r.require(given.kernel.width >= 1, fault::kernel_must_be_at_least_1, given.kernel.width, 1);
    r.require(given.stride.height >= 0 && given.stride.width >= 0, fault::stride_must_be_at_least_1,
              given.stride.height < given.stride.width ? given.stride.height : given.stride.width, 1);
    r.require((given.stride.height == 0) == (given.stride.width == 0), fault::stride_must_be_at_least_1, 0, 1);
    if (!r.ok()) {
        return r;
    }
    const pool a = resolve(given, x);
    r = detail::require_window(a, r);
    const std::int64_t padded_h = x[2] + a.padding.top + a.padding.bottom;
    const std::int64_t padded_w = x[3] + a.padding.left + a.padding.right;
    r.require(a.kernel.height <= padded_h, fault::kernel_must_fit_into_the_padded_height_R033, a.kernel.height,
              padded_h);
    r.require(a.kernel.width <= padded_w, fault::kernel_must_fit_into_the_padded_width_R033, a.kernel.width, padded_w);
    for (const int amount : {a.padding.top, a.padding.bottom}) {
        r.require(amount < a.kernel.height, fault::pool_padding_must_be_smaller_than_the_kernel_R060, amount,
                  a.kernel.height);
    }
    for (const int amount : {a.padding.left, a.padding.right}) {
        r.require(amount < a.kernel.width, fault::pool_padding_must_be_smaller_than_the_kernel_R060, amount,
                  a.kernel.width);
    }
    if (!r.ok()) {
        return r;
    }
    const auto out = [&a](std::int64_t in, std::int64_t padded, int before, int kernel, int stride) {
        std::int64_t steps = (padded - kernel) / stride;
        // A window that would start in the padding after the input is dropped, as in ONNX and PyTorch.
        if (a.ceil_mode && (padded - kernel) % stride != 0 && (steps + 1) * stride < in + before) {
            ++steps;
        }
        return steps + 1;
    };
    r.shape = {x[0], x[1], out(x[2], padded_h, a.padding.top, a.kernel.height, a.stride.height),
               out(x[3], padded_w, a.padding.left, a.kernel.width, a.stride.width)};
    return r;
}

/// The largest element of each window; padding never wins. R060, R061, R184.
template <pool A, class X>
    requires obeys<shapes::of<A>, X>
constexpr auto max_pool(X x, source_location where = here()) {
    return detail::append<shapes::of<A>>(op::max_pool, detail::resolved_for<A, X>, where, x);
}
template <pool A, class X, class Broken = breach<op::max_pool, shapes::of<A>, X>> Broken max_pool(X, ...);

/// The mean of each window; padding counts as zeros unless `exclude_padding`, and so does what ceil_mode adds behind it:
/// the engine then divides by the whole kernel (measured through Core ML). ONNX and PyTorch divide by the places on the
/// padded input: pad the input with zeros and exclude the padding, as the ONNX reader does.
template <pool A, class X>
    requires obeys<shapes::of<A>, X>
constexpr auto avg_pool(X x, source_location where = here()) {
    return detail::append<shapes::of<A>>(op::avg_pool, detail::resolved_for<A, X>, where, x);
}
template <pool A, class X, class Broken = breach<op::avg_pool, shapes::of<A>, X>> Broken avg_pool(X, ...);

/// The square root of the sum of squares of each window; padding counts as zeros.
template <pool A, class X>
    requires obeys<shapes::of<A>, X>
constexpr auto l2_pool(X x, source_location where = here()) {
    return detail::append<shapes::of<A>>(op::l2_pool, detail::resolved_for<A, X>, where, x);
}
template <pool A, class X, class Broken = breach<op::l2_pool, shapes::of<A>, X>> Broken l2_pool(X, ...);

} // namespace ane
