#pragma once

#include "attention.hpp"
#include "blocks.hpp"
#include "borders.hpp"
#include "dynamic_codes.hpp"
#include "layouts.hpp"
#include "norms.hpp"
#include "polyphase.hpp"
#include "products.hpp"
#include "quantized.hpp"
#include "slices.hpp"
#include "sums.hpp"
#include "tiles.hpp"
#include "transformer.hpp"
#include "values.hpp"
#include "whole_norms.hpp"

/// The rewrites, a row each. Another one is a function beside these and a row.
namespace ane {

inline constexpr rewrite_record rewrite_table[] = {
    {"attention_as_parts", rewrite_goal::time, rewrite_exactness::bits, "an attention",
     "its unit takes operands slowly; its parts read them on the chip", "guide 18; rewrites 2",
     detail::attention_as_parts},
    {"tile_queries", rewrite_goal::time, rewrite_exactness::bits, "an attention whose scores do not fit on the chip",
     "the scores of one tile of queries stay there", "rewrites 2", detail::tile_queries},
    {"tile_layers", rewrite_goal::time, rewrite_exactness::bits, "layers between which values do not fit on the chip",
     "tile by tile they do; what windows share is computed twice", "guide 9, the working set; ws_008",
     detail::tile_layers},
    {"channels_first", rewrite_goal::time, rewrite_exactness::rounding,
     "layers of rows and weights, and norms and products between them",
     "heads are split and joined without turning values round", "guide 18; a public thread", detail::channels_first},
    {"transformer_for_engine", rewrite_goal::time, rewrite_exactness::rounding,
     "layers of rows and weights, norms and attentions between them",
     "the vendor's form: 1x1 convolutions, softmax and norms along channels, head by head",
     "field-2026, section 3; guide 18", detail::transformer_for_engine},
    {"whole_norms", rewrite_goal::time, rewrite_exactness::rounding, "a layer norm or RMS norm written in its parts",
     "one operation, which other rewrites take", "field-2026, section 3", detail::whole_norms},
    {"cancel_transposes", rewrite_goal::time, rewrite_exactness::bits,
     "a transpose of a transpose, for a product, or of axes of one element", "one permutation less, or two",
     "rewrites 3, transpose_chain", detail::cancel_transposes},
    {"split_outputs", rewrite_goal::time, rewrite_exactness::bits,
     "a layer of several rows whose weights do not fit on the chip", "the weights are read once",
     "rewrites 1, products above 2 MB", detail::split_outputs},
    {"pointwise_as_product", rewrite_goal::time, rewrite_exactness::rounding, "a dense 1x1 convolution",
     "the weights of products come faster", "cost facts, m1_004 against CC12", detail::pointwise_as_product},
    {"linear_as_convolution", rewrite_goal::time, rewrite_exactness::bits, "a linear layer",
     "the array takes convolutions at its highest rate", "rewrites 1, fc", detail::linear_as_convolution},
    {"merge_factors", rewrite_goal::time, rewrite_exactness::rounding, "two multiplications by constants in a row",
     "one layer less", "rewrites 3, muls_chain", detail::merge_factors},
    {"scale_sums", rewrite_goal::values, rewrite_exactness::rounding,
     "a convolution or layer whose sums may reach 2^15, by the declared ranges", "they stay below, by a power of two",
     "rules R056; numerics N01, N05", detail::scale_sums},
    {"split_sums", rewrite_goal::values, rewrite_exactness::rounding,
     "a layer whose sums may reach 2^15, by the declared ranges", "they stay below, part by part",
     "rewrites 1, K-large contraction; rules R056", detail::split_sums},
    {"products_as_sums", rewrite_goal::values, rewrite_exactness::rounding, "a product with one column of ones",
     "a sum has the whole range of fp16", "numerics N001 to N005; rewrites 1, reduce_sum", detail::products_as_sums},
    {"scale_int8_inputs", rewrite_goal::values, rewrite_exactness::rounding,
     "int8 weights whose inputs may pass 4094, by the declared ranges", "they stay below, by a power of two",
     "rules R093; numerics N076", detail::scale_int8_inputs},
    {"clamp_quantized_products", rewrite_goal::values, rewrite_exactness::bits,
     "a quantized product of dequantized values whose codes would take another scale", "a clamp keeps the scales apart",
     "numerics N211, N212", detail::clamp_quantized_products},
    {"slices_off_width", rewrite_goal::layers, rewrite_exactness::bits,
     "a slice inside the width whose values may pass 4094 on A13 and A14", "another axis has the whole range",
     "rules R090; rewrites 1, width slice", detail::slices_off_width},
    {"scale_norms", rewrite_goal::values, rewrite_exactness::rounding,
     "a norm or a length whose squares may leave fp16, by the declared ranges", "they stay within, by a power of two",
     "rules R151; guide 3", detail::scale_norms},
    {"scale_values", rewrite_goal::values, rewrite_exactness::rounding,
     "a value that may leave fp16 before a norm, a root or a factor brings it back, by the declared ranges",
     "it stays within, by a power of two", "rules fp16, R151; guide 3", detail::scale_values},
    {"logarithms_of_shares", rewrite_goal::values, rewrite_exactness::rounding, "the logarithm of a softmax",
     "no share is zero before its logarithm", "rules R157; numerics N095 to N097", detail::logarithms_of_shares},
    {"split_blocks", rewrite_goal::forms, rewrite_exactness::rounding,
     "a layer with a weight of int8 in blocks, whose activations stay below 4094",
     "its parts are held as stored; it takes about 4 times as long", "field-2026; weights section 2",
     detail::split_blocks},
    {"polyphase_filters", rewrite_goal::layers, rewrite_exactness::rounding,
     "a convolution whose kernel is too wide or too high, or whose stride has no factors",
     "rows of one stride become channels, under a short kernel", "rules R030, R033, R036, R041",
     detail::polyphase_filters},
    {"borders_as_parts", rewrite_goal::layers, rewrite_exactness::bits,
     "padding by reflection or replication, without a texture engine", "slices of the tensor are joined to it",
     "rules R097; guide appendix B", detail::borders_as_parts},
    {"values_for_dynamic_codes", rewrite_goal::layers, rewrite_exactness::rounding,
     "a product of codes whose scale the model computes of the values", "the values themselves, without the codes",
     "rules: forms of files", detail::values_for_dynamic_codes},
    {"scale_weights", rewrite_goal::errors, rewrite_exactness::rounding,
     "a convolution or layer whose products lie near 2^-16", "they keep more of their bits, by a power of two",
     "numerics N160 to N165; guide 3", detail::scale_weights},
};

} // namespace ane
