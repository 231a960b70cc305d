#pragma once

#include "target.hpp"

#include <array>
#include <cstdint>

namespace ane {

/// Value of a figure that no source gives and that no rule needs.
inline constexpr std::int32_t not_known = -1;
/// Value of a figure that has no bound.
inline constexpr std::int32_t no_limit = 2147483647;

/// Figures that the sources leave open for some targets although a rule or a cost needs them. The description then
/// holds a conservative value and sets the bit: `assumes(description, assumption::softmax)` says that no source gives
/// that byte there.
enum class assumption : std::uint8_t {
    cores,
    kernel_width_default,
    kernel_width_small,
    kernel_height,
    kernel_depth,
    patch,
    pool_window,
    channels,
    batch,
    transpose,
    reduction_transpose,
    group_conv,
    dma_width_granule,
    kernel_streaming,
    square_after_reduction,
    global_argminmax,
    palette_kernel_stride,
    dynamic_goc,
    softmax,
    instance_norm,
    local_response_norm,
    depth_broadcast,
    winograd,
    slice_width_saturates,
    zero_point,
    palette_bits,
    weight_streams
};

/// Legal sizes. Elements unless said otherwise; HAL offsets and the table of limits: guide chapter 24 and appendix A.
struct target_limits {
    std::int32_t tensor_n, tensor_c, tensor_d, tensor_h, tensor_w; ///< largest extent of each axis (R015-R017, R020)
    std::int32_t max_rank = 5;                                     ///< R010

    std::int32_t kernel_width_fp16;     ///< the bound that decides: measured where measured, else the HAL's (R030-R032)
    std::int32_t kernel_width_fp16_hal; ///< what the HAL table says; 16 on A14 and later, where 13 and 15 decide (TC5)
    std::int32_t kernel_width_fp16_small;      ///< small-kernel mode
    std::int32_t kernel_width_fp16_large_from; ///< narrowest kernel of the large mode
    std::int32_t kernel_width_default;         ///< formats other than fp16
    std::int32_t kernel_width_default_small;
    std::int32_t kernel_width_default_large_from;
    std::int32_t kernel_width_frontend = not_known; ///< the frontend's own guard, "kW must be <=15", where measured
    std::int32_t kernel_height; ///< the bound that decides: 31 where the compiler was seen to refuse 32 (L003)
    std::int32_t kernel_height_hal;
    std::int32_t kernel_height_small;
    std::int32_t kernel_depth, kernel_depth_small;
    std::int32_t patch_width, patch_height, patch_depth;
    std::int32_t pool_window;               ///< what is native; wider windows are tiled
    std::int32_t max_pool_width = no_limit; ///< widest window of a maximum that compiles (L001)
    std::int32_t contraction = no_limit;    ///< longest sum of a matrix product that compiles (L006)

    /// Native transpose. TC6: appendix A gives 16384 / 65536 (here: decides), ANEForge measured 2^23-1 / 2^24-1 (next).
    std::int32_t transpose_extent;
    std::int32_t transpose_extent_measured = not_known;
    std::int32_t reduction_transpose_threshold; ///< longer reductions are routed through a transpose
    std::int32_t arg_reduction_axis = 2048;     ///< longest axis of argmin / argmax: indices are fp16
    std::int32_t group_conv_decompose;          ///< Cin * kW * kH above which a grouped convolution is decomposed
    std::int32_t group_norm_extent;             ///< bound of max(C / groups, H * W) (R027, TC15)

    std::int32_t activation_lut_bytes = not_known;
    std::int32_t context_switch_tensors = not_known;                       ///< live tensors over a context switch
    std::int32_t patch_floor_pixels = not_known, patch_pixels = not_known; ///< patch width of one work unit
    std::array<std::int32_t, 4> stride_factors{2, 3, 4, 8};                ///< R041
    std::array<std::int32_t, 5> interleave_factors{1, 2, 3, 4, 8};

    friend constexpr bool operator==(const target_limits&, const target_limits&) = default;
};

/// On-chip memory and data movement. Bytes.
struct target_memory {
    std::int32_t kernel_dense = 65536;          ///< non-streamed weights of one layer before it is split (HAL 0x200)
    std::int32_t kernel_streamed = 16777216;    ///< streamed weights of one layer (HAL 0x210)
    std::int32_t working_set_nominal = 2097152; ///< HAL 0x1b8
    std::int32_t working_set_measured = 0; ///< lower edge of the measured knee, in 10^6 bytes rounded down; 0: unknown
    std::int32_t dma_width_granule = 16;
    std::int32_t l2_banks = 64; ///< a count
    std::int32_t l2_max_stride = 2097152;
    std::int32_t l2_resident_threshold = not_known; ///< HAL 0x1f0; which side of it is resident is open (TC11)
    std::int32_t instruction_alignment = not_known;

