#pragma once

#include "../base/way.hpp"
#include "../weights/encode.hpp"
#include "moments.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Rounding with error feedback (GPTQ): the elements of a row are rounded one after the other, and what an element loses
/// is made up for by those that are still to come, as far as the activations that they meet let them.
namespace ane::compress::inline ANEMONE_WAY {

/// What the procedure needs of a layer's moments, whatever the form: for each group of rows the order of the columns and
/// the triangular factor of the inverse.
struct feedback_basis {
    struct part {
        std::vector<std::size_t> order;
        std::vector<double> factor; ///< [columns][columns], in that order
    };
    std::int64_t columns = 0;
    std::vector<part> parts;

    bool known() const { return columns > 0; }
};

/// Unknown where the moments are, or where nothing but zeros was met. Takes columns^3 steps.
ANEMONE_API feedback_basis feedback_basis_of(const moments& m);

/// The fp16 values of which `encode_weight` makes what this procedure chose: the grid (scales or table) of the given
/// ones, other integers or indices. `table`, where it is not empty, is the palette to use, ascending. Empty where the
/// form has no such grid (sparse forms, zero points, palettes of vectors), the basis is not known, or fp16 does not hold
/// what would encode to it.
ANEMONE_API std::optional<std::vector<half>> with_error_feedback(std::span<const half> values, const extents& shape,
                                                                 const compression& form, const weight_matrix& layout,
                                                                 const feedback_basis& basis,
                                                                 std::span<const half> table = {});

/// The palette of the least squared error (optimal_palette.hpp), in fp16 and ascending; `cost`, where it is not empty,
/// is what the squared error of each element counts.
ANEMONE_API std::vector<half> optimal_table(std::span<const half> values, int bits, std::span<const double> cost = {});

/// Each value's nearest entry of an ascending table, the lower of two that are as near.
ANEMONE_API std::vector<half> nearest_entries(std::span<const half> values, std::span<const half> table);

} // namespace ane::compress::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "error_feedback.ipp"
#endif
