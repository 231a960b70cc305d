#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/half.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// What a layer's weight meets: the second moments X^T X of the rows of activations that it is multiplied with.
namespace ane::compress::inline ANEMONE_WAY {

/// A weight as a matrix, one row for each output: element (row, column) stands at `row * row_step + column * step`.
struct weight_matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t row_step = 0;
    std::int64_t step = 0;
    std::int64_t groups = 1; ///< of a convolution: each has a share of the rows, and moments of its own

    bool known() const { return rows > 0 && columns > 0; }
    std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * row_step + column * step);
    }
    std::int64_t group_of(std::int64_t row) const { return row / (rows / groups); }
};

/// How node `reader` reads its second operand; unknown for an operation or a layout whose moments are not taken: products
/// of several matrices, of a transposed left operand, transposed convolutions.
ANEMONE_API weight_matrix matrix_of(const graph_view& g, int reader);

/// Sums of x_i x_j, for each group a symmetric matrix [columns][columns]. Only the half from the diagonal on is summed
/// until `complete`.
struct moments {
    std::int64_t columns = 0;
    std::vector<std::vector<double>> sums; ///< by group

    bool known() const { return columns > 0; }
    double at(std::int64_t group, std::int64_t i, std::int64_t j) const {
        return sums[static_cast<std::size_t>(group)][static_cast<std::size_t>(i * columns + j)];
    }
};

/// No sums yet, for a weight of a known layout.
ANEMONE_API moments no_moments(const weight_matrix& layout);
/// Adds the rows of one run: `values` is the first operand of node `reader`.
ANEMONE_API void add_moments(moments& to, const graph_view& g, int reader, std::span<const half> values);
/// Fills the other half in.
ANEMONE_API void complete(moments& m);

/// The squared length of D X^T, the outputs' error where the weight is off by D: the sum over rows of d M d^T, or over
/// every `stride`-th of them.
ANEMONE_API double output_energy(const moments& m, const weight_matrix& layout, std::span<const double> weights,
                                 std::int64_t stride = 1);

} // namespace ane::compress::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "moments.ipp"
#endif
