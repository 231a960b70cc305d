#pragma once

#include "../../../base/way.hpp"
#include "../../../passes/weight_gradients.hpp"
#include "table.hpp"
#include "workers.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// The derivative of a convolution's weight as one product for each row of the kernel: the cotangent [O, T] times the operand
/// as NHWC, [T, columns of the kernel * C], where T counts the outputs of all images and the gaps behind them, which are
/// zeros. From a place of the kernel to the next the right operand begins elsewhere; nothing is copied for each.
struct weight_gradient_plan {
    /// Neighbouring places of one row of the kernel.
    struct run {
        std::int64_t begin = 0;      ///< the first element of the right operand
        std::int64_t places = 0;     ///< how many
        sequence<std::int64_t> at{}; ///< their numbers
    };
    /// The rows of x from which every stride-th is read.
    struct phase {
        std::int64_t first = 0; ///< the row of x, perhaps before it, of row 0
        std::int64_t begin = 0; ///< elements
    };

    std::int64_t batch = 1;
    std::int64_t channels = 1; ///< of x
    std::int64_t outputs = 1;  ///< O
    std::int64_t rows = 1;     ///< the same, and zeros: as many as a product of many rows has
    std::int64_t places = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t stride_height = 1;
    std::int64_t stride_width = 1;
    std::int64_t first_column = 0; ///< of x, perhaps before it
    std::int64_t phase_rows = 1;   ///< from an image of a phase to the next
    std::int64_t held_rows = 1;    ///< of them, that are read
    std::int64_t pitch = 1;        ///< outputs from a row to the next
    std::int64_t held_columns = 1; ///< of x that are read
    std::int64_t phase_size = 0;   ///< elements of a phase
    sequence<phase> phases{};
    sequence<run> runs{};

    std::int64_t terms() const { return batch * phase_rows * pitch; }
    /// From an output to the next, in the right operand.
    std::int64_t term_step() const { return stride_width * channels; }
    ANEMONE_API scratch_sizes scratch() const;
};

ANEMONE_API weight_gradient_plan plan_weight_gradient(const weight_gradient& g, const extents& x);

/// result[o, c, place], each one fp32 sum over images, rows and columns, then one rounding. The scratch of the plan is shared
/// by all threads.
ANEMONE_API void weight_gradient_of(const kernel_table& table, const weight_gradient_plan& plan, const half* cotangent,
                                    const half* x, half* result, const worker_threads& workers);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "weight_gradient.ipp"
#endif
