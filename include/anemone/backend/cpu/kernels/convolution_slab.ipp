#pragma once

#include "convolution_slab.hpp"

#include <algorithm>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Pads are short: a call of memset would take longer than its work.
ANEMONE_INLINE void zero(float* begin, float* end) {
    constexpr std::int64_t block = 16;
    for (; end - begin >= block; begin += block) {
        std::fill_n(begin, block, 0.0F);
    }
    for (; begin < end; ++begin) {
        *begin = 0.0F;
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY slab_axis slab_axis_of(const sequence<std::int64_t>& bases, std::int64_t outputs, std::int64_t stride,
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

ANEMONE_BODY void fill_planes(const kernel_table& table, const convolution_slab& slab, const slab_source& source,
                              float* to, float* line, bool room) {
    const half* const x = source.x;
    const std::int64_t channels = source.channels;
    const std::int64_t height = source.height;
    const std::int64_t width = source.width;
    const std::int64_t top = source.top;
    const std::int64_t left = source.left;
    const std::int64_t readable = source.readable;
    const bool phased = slab.across.phases > 1;
    const auto fill_line = [&](const half* from, float* row) {
        for (const slab_axis::stretch& s : slab.across.stretches) {
            const std::int64_t begin = std::clamp<std::int64_t>(-(left + s.from), 0, s.count);
            const std::int64_t end = std::clamp<std::int64_t>(width - (left + s.from), begin, s.count);
            detail::zero(row + s.begin, row + s.begin + begin);
            if (begin < end) {
                table.planes.widen(from + left + s.from + begin, row + s.begin + begin, end - begin);
            }
            detail::zero(row + s.begin + end, row + s.begin + s.count);
        }
    };
    const std::int64_t in_phase = slab.pitch();
    const auto spread = [&](float* row) {
        if (slab.across.phases == 4) {
            return table.planes.split_fours(line, in_phase, row, slab.column_start(1));
        }
        for (std::int64_t p = 0; p < slab.across.phases; ++p) {
            float* const place = row + slab.column_start(p);
            for (std::int64_t q = 0; q < in_phase; ++q) {
                place[q] = line[q * slab.across.phases + p];
            }
        }
    };
    if (phased) {
        detail::zero(line, line + slab.across.size);
    }
    // The usual case, row after row in one go: windows without phases or long gaps, on columns that x covers.
    const slab_axis::stretch& only = slab.across.stretches.front();
    const std::int64_t before = std::clamp<std::int64_t>(-(left + only.from), 0, only.count);
    const std::int64_t data = std::clamp<std::int64_t>(width - (left + only.from), before, only.count) - before;
    const bool regular = slab.down.phases == 1 && slab.across.stretches.size() == 1 && data > 0;
    const bool simple = regular && slab.across.phases == 1;
    const bool paired = regular && slab.across.phases == 2 && data > 1;
    for (std::int64_t c = 0; c < channels; ++c) {
        float* const plane = to + c * slab.plane();
        for (const slab_axis::stretch& s : slab.down.stretches) {
            if (simple || paired) {
                const std::int64_t above = std::clamp<std::int64_t>(-(top + s.from), 0, s.count);
                const std::int64_t rows = std::clamp<std::int64_t>(height - (top + s.from), above, s.count) - above;
                const std::int64_t at = (c * height + top + s.from + above) * width + left + only.from + before;
                const std::int64_t pitch = slab.pitch();
                if (paired) {
                    float* firsts[2];
                    for (const std::int64_t k : {0, 1}) { // of columns `before` and the one behind it
                        float* const place = plane + slab.column_start(before + k) + s.begin * pitch;
                        float* const begin = place - slab.column_start(before + k) % pitch;
                        float* const end = begin + s.count * pitch;
                        firsts[k] = place + above * pitch;
                        detail::zero(begin, rows > 0 ? firsts[k] : end);
                        if (rows > 0) {
                            detail::zero(std::min(end, firsts[k] + (rows - 1) * pitch + (data + 1 - k) / 2), end);
                        }
                    }
                    if (rows > 0) {
                        table.planes.widen_pairs(x + at, width, readable - at, rows, data, firsts[0], firsts[1], pitch);
                    }
                    continue;
                }
                float* const begin = plane + s.begin * pitch;
                float* const end = begin + s.count * pitch;
                float* const first = begin + above * pitch + before;
                detail::zero(begin, rows > 0 ? first : end);
                if (rows > 0) {
                    table.planes.widen_rows(x + at, width, readable - at, rows, data, first, pitch,
                                            room || (channels - 1 - c) * slab.plane() >= 16);
                    detail::zero(first + (rows - 1) * pitch + data, end);
                }
                continue;
            }
            for (std::int64_t i = 0; i < s.count; ++i) {
                const std::int64_t y = top + s.from + i;
                float* const row = plane + slab.row_start(s.begin + i);
                if (y < 0 || y >= height) {
                    for (std::int64_t p = 0; p < slab.across.phases; ++p) {
                        detail::zero(row + slab.column_start(p), row + slab.column_start(p) + in_phase);
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

ANEMONE_BODY void fill_rows(const kernel_table& table, const convolution_slab& slab, const slab_source& from,
                            std::int64_t first, std::int64_t last, float* to) {
    const std::int64_t apart = slab.places_apart;
    for (const slab_axis::stretch& down : slab.down.stretches) {
        const std::int64_t end = std::min(last, down.begin + down.count);
        for (std::int64_t i = std::max(first, down.begin); i < end; ++i) {
            float* const row = to + slab.row_start(i);
            const std::int64_t y = from.top + down.from + i - down.begin;
            if (y < 0 || y >= from.height) {
                detail::zero(row, row + slab.pitch());
                continue;
            }
            for (const slab_axis::stretch& across : slab.across.stretches) {
                float* const places = row + across.begin * apart;
                const std::int64_t x = from.left + across.from;
                const std::int64_t before = std::clamp<std::int64_t>(-x, 0, across.count);
                const std::int64_t behind = std::clamp<std::int64_t>(from.width - x, before, across.count);
                const std::int64_t at = y * from.width + x + before;
                detail::zero(places, places + before * apart);
                if (before < behind) {
                    float* const first_place = places + before * apart;
                    if (from.order == layout::nhwc) {
                        table.planes.widen_places(from.x + at * from.channels, from.channels, from.channels,
                                                  behind - before, first_place, apart);
                    } else {
                        table.planes.gather_channels(from.x + at, from.height * from.width, from.channels,
                                                     behind - before, first_place, apart);
                    }
                }
                detail::zero(places + behind * apart, places + across.count * apart);
            }
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
