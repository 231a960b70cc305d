#pragma once

#include "algorithms.hpp"
#include "gemm.hpp"
#include "pointwise.hpp"
#include "product_blocks.hpp"

#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The products of a plan, and how many there are.
struct pointwise_products {
    product_extents extents;
    std::int64_t count;

    explicit pointwise_products(const pointwise_plan& plan) {
        const numerics::convolution_shape& s = plan.shape;
        const std::int64_t plane = s.out_height * s.out_width;
        const std::int64_t channels = s.in_channels / s.groups;
        count = s.batch * s.groups;
        extents = {.m = s.out_channels / s.groups, .n = plane, .k = channels};
        if (plan.out == layout::nhwc) {
            const bool together = plan.in == layout::nhwc; // the places of all images are rows
            count = together ? 1 : s.batch;
            extents = {
                .m = together ? s.batch * plane : plane, .n = s.out_channels, .k = channels, .turned_left = !together};
        }
    }
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes pointwise_plan::scratch() const {
    return {.each = detail::product_scratch(detail::pointwise_products(*this).extents).bytes()};
}

ANEMONE_BODY bool is_pointwise(const numerics::convolution_shape& s, const convolution_form& form) {
    return has_one_tap(s) && (form.in == layout::nhwc || form.out == layout::nhwc || is_worth_a_product(s));
}

ANEMONE_BODY packed_matrix pack_pointwise(const kernel_table& table, const pointwise_plan& plan, const half* weight) {
    if (plan.out == layout::nchw) {
        return {};
    }
    const detail::product_extents& e = detail::pointwise_products(plan).extents;
    return pack(table, numerics::matmul_shape{1, e.m, e.n, e.k, false, true, 0, 0}, weight);
}

ANEMONE_BODY void pointwise_convolution(const kernel_table& table, const pointwise_plan& plan, const half* weights,
                                        const packed_matrix* packed, const float* bias, const half* x,
                                        const worker_threads& workers, const sums_sink& sink) {
    const numerics::convolution_shape& s = plan.shape;
    const detail::pointwise_products products(plan);
    const detail::product_extents& e = products.extents;
    const bool nhwc = plan.out == layout::nhwc;
    const std::int64_t image = s.in_channels / s.groups * s.in_height * s.in_width; // of a group
    const auto bias_of = [&](std::int64_t i) { return bias == nullptr ? nullptr : bias + i % s.groups * e.m; };
    const auto operands = [&](std::int64_t i) {
        const half* const from = x + i * image;
        if (nhwc) {
            return std::pair(from, packed == nullptr ? detail::right_matrix{weights, false, true}
                                                     : detail::right_matrix{packed->matrix(0), true, false});
        }
        return std::pair(weights + i % s.groups * e.m * e.k,
                         detail::right_matrix{from, false, plan.in == layout::nhwc});
    };
    const auto store = [&](std::int64_t i, float* sums, std::int64_t row, std::int64_t column, std::int64_t count) {
        if (bias != nullptr) {
            const float* const added = nhwc ? bias + column : bias_of(i) + row;
            table.binary(op::add, sums, 1, added, nhwc ? 1 : 0, sums, count);
        }
        sink(sums, (i * e.m + row) * e.n + column, count);
    };
    const auto finished = [&](std::int64_t i) {
        return sink.direct.out == nullptr
                   ? detail::finished_results{}
                   : detail::finished_results{sink.direct.from(i * e.m * e.n), e.n, nhwc ? bias : nullptr,
                                              nhwc ? nullptr : bias_of(i)};
    };
    detail::multiply(table, e, products.count, workers, operands, store, finished);
}

} // namespace ane::cpu::inline ANEMONE_WAY
