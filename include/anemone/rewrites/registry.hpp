#pragma once

#include "attention.hpp"
#include "layouts.hpp"
#include "products.hpp"
#include "sums.hpp"

/// The rewrites, a row each. Another one is a function beside these and a row.
namespace ane {

inline constexpr rewrite_record rewrite_table[] = {
    {"attention_as_parts", rewrite_exactness::bits, "an attention",
     "its unit takes operands slowly; its parts read them on the chip", "guide 18; rewrites 2",
     detail::attention_as_parts},
    {"tile_queries", rewrite_exactness::bits, "an attention whose scores do not fit on the chip",
     "the scores of one tile of queries stay there", "rewrites 2", detail::tile_queries},
    {"channels_first", rewrite_exactness::rounding, "layers of rows and weights, and norms and products between them",
     "heads are split and joined without turning values round", "guide 18; a public thread", detail::channels_first},
    {"cancel_transposes", rewrite_exactness::bits,
     "a transpose of a transpose, for a product, or of axes of one element", "one permutation less, or two",
     "rewrites 3, transpose_chain", detail::cancel_transposes},
    {"split_outputs", rewrite_exactness::bits, "a layer of several rows whose weights do not fit on the chip",
     "the weights are read once", "rewrites 1, products above 2 MB", detail::split_outputs},
    {"pointwise_as_product", rewrite_exactness::rounding, "a dense 1x1 convolution",
     "the weights of products come faster", "cost facts, m1_004 against CC12", detail::pointwise_as_product},
    {"linear_as_convolution", rewrite_exactness::bits, "a linear layer",
     "the array takes convolutions at its highest rate", "rewrites 1, fc", detail::linear_as_convolution},
    {"merge_factors", rewrite_exactness::rounding, "two multiplications by constants in a row", "one layer less",
     "rewrites 3, muls_chain", detail::merge_factors},
    {"scale_sums", rewrite_exactness::rounding,
     "a convolution or layer whose sums may reach 2^15, by the declared ranges", "they stay below, by a power of two",
     "rules R056; numerics N01, N05", detail::scale_sums},
    {"split_sums", rewrite_exactness::rounding, "a layer whose sums may reach 2^15, by the declared ranges",
     "they stay below, part by part", "rewrites 1, K-large contraction; rules R056", detail::split_sums},
};

} // namespace ane