    friend constexpr bool operator==(const target_memory&, const target_memory&) = default;
};

/// What the silicon can do. The bytes of the HAL (guide chapter 24) first, then what follows from them or was measured.
/// A byte is evidence about one layer of the compiler only: `conv3d_attested` is set and three-dimensional convolution
/// has no lowering.
struct target_capabilities {
    bool kernel_streaming = false;            ///< 0x48f, master of the compressed weight streams
    bool square_after_reduction = false;      ///< 0x494
    bool dropout_random = false;              ///< 0x4a9
    bool global_argminmax = false;            ///< 0x4f2: the byte, set from A13; in MIL the floor is A15 (TC9)
    bool palette_kernel_stride = false;       ///< 0x529
    bool fp8 = false;                         ///< 0x52d, E4M3 (R007)
    bool fifo_dma = false;                    ///< 0x563
    bool cross_die_addressing = false;        ///< 0x55c
    bool multi_die_hazard = false;            ///< 0x564
    bool multi_die_remote_dependency = false; ///< 0x687
    bool small_class_secondary = false;       ///< 0x4a4
    bool collectives = false;                 ///< 0x48b, clear on all 28
    bool dynamic_goc = false;                 ///< 0x814
    bool softmax = false;                     ///< 0x815
    bool instance_norm = false;               ///< 0x816
    bool local_response_norm = false;         ///< 0x81a
    bool texture_engine = false;              ///< 0x81d: resize, crop-resize, resample, affine, gather in hardware
    bool depth_broadcast = false;             ///< 0x812, also the upsampling of a 1x1 input (R025)
    bool winograd = false;                    ///< 0x680 bit 0

    bool conv3d_attested = false;         ///< HAL 0x70 above 1
    bool conv3d_reachable = false;        ///< runs as an operation of its own: not on M1 (R040), placed on M4 (L011)
    bool channel_padding = false;         ///< a constant pad over the channels (L012; before it R096)
    bool batch_channel_transpose = false; ///< batch and channels change places, both longer than 1 (L014; R189)
    bool native_sin_cos = false;
    bool slice_width_saturates = true; ///< a hazard (TC12): a width slice turns a large finite value into inf
    bool shared_kernel_layout = false; ///< one kernel layout for all cores
    bool zero_point_asymmetric = false;
    std::uint16_t palette_index_bits = 0; ///< bit b set: palettes with b-bit indices
    bool stream_int4_palette = false;     ///< weight forms that cross DRAM compressed; the others are expanded first
    bool stream_sparse = false;
    bool stream_int8 = false;
    bool stream_blockwise = false;
    std::int32_t interchange_formats = 0; ///< number of image input formats
    bool image_yuv420 = false;            ///< 8f0 and 8v0 among them

    constexpr bool palette_bits(int bits) const { return ((palette_index_bits >> bits) & 1) != 0; }

    friend constexpr bool operator==(const target_capabilities&, const target_capabilities&) = default;
};

/// One point of the frequency-to-effective-frequency curve of the compiler's cost model (HAL 0x7a8). MHz.
struct frequency_point {
    std::int32_t mhz, effective_mhz;
};

/// Clock of the engine, and the curve that the cost model reads. `count` 0: no curve is known for the target.
struct target_clock {
    const frequency_point* points = nullptr;
    std::int32_t count = 0;
    std::int32_t fmin_mhz = 0, fmax_mhz = 0;
    std::int32_t cycle_divisor = not_known; ///< HAL 0x228
    std::int32_t perf_multiplier = 1;
};

struct target_marks {
    mark limits = mark::decompiled;
    mark kernel_width = mark::decompiled;    ///< of `kernel_width_fp16`
    mark kernel_height = mark::decompiled;   ///< of `kernel_height`
    mark compiled_limits = mark::decompiled; ///< of `max_pool_width` and `contraction`, found by compiling
    mark cores = mark::decompiled;
    mark capabilities = mark::decompiled;
    mark weight_streams = mark::predicted;
    mark slice = mark::predicted; ///< of `slice_width_saturates`
    mark cost = mark::predicted;  ///< peak, bandwidth and floor of cost_anchor.hpp
};

/// All that a rule, a pass or a cost needs to know about a device. A plain aggregate: copy one, change what differs,
/// and pass its address wherever a `target` is accepted (`derive`, below).
struct target_description {
    target id;           ///< of a derived description: the target it was derived from
    const char* name;    ///< compiler target, "H13g"
    const char* runtime; ///< TargetArchitecture of the runtime, "h13g" (TC14)
    const char* product;
    const char* soc; ///< "" where no Mac has it
    family tier;
    std::int32_t compiler_family; ///< the compiler's enumeration, 0 A11 .. 7 A18; `not_known` off the h line
    std::int32_t hardware_version;
    std::int32_t cores;      ///< num_nes, the compiler's count (HAL 0x238): not the marketed one (TC13)
    std::int32_t cost_cores; ///< the count that the cost curves were written for; differs on t1 (TC1)
    bool mil_supported;      ///< R176
    bool silicon_measured;
    target_limits limits;
    target_memory memory;
    target_capabilities has;
    target_clock clock;
    bool own_clock; ///< false: the curve is that of the nearest relative
    target_marks marks;
    std::uint32_t assumed = 0; ///< one bit per `assumption`

    /// Notes that a figure is assumed.
    constexpr void assume(assumption a) { assumed |= std::uint32_t{1} << static_cast<unsigned>(a); }
};

constexpr bool assumes(const target_description& d, assumption a) {
    return ((d.assumed >> static_cast<unsigned>(a)) & 1u) != 0;
}

/// A copy of `base` after `change(copy)`. For a device that the table does not know:
///
///     inline constexpr ane::target_description bigger_m1 =
///         ane::derive(ane::describe(ane::h13), [](auto& d) { d.name = "H13x"; d.cores = d.cost_cores = 12; });
///     // then f<&bigger_m1> wherever f<ane::h13> goes
template <class Change> constexpr target_description derive(const target_description& base, Change change) {
    target_description copy = base;
    change(copy);
    return copy;
}

} // namespace ane
