#pragma once

#include "anemone/targets/table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The recorded facts of the targets (tests/facts/targets.csv), and which member of a description each column is.
namespace target_facts {

using namespace ane;

using row = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string& text, char by) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == by) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

inline std::vector<row> read_facts() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/targets.csv");
    REQUIRE(file.good());
    std::vector<std::string> columns;
    std::vector<row> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        const std::vector<std::string> cells = split(line, ';');
        if (columns.empty()) {
            columns = cells;
            continue;
        }
        REQUIRE(cells.size() == columns.size());
        row r;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            r[columns[i]] = cells[i];
        }
        rows.push_back(r);
    }
    return rows;
}

inline const std::vector<row>& facts() {
    static const std::vector<row> rows = read_facts();
    return rows;
}

using D = const target_description&;

/// A column that one integer answers. `open`: the assumption that must be on record, and the only ones that may be,
/// where the fact is "?"; without one the value must then be `not_known`.
struct column {
    const char* name;
    std::function<std::int64_t(D)> get;
    std::optional<assumption> open = std::nullopt;
};

inline std::optional<std::int64_t> integer(const std::string& cell) {
    if (cell == "?" || cell.empty()) {
        return std::nullopt;
    }
    if (cell == "inf") {
        return no_limit;
    }
    std::size_t used = 0;
    const long long value = std::stoll(cell, &used);
    CHECK_MESSAGE(used == cell.size(), "not an integer: " << cell);
    return value;
}

