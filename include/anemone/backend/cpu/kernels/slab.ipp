#pragma once

#include "../../../base/error.hpp"
#include "slab.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void fill_slab(const kernel_table& table, const slab_layout& layout, const half* x, std::int64_t height,
                            std::int64_t width, std::int64_t top, std::int64_t left, float fill,
                            std::vector<float>& slab) {
    const bool same = layout.row_phases == 1 && layout.column_phases == 1 && top == 0 && left == 0 &&
                      layout.rows == height && layout.columns == width;
    if (same) {
        slab.resize(static_cast<std::size_t>(layout.size()));
        table.to_float(x, slab.data(), layout.channels * height * width);
        return;
    }
    slab.assign(static_cast<std::size_t>(layout.size()), fill);
    const std::int64_t begin = std::max<std::int64_t>(0, -left);
    const std::int64_t end = std::min(width, layout.columns * layout.column_phases - left);
    if (begin >= end) {
        return;
    }
    std::vector<float> line(layout.column_phases == 1 ? 0U : static_cast<std::size_t>(end - begin));
    for (std::int64_t c = 0; c < layout.channels; ++c) {
        for (std::int64_t y = 0; y < height; ++y) {
            const std::int64_t padded = y + top;
            if (padded < 0 || padded / layout.row_phases >= layout.rows) {
                continue;
            }
            const half* const from = x + (c * height + y) * width + begin;
            if (layout.column_phases == 1) {
                table.to_float(from, slab.data() + layout.offset(c, padded, begin + left), end - begin);
                continue;
            }
            table.to_float(from, line.data(), end - begin);
            float* const row = slab.data() + layout.offset(c, padded, 0);
            for (std::int64_t i = 0; i < end - begin; ++i) {
                const std::int64_t column = begin + left + i;
                row[column % layout.column_phases * layout.plane() + column / layout.column_phases] =
                    line[static_cast<std::size_t>(i)];
            }
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_BODY void refuse(const char* subject, const std::string& sentence) {
    throw error(errc::argument, subject, sentence);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
