// Included by simd/each_set.inl through level.inl, after all loops: which of them a table has.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <kernel_needs Needs> constexpr float_kernels float_kernels_of() {
    constexpr op_set functions = float_functions(Needs.operations);
    float_kernels loops{.to_float = to_float, .to_half = to_half};
    if constexpr (has_unary(functions)) {
        loops.unary = unary_loop<functions, float>;
    }
    if constexpr (has_binary(functions)) {
        loops.binary = binary_loop<functions, float>;
    }
    return loops;
}

template <kernel_needs Needs> constexpr half_kernels half_kernels_of() {
    constexpr op_set functions = half_functions(Needs.operations);
    half_kernels loops;
    if constexpr (has_unary(functions)) {
        loops.unary = unary_loop<functions, half>;
    }
    if constexpr (has_binary(functions)) {
        loops.binary = binary_loop<functions, half>;
    }
    if constexpr (has_comparison(functions)) {
        loops.comparison = comparison_loop<functions>;
    }
    if constexpr (Needs.any(op::batch_norm, op::instance_norm, op::group_norm)) {
        loops.affine = affine_of_halves;
    }
    if constexpr (Needs.any(op::instance_norm, op::group_norm)) {
        loops.sum = sum_of_halves;
        loops.squared_deviation = squared_deviation_of_halves;
    }
    return loops;
}

template <kernel_needs Needs> constexpr chain_kernels chain_kernels_of() {
    constexpr op_set functions = chained_functions(Needs.operations);
    chain_kernels loops;
    if constexpr (functions != op_set{}) {
        loops.to_float = chain_loop<functions, float>;
        loops.to_half = chain_loop<functions, half>;
    }
    return loops;
}

template <kernel_needs Needs> constexpr norm_kernels norm_kernels_of() {
    constexpr bool at_once = Needs.contains(algorithm::several_rows) && !is_fallback;
    norm_kernels loops;
    if constexpr (Needs.contains(op::softmax)) {
        loops.softmax = softmax_rows<at_once>;
    }
    if constexpr (Needs.contains(op::layer_norm)) {
        loops.layer_norm = layer_norm_rows<at_once>;
    }
    if constexpr (Needs.contains(op::rms_norm)) {
        loops.rms_norm = rms_norm_rows<at_once>;
    }
    if constexpr (Needs.contains(op::l2_norm)) {
        loops.l2_norm = l2_norm_rows<at_once>;
    }
    if constexpr (Needs.contains(op::minmax_norm)) {
        loops.minmax_norm = minmax_norm_rows<at_once>;
    }
    return loops;
}

template <kernel_needs Needs> constexpr reduce_kernels reduce_kernels_of() {
    constexpr op_set folds = folds_of(Needs.operations);
    reduce_kernels loops;
    if constexpr (folds != op_set{}) {
        loops.row = fold_row<folds>;
        loops.into = fold_into<folds>;
    }
    if constexpr (Needs.any(op::max_pool, op::avg_pool, op::l2_pool)) {
        loops.windows = fold_windows<Needs.contains(op::max_pool), Needs.any(op::avg_pool, op::l2_pool)>;
    }
    return loops;
}

/// Of few rows the loops that read the right operand as it is, where a set converts it quickly; where no other product is
/// needed, at every set.
template <kernel_needs Needs> constexpr product_kernels product_kernels_of() {
    product_kernels loops{.rows = product_rows,
                          .unit = product_unit,
                          .columns = panel_columns,
                          .block_rows = product_block_rows,
                          .wide_rows = product_wide_rows,
                          .least_rows = product_least_rows};
    if constexpr (Needs.any(algorithm::one_row, algorithm::few_rows, algorithm::many_rows)) {
        loops.widen = product_widen;
        loops.widen_turned = widen_turned;
    }
    if constexpr (Needs.contains(algorithm::many_rows)) {
        loops.stripe = product_stripe;
        loops.half_stripe = product_half_stripe;
    }
    if constexpr (Needs.any(algorithm::one_row, algorithm::few_rows) &&
                  (ANEMONE_SET_F16C || ANEMONE_SET_NEON || !Needs.contains(algorithm::many_rows))) {
        loops.few = product_few<Needs.contains(algorithm::few_rows) && !is_fallback>;
    }
#if ANEMONE_SET_F16C
    if constexpr (Needs.contains(algorithm::turned_columns)) {
        loops.few_turned = product_few_turned;
    }
    if constexpr (Needs.contains(algorithm::codes)) {
        loops.few_coded = product_few_coded;
        loops.widen_coded = widen_coded;
        loops.quick_nibbles = register_lanes == 16; // a register holds the table
    }
#endif
    return loops;
}

template <kernel_needs Needs> constexpr attention_kernels attention_kernels_of() {
    attention_kernels loops;
    if constexpr (Needs.contains(op::attention)) {
        loops.weigh = weigh_scores;
        loops.divide = divide_row;
    }
    return loops;
}

template <kernel_needs Needs> constexpr plane_kernels plane_kernels_of() {
    plane_kernels loops;
    if constexpr (Needs.any(algorithm::planes, algorithm::places, algorithm::windows)) {
        loops.widen = widen_row;
    }
    if constexpr (Needs.any(algorithm::planes, algorithm::windows)) {
        loops.widen_rows = widen_rows;
    }
    if constexpr (Needs.contains(algorithm::even_columns)) {
        loops.widen_pairs = widen_pairs;
    }
    if constexpr (Needs.contains(algorithm::fourth_columns)) {
        loops.split_fours = split_fours;
    }
    if constexpr (Needs.contains(algorithm::channel_tiles)) {
        loops.gather_channels = gather_channels;
    }
    if constexpr (Needs.contains(algorithm::nhwc)) {
        loops.widen_places = widen_places;
    }
    return loops;
}

template <kernel_needs Needs> constexpr convolution_kernels convolution_kernels_of() {
    convolution_kernels loops{
        .tiles_widen = tiles_widen, .most_positions = channel_tile_positions, .paired_units = channel_tile_units};
    if constexpr (Needs.contains(algorithm::channel_tiles)) {
        loops.channel_lanes = channel_lanes;
    }
    if constexpr (Needs.contains(algorithm::position_tiles)) {
        loops.position_lanes = position_lanes;
    }
    return loops;
}

template <kernel_needs Needs> constexpr depthwise_kernels depthwise_kernels_of() {
    constexpr algorithm_set windows = is_fallback ? algorithm_set{algorithm::other_window} : Needs.algorithms;
    depthwise_kernels loops;
    if constexpr (Needs.contains(algorithm::planes)) {
        loops.planes = depthwise<windows>;
    }
    if constexpr (Needs.contains(algorithm::places)) {
        loops.places = depthwise_places<windows>;
    }
    return loops;
}

template <kernel_needs Needs> constexpr winograd_kernels winograd_kernels_of() {
    winograd_kernels loops;
    if constexpr (Needs.contains(algorithm::winograd)) {
        loops.input = winograd_input;
        loops.output = winograd_output;
        loops.filter = winograd_filter;
        loops.magnitudes = magnitudes;
    }
    return loops;
}

#define ANEMONE_KERNEL_FAMILY(family, member, object)                                                                  \
    template <kernel_needs Needs>                                                                                      \
    constinit const family##_kernels family##_loops<Needs>::table = family##_kernels_of<Needs>();
#include "families.def"

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