inline const std::vector<column>& columns() {
    using a = assumption;
    static const std::vector<column> list = {
        {"family_index.compiler_family_enum", [](D d) { return d.compiler_family; }},
        {"family_index.hardware_version", [](D d) { return d.hardware_version; }},
        {"cores", [](D d) { return d.cores; }, a::cores},
        {"mil_supported", [](D d) { return d.mil_supported; }},
        {"silicon_measured", [](D d) { return d.silicon_measured; }},
        {"limits.kernel_w_fp16_large_max", [](D d) { return d.limits.kernel_width_fp16_hal; }},
        {"limits.kernel_w_fp16_small_max", [](D d) { return d.limits.kernel_width_fp16_small; }, a::kernel_width_small},
        {"limits.kernel_w_min_large_fp16", [](D d) { return d.limits.kernel_width_fp16_large_from; },
         a::kernel_width_small},
        {"limits.kernel_w_default_large_max", [](D d) { return d.limits.kernel_width_default; },
         a::kernel_width_default},
        {"limits.kernel_w_default_small_max", [](D d) { return d.limits.kernel_width_default_small; },
         a::kernel_width_small},
        {"limits.kernel_w_min_large_default", [](D d) { return d.limits.kernel_width_default_large_from; },
         a::kernel_width_small},
        {"limits.kernel_w_frontend_guard_max", [](D d) { return d.limits.kernel_width_frontend; }},
        {"limits.kernel_h_max_large", [](D d) { return d.limits.kernel_height_hal; }, a::kernel_height},
        {"limits.kernel_h_max_small", [](D d) { return d.limits.kernel_height_small; }, a::kernel_height},
        {"limits.kernel_d_max_large", [](D d) { return d.limits.kernel_depth; }, a::kernel_depth},
        {"limits.kernel_d_max_small", [](D d) { return d.limits.kernel_depth_small; }, a::kernel_depth},
        {"limits.patch_w_max", [](D d) { return d.limits.patch_width; }, a::patch},
        {"limits.patch_h_max", [](D d) { return d.limits.patch_height; }, a::patch},
        {"limits.patch_d_max", [](D d) { return d.limits.patch_depth; }, a::patch},
        {"limits.pool_window_max", [](D d) { return d.limits.pool_window; }, a::pool_window},
        {"limits.tensor_n_max", [](D d) { return d.limits.tensor_n; }, a::batch},
        {"limits.tensor_c_max", [](D d) { return d.limits.tensor_c; }, a::channels},
        {"limits.tensor_d_max", [](D d) { return d.limits.tensor_d; }},
        {"limits.tensor_h_max", [](D d) { return d.limits.tensor_h; }},
        {"limits.tensor_w_max", [](D d) { return d.limits.tensor_w; }},
        {"limits.max_rank", [](D d) { return d.limits.max_rank; }},
        {"limits.transpose_wh_max_hal", [](D d) { return d.limits.transpose_extent; }, a::transpose},
        {"limits.transpose_extent_measured", [](D d) { return d.limits.transpose_extent_measured; }},
        {"limits.reduction_transpose_threshold", [](D d) { return d.limits.reduction_transpose_threshold; },
         a::reduction_transpose},
        {"limits.arg_reduction_axis_max", [](D d) { return d.limits.arg_reduction_axis; }},
        {"limits.group_conv_decompose_limit", [](D d) { return d.limits.group_conv_decompose; }, a::group_conv},
        {"limits.group_norm_per_axis_max_C_over_g_and_HW", [](D d) { return d.limits.group_norm_extent; }},
        {"limits.activation_lut_budget_bytes", [](D d) { return d.limits.activation_lut_bytes; }},
        {"limits.context_switch_live_tensor_limit", [](D d) { return d.limits.context_switch_tensors; }},
        {"limits.patch_width_floor_px", [](D d) { return d.limits.patch_floor_pixels; }},
        {"limits.patch_width_max_px", [](D d) { return d.limits.patch_pixels; }},
        {"limits.kernel_mem_dense_bytes", [](D d) { return d.memory.kernel_dense; }},
        {"limits.kernel_mem_streamed_bytes", [](D d) { return d.memory.kernel_streamed; }},
        {"limits.working_set_nominal_bytes", [](D d) { return d.memory.working_set_nominal; }},
        {"limits.dma_width_granule_bytes", [](D d) { return d.memory.dma_width_granule; }, a::dma_width_granule},
        {"limits.l2_banks", [](D d) { return d.memory.l2_banks; }},
        {"limits.l2_max_dst_stride_bytes", [](D d) { return d.memory.l2_max_stride; }},
        {"limits.instr_align_bytes", [](D d) { return d.memory.instruction_alignment; }},
        {"hal_scalars.0x1f0_l2_resident_threshold", [](D d) { return d.memory.l2_resident_threshold; }},
        {"hal_scalars.0x658/0x668_interchange_formats", [](D d) { return d.has.interchange_formats; }},
        {"capability_bytes.0x48f_kernel_streaming_master", [](D d) { return d.has.kernel_streaming; },
         a::kernel_streaming},
        {"capability_bytes.0x494_square_after_reduction", [](D d) { return d.has.square_after_reduction; },
         a::square_after_reduction},
        {"capability_bytes.0x4a9_dropout_random", [](D d) { return d.has.dropout_random; }},
        {"capability_bytes.0x4f2_global_argminmax", [](D d) { return d.has.global_argminmax; }, a::global_argminmax},
        {"capability_bytes.0x529_palette_kernel_stride", [](D d) { return d.has.palette_kernel_stride; },
         a::palette_kernel_stride},
        {"capability_bytes.0x52d_fp8_e4m3", [](D d) { return d.has.fp8; }},
        {"capability_bytes.0x563_fifo_dma", [](D d) { return d.has.fifo_dma; }},
        {"capability_bytes.0x55c_cross_die_addressing", [](D d) { return d.has.cross_die_addressing; }},
        {"capability_bytes.0x564_multi_die_hazard", [](D d) { return d.has.multi_die_hazard; }},
        {"capability_bytes.0x687_multi_die_remote_dependency", [](D d) { return d.has.multi_die_remote_dependency; }},
        {"capability_bytes.0x4a4_m_class_secondary", [](D d) { return d.has.small_class_secondary; }},
        {"capability_bytes.0x48b_collective_enable", [](D d) { return d.has.collectives; }},
        {"capability_bytes.0x815_softmax", [](D d) { return d.has.softmax; }, a::softmax},
        {"capability_bytes.0x816_instance_norm", [](D d) { return d.has.instance_norm; }, a::instance_norm},
        {"capability_bytes.0x81a_lrn", [](D d) { return d.has.local_response_norm; }, a::local_response_norm},
        {"capability_bytes.0x81d_texture_engine", [](D d) { return d.has.texture_engine; }},
        {"capability_bytes.0x812_1x1_upsample_and_depth_broadcast", [](D d) { return d.has.depth_broadcast; },
         a::depth_broadcast},
        {"capability_bytes.0x680_bit0_winograd_enable", [](D d) { return d.has.winograd; }, a::winograd},
        {"features.conv3d_attested", [](D d) { return d.has.conv3d_attested; }},
        {"features.conv3d_reachable", [](D d) { return d.has.conv3d_reachable; }},
        {"features.texture_engine", [](D d) { return d.has.texture_engine; }},
        {"features.native_sin_cos", [](D d) { return d.has.native_sin_cos; }},
        {"features.dropout_random", [](D d) { return d.has.dropout_random; }},
        {"features.fp8", [](D d) { return d.has.fp8; }},
        {"features.slice_width_saturates", [](D d) { return d.has.slice_width_saturates; }, a::slice_width_saturates},
        {"features.shared_kmem_layout", [](D d) { return d.has.shared_kernel_layout; }},
        {"features.zero_point_asymmetric", [](D d) { return d.has.zero_point_asymmetric; }, a::zero_point},
    };
    return list;
}

inline double relative_error(double value, double expected) { return std::abs(value - expected) / expected; }

inline bool has_item(const std::string& list, const std::string& item) {
    for (const std::string& part : split(list, ' ')) {
        if (part == item) {
            return true;
        }
    }
    return false;
}

} // namespace target_facts
