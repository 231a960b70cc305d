#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "epilogue.hpp"
#include "kernels/gemm.hpp"
#include "kernels/product_blocks.hpp"
#include "kernels/shared_weights.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// What the products of a node have in common, and where the matrices of each are.
struct product_plan {
    struct place {
        std::int64_t left;  ///< the first element of the left matrix
        std::int64_t right; ///< of the right one, or its number among the packed ones
    };

    product_extents extents;
    bool turned_right = false;
    sequence<place> places;
    std::shared_ptr<const packed_matrix> weights; ///< null where the right operand is computed, or there are
    std::shared_ptr<const packed_codes> codes;    ///< those of a weight that stays compressed
    bool biased = false;
    std::vector<float> bias; ///< of a constant one
    bool known_bias = false;

    scratch_sizes scratch() const {
        return {.shared = biased && !known_bias ? extents.n * std::int64_t{sizeof(float)} : 0,
                .each = product_scratch(extents).bytes()};
    }

    held_operands held() const {
        held_operands result;
        if (weights != nullptr || codes != nullptr) {
            result = {0b10, weights != nullptr ? weights->bytes() : codes->bytes()};
        }
        if (known_bias) {
            result.which |= 0b100U;
            result.bytes += bias.size() * sizeof(float);
        }
        return result;
    }

    template <algorithm_set Ways> void run(const kernel_table& kernels, const operands& o, const epilogue& last) const {
        const float* added = biased ? bias.data() : nullptr;
        if (biased && !known_bias) {
            auto* const values = reinterpret_cast<float*>(o.workers.shared);
            kernels.to_float(o.input(2), values, extents.n);
            added = values;
        }
        const auto products = static_cast<std::int64_t>(places.size());
        const finishing direct = last.direct(o, products * extents.m * extents.n);
        multiply<Ways>(
            kernels, extents, products, o.workers,
            [&](std::int64_t i) {
                const place& at = places[static_cast<std::size_t>(i)];
                const half* const left = o.input(0) + at.left;
                if (codes != nullptr) {
                    return std::pair(left, right_matrix{nullptr, true, false, codes.get()});
                }
                return std::pair(left, weights != nullptr ? right_matrix{weights->matrix(at.right), true, false}
                                                          : right_matrix{o.input(1) + at.right, false, turned_right});
            },
            [&](std::int64_t i, float* sums, std::int64_t row, std::int64_t column, std::int64_t count) {
                if (added != nullptr) {
                    kernels.binary(op::add, sums, 1, added + column, 1, sums, count);
                }
                last.store(kernels, o, sums, (i * extents.m + row) * extents.n + column, count);
            },
            [&](std::int64_t i) {
                return direct.out == nullptr
                           ? finished_results{}
                           : finished_results{direct.from(i * extents.m * extents.n), extents.n, added, nullptr};
            });
    }
};

template <algorithm_set Ways> bound_step bound_product(const kernel_table& kernels, product_plan plan, epilogue last) {
    const scratch_sizes scratch = plan.scratch();
    const held_operands held = plan.held();
    return {[&kernels, plan = std::move(plan), last = std::move(last)](const operands& o) {
                plan.run<Ways>(kernels, o, last);
            },
            scratch, held};
}

/// Elements of weights that do not stay in caches between two runs: codes are then read sooner than fp16.
inline constexpr std::int64_t streamed_weights = std::int64_t{1} << 22;

/// In blocks of so many terms ggml has scales (Q8_0): a weight that was read from such a file is fp16 in the model, with
/// values that are codes times scales.
inline constexpr compression stored_by_ggml{.form = weight_form::blockwise, .bits = 8, .block = 32};

/// Packs the constant right operand of a node: as codes where it is one matrix that a model stores in a form that loops can
/// read, or of values that such a form has, and that is faster: from the caches a byte takes longer to turn into a value than
/// its fp16.
template <algorithm_set Ways>
void pack_right(product_plan& plan, const binding_context& c, int index, const matmul_shape& s) {
    const half* const weight = c.constant(index, 1);
    if constexpr (Ways.contains(algorithm::codes)) {
        const node& stored = c.at(c.operand(index, 1));
        const compression& form = stored.kind == op::compressed ? stored.get<compression>() : stored_by_ggml;
        const bool small_codes =
            form.form == weight_form::palette && c.kernels.products.quick_nibbles && plan.extents.few();
        if (s.batch == 1 && (small_codes || std::max(s.k * s.n, c.multiplied_weights) >= streamed_weights)) {
            if (packed_codes codes = pack_codes(c.kernels, s, weight, form); !codes.empty()) {
                plan.codes = shared_weight(std::move(codes));
                return;
            }
        }
    }
    plan.weights = shared_weight(pack(c.kernels, s, weight));
}

/// y = x W^T + b as one product: the leading axes of x together are the rows.
template <kernel_needs Needs> bound_step bind_linear(const binding_context& c, int index) {
    const extents& x = c.operand_shape(index, 0);
    const extents& w = c.operand_shape(index, 1);
    product_plan plan;
    plan.extents = {.m = x.count() / x.width(), .n = w[0], .k = w[1]};
    plan.turned_right = true;
    plan.places.push_back({0, 0});
    plan.biased = c.at(index).operands.count == 3;
    if (c.constant(index, 1) != nullptr) {
        pack_right<Needs.algorithms>(plan, c, index, {1, plan.extents.m, w[0], w[1], false, true, 0, 0});
    }
    if (const half* const bias = c.constant(index, 2)) {
        plan.known_bias = true;
        plan.bias = to_floats(c.kernels, bias, plan.extents.n);
    }
    return bound_product<Needs.algorithms>(c.kernels, std::move(plan), c.epilogue_of(index));
}

/// One product for each matrix of the batch, whose axes may broadcast; one for all, where they have one right operand.
template <kernel_needs Needs> bound_step bind_matmul(const binding_context& c, int index) {
    const extents a = c.operand_shape(index, 0);
    const extents b = c.operand_shape(index, 1);
    const extents y = c.shape(index);
    const transposed form = c.at(index).get<transposed>();
    const matmul_shape shape = ane::detail::matmul_shape_of(c.graph, c.at(index));
    const std::int64_t right_size = b.height() * b.width();
    product_plan plan;
    plan.extents = {.m = shape.m, .n = shape.n, .k = shape.k, .turned_left = form.a};
    plan.turned_right = form.b;
    if (b.count() == right_size && !form.a) {
        plan.extents.m = y.count() / y.width();
        plan.places.push_back({0, 0});
    } else {
        ane::detail::for_each_batch(y, a, b, [&](std::int64_t, std::int64_t from_a, std::int64_t from_b) {
            plan.places.push_back({from_a, from_b});
        });
    }
    if (c.constant(index, 1) != nullptr && right_size > 0) {
        matmul_shape all = shape;
        all.batch = b.count() / right_size;
        all.b_batch_stride = right_size;
        pack_right<Needs.algorithms>(plan, c, index, all);
        for (product_plan::place& at : plan.places) {
            at.right /= right_size;
        }
    }
    return bound_product<Needs.algorithms>(c.kernels, std::move(plan), c.epilogue_of(index));
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
