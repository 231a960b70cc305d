#pragma once

#include "convolution_slab.hpp"

#include <algorithm>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY slab_axis slab_axis_of(const std::vector<std::int64_t>& bases, std::int64_t outputs, std::int64_t stride,
                                    bool phased) {
    slab_axis axis;
    const std::int64_t step = outputs > 1 ? stride : 1; // with one output the stride, perhaps enormous, says nothing
    const std::int64_t band = (outputs - 1) * step + 1;
    std::int64_t end = 0;
    for (std::size_t i = 0; i < bases.size(); ++i) {
        if (i == 0 || bases[i] - bases[i - 1] > band) {
            axis.stretches.push_back({end, bases[i], band});
        } else {
            axis.stretches.back().count = bases[i] + band - axis.stretches.back().from;
        }
        const slab_axis::stretch& last = axis.stretches.back();
        axis.places.push_back(last.begin + bases[i] - last.from);
        end = last.begin + last.count;
    }
    axis.phases = phased ? step : 1;
    axis.size = (end + axis.phases - 1) / axis.phases * axis.phases;
    return axis;
}

ANEMONE_BODY void fill_slab(const kernel_table& table, const convolution_slab& slab, const half* x,
                            std::int64_t channels, std::int64_t height, std::int64_t width, std::int64_t top,
                            std::int64_t left, float* to, float* line) {
    const bool phased = slab.across.phases > 1;
    const auto fill_line = [&](const half* from, float* row) {
        for (const slab_axis::stretch& s : slab.across.stretches) {
            const std::int64_t begin = std::clamp<std::int64_t>(-(left + s.from), 0, s.count);
            const std::int64_t end = std::clamp<std::int64_t>(width - (left + s.from), begin, s.count);
            std::fill(row + s.begin, row + s.begin + begin, 0.0F);
            if (begin < end) {
                table.convolutions.widen(from + left + s.from + begin, row + s.begin + begin, end - begin);
            }
            std::fill(row + s.begin + end, row + s.begin + s.count, 0.0F);
        }
    };
    const std::int64_t in_phase = slab.pitch();
    const auto spread = [&](float* row) {
        for (std::int64_t p = 0; p < slab.across.phases; ++p) {
            float* const place = row + slab.column_start(p);
            for (std::int64_t q = 0; q < in_phase; ++q) {
                place[q] = line[q * slab.across.phases + p];
            }
        }
    };
    if (phased) {
        std::fill(line, line + slab.across.size, 0.0F);
    }
    for (std::int64_t c = 0; c < channels; ++c) {
        float* const plane = to + c * slab.plane();
        for (const slab_axis::stretch& s : slab.down.stretches) {
            for (std::int64_t i = 0; i < s.count; ++i) {
                const std::int64_t y = top + s.from + i;
                float* const row = plane + slab.row_start(s.begin + i);
                if (y < 0 || y >= height) {
                    for (std::int64_t p = 0; p < slab.across.phases; ++p) {
                        std::fill_n(row + slab.column_start(p), in_phase, 0.0F);
                    }
                } else if (phased) {
                    fill_line(x + (c * height + y) * width, line);
                    spread(row);
                } else {
                    fill_line(x + (c * height + y) * width, row);
                }
            }
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
