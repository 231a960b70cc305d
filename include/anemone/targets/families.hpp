#pragma once

#include "clocks.hpp"
#include "description.hpp"

/// What the targets of one tier have in common, each tier stated as its difference to the one before (guide chapters 24
/// and 34, appendix A; ANEForge). All of it is decompiled unless a mark says otherwise.
///
/// Where the sources leave a figure open, the rule is: a limit takes the smallest value that any comparable target
/// records, a capability is absent, a hazard is present; and the figure is listed as an assumption.
namespace ane::detail::families {

inline constexpr target_description older = [] {
    target_description d{};
    d.tier = family::older;
    d.compiler_family = not_known;
    d.hardware_version = not_known;
    d.limits = {.tensor_n = 4096,
                .tensor_c = 65536,
                .tensor_d = 1,
                .tensor_h = 16384,
                .tensor_w = 16384,
                .max_rank = 5,
                .kernel_width_fp16 = 13,
                .kernel_width_fp16_hal = 13,
                .kernel_width_fp16_small = 7,
                .kernel_width_fp16_large_from = 8,
                .kernel_width_default = 29,
                .kernel_width_default_small = 15,
                .kernel_width_default_large_from = 16,
                .kernel_width_frontend = not_known,
                .kernel_height = 29,
                .kernel_height_hal = 29,
                .kernel_height_small = 15,
                .kernel_depth = 1,
                .kernel_depth_small = 1,
                .patch_width = 15,
                .patch_height = 15,
                .patch_depth = 0,
                .pool_window = 15, // not recorded: the patch, which is the smallest of the three candidates
                .transpose_extent = 0,
                .transpose_extent_measured = not_known,
                .reduction_transpose_threshold = 192, // not recorded: as A13
                .arg_reduction_axis = 2048,
                .group_conv_decompose = 64,
                .group_norm_extent = 16384,
                .activation_lut_bytes = 150,
                .context_switch_tensors = 2};
    d.memory.l2_resident_threshold = 0;
    d.memory.instruction_alignment = 256;
    d.assume(assumption::pool_window);
    d.assume(assumption::reduction_transpose);
    d.assume(assumption::palette_kernel_stride);
    d.assume(assumption::local_response_norm);
    d.assume(assumption::depth_broadcast);
    d.assume(assumption::winograd);
    d.assume(assumption::slice_width_saturates);
    d.assume(assumption::zero_point);
    d.assume(assumption::palette_bits);
    d.assume(assumption::weight_streams);
    return d;
}();

/// M1: the depth axis, softmax and the reductions, streamed palettes.
inline constexpr target_description a13 = derive(older, [](target_description& d) {
    d.tier = family::a13;
    d.compiler_family = 2;
    d.hardware_version = 4;
    d.mil_supported = true;
    d.assumed = 0;
    d.limits.tensor_n = 65536;
    d.limits.tensor_d = 16384;
    d.limits.kernel_width_frontend = 15;
    d.limits.kernel_depth = 16;
    d.limits.kernel_depth_small = 8;
    d.limits.patch_width = d.limits.patch_height = 28;
    d.limits.patch_depth = 15;
    d.limits.pool_window = 29;
    d.limits.transpose_extent = 16384;
    d.limits.transpose_extent_measured = (1 << 23) - 1;
    d.limits.group_conv_decompose = 2048;
    d.limits.activation_lut_bytes = 86;
    d.limits.patch_floor_pixels = 16;
    d.limits.patch_pixels = 512;
    d.has.kernel_streaming = true;
    d.has.global_argminmax = true;
    d.has.palette_kernel_stride = true;
    d.has.dynamic_goc = true;
    d.has.softmax = true;
    d.has.instance_norm = true;
    d.has.local_response_norm = true;
    d.has.winograd = true;
    d.has.conv3d_attested = true;
    d.has.palette_index_bits = 1u << 4 | 1u << 8;
    d.has.stream_int4_palette = true;
    d.has.stream_sparse = true;
    d.has.interchange_formats = 3;
    d.marks.slice = mark::measured;
});

/// M2: the texture engine, int8 streams, a wider kernel in the HAL table but not in what compiles (TC5).
inline constexpr target_description a14 = derive(a13, [](target_description& d) {
    d.tier = family::a14;
    d.compiler_family = 3;
    d.hardware_version = 5;
    d.limits.kernel_width_fp16_hal = 16; // 13 decides: ANEForge's bound, R032, the careful side of TC5
    d.marks.kernel_width = mark::predicted;
    d.limits.kernel_width_fp16_small = 8;
    d.limits.kernel_width_fp16_large_from = 1;
    d.limits.kernel_width_default = 32;
    d.limits.kernel_width_default_small = 16;
    d.limits.kernel_width_default_large_from = 1;
    d.limits.kernel_width_frontend = not_known;
    d.limits.kernel_height = d.limits.kernel_height_hal = 32;
    d.limits.kernel_height_small = 16;
    d.limits.patch_width = d.limits.patch_height = 31;
    d.limits.pool_window = 31;
    d.limits.context_switch_tensors = no_limit;
    d.memory.instruction_alignment = 16;
    d.has.square_after_reduction = true;
    d.has.cross_die_addressing = true;
    d.has.multi_die_hazard = true;
    d.has.texture_engine = true;
    d.has.winograd = false; // the byte is read on A13 only
    d.assume(assumption::winograd);
    d.assume(assumption::depth_broadcast);
    d.has.shared_kernel_layout = true;
    d.has.zero_point_asymmetric = true;
    d.has.palette_index_bits = 1u << 3 | 1u << 4 | 1u << 6 | 1u << 8;
    d.has.stream_int8 = true;
    d.has.interchange_formats = 13;
});

/// M3: sine and cosine, random numbers, blockwise streams.
inline constexpr target_description a15 = derive(a14, [](target_description& d) {
    d.tier = family::a15;
    d.compiler_family = 4;
    d.hardware_version = 6;
    d.limits.reduction_transpose_threshold = 384;
    d.memory.l2_resident_threshold = 32768;
    d.has.dropout_random = true;
    d.has.multi_die_remote_dependency = true;
    d.has.native_sin_cos = true;
    d.has.slice_width_saturates = false; // TC12: the guide says clean from here, ANEForge has yet to measure it
    d.marks.slice = mark::predicted;
    d.has.stream_blockwise = true;
    d.has.interchange_formats = 16;
    d.has.image_yuv420 = true;
});

/// M4: extents of 65536, fp16 kernels 15 wide. The limits that were found by compiling for h16g and for the M6 (L001 to
/// L008) and what the M4's runtime was seen to place (L010 to L017) are carried over to the targets between.
inline constexpr target_description a16 = derive(a15, [](target_description& d) {
    d.tier = family::a16;
    d.compiler_family = 4; // TC2: hardware version 8, filed under A15 by the compiler
    d.hardware_version = 8;
    d.limits.tensor_d = d.limits.tensor_h = d.limits.tensor_w = 65536;
    d.limits.kernel_width_fp16 = 15; // measured on h16g, h17s, M6; carried over to the rest (R031, L004)
    d.limits.kernel_height = 31;     // the HAL table has 32, which is refused (L003)
    d.limits.max_pool_width = 8;
    d.limits.contraction = 32768; // 40000 is refused, nothing between was tried
    d.has.channel_padding = true;
    d.has.batch_channel_transpose = true;
    d.has.conv3d_reachable = true;
    d.marks.kernel_height = d.marks.compiled_limits = mark::predicted;
    d.limits.transpose_extent = 65536;
    d.limits.transpose_extent_measured = (1 << 24) - 1;
    d.limits.group_norm_extent = 65536;
    d.memory.l2_resident_threshold = 262144;
    d.marks.slice = mark::measured;
    d.has.interchange_formats = 14;
    d.has.image_yuv420 = false;
});

/// M5: more cores, nothing else.
inline constexpr target_description a17 = derive(a16, [](target_description& d) {
    d.tier = family::a17;
    d.compiler_family = 5; // TC3
    d.hardware_version = 7;
});

/// M6, by the rule M(n) = H(n + 12) that names the others (docs/conflicts.md, TC17).
inline constexpr target_description a18 = derive(a17, [](target_description& d) {
    d.tier = family::a18;
    d.compiler_family = 6;
    d.hardware_version = 10;
    d.has.fp8 = true;
    d.has.fifo_dma = true;
    d.has.multi_die_hazard = false;
    d.has.multi_die_remote_dependency = false;
    d.marks.slice = mark::predicted;
});

/// M11. The guide gives it the flags of A16, the extents of A13 and a kernel width of 15; ANEForge gates it as A15.
/// Most bytes are unread: they are taken from A15 (the lower of the two readings), most limits from A13.
inline constexpr target_description small = derive(a15, [](target_description& d) {
    d.tier = family::small;
    d.compiler_family = not_known;
    d.hardware_version = not_known;
    d.limits = a13.limits;
    d.limits.kernel_width_fp16 = d.limits.kernel_width_fp16_hal = 15;
    d.limits.kernel_width_frontend = not_known;
    d.limits.transpose_extent_measured = not_known;
    d.limits.activation_lut_bytes = not_known;
    d.limits.context_switch_tensors = not_known;
    d.limits.patch_floor_pixels = d.limits.patch_pixels = not_known;
    d.memory.dma_width_granule = 1;
    d.memory.l2_resident_threshold = not_known;
    d.memory.instruction_alignment = not_known;
    d.has.multi_die_hazard = false;
    d.has.multi_die_remote_dependency = false;
    d.has.small_class_secondary = true;
    d.has.shared_kernel_layout = false;
    d.has.zero_point_asymmetric = false;
    d.has.palette_index_bits = a13.has.palette_index_bits;
    d.marks.kernel_width = mark::decompiled;
    for (const assumption a : {assumption::kernel_width_default,
                               assumption::kernel_width_small,
                               assumption::kernel_height,
                               assumption::kernel_depth,
                               assumption::patch,
                               assumption::pool_window,
                               assumption::channels,
                               assumption::batch,
                               assumption::transpose,
                               assumption::reduction_transpose,
                               assumption::group_conv,
                               assumption::kernel_streaming,
                               assumption::square_after_reduction,
                               assumption::global_argminmax,
                               assumption::palette_kernel_stride,
                               assumption::dynamic_goc,
                               assumption::softmax,
                               assumption::instance_norm,
                               assumption::local_response_norm,
                               assumption::zero_point,
                               assumption::palette_bits}) {
        d.assume(a);
    }
});

/// U1..U3: what the compiler checks itself against. Placeholder limits that no part has; what they leave open is as in
/// the oldest silicon.
inline constexpr target_description reference = derive(older, [](target_description& d) {
    d.tier = family::reference;
    d.limits.tensor_h = d.limits.tensor_w = 65535;
    d.limits.kernel_width_fp16 = d.limits.kernel_width_fp16_hal = d.limits.kernel_width_default = 1023;
    d.limits.activation_lut_bytes = not_known;
    d.limits.context_switch_tensors = not_known;
    d.memory.l2_resident_threshold = not_known;
    d.memory.instruction_alignment = not_known;
    for (const assumption a :
         {assumption::kernel_width_small, assumption::kernel_height, assumption::kernel_depth, assumption::patch,
          assumption::channels, assumption::batch, assumption::transpose, assumption::group_conv,
          assumption::dma_width_granule, assumption::kernel_streaming, assumption::square_after_reduction,
          assumption::global_argminmax, assumption::dynamic_goc, assumption::softmax, assumption::instance_norm}) {
        d.assume(a);
    }
});

} // namespace ane::detail::families
