#pragma once

#include "../../kernels/transpose.hpp"
#include "product_blocks.hpp"
#include "reduction_parts.hpp"
#include "weight_gradient.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Products of many rows only.
inline constexpr algorithm_set weight_gradient_ways{algorithm::many_rows};

/// Elements that products may read behind the last one.
inline constexpr std::int64_t product_overread = 2 * most_panel_columns;

constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/// Columns of the product of a run: whole vectors, whose last columns nobody reads.
ANEMONE_INLINE std::int64_t product_width(const weight_gradient_plan& p, const weight_gradient_plan::run& r) {
    const std::int64_t width = r.places * p.channels;
    return in_multiples(width, width > most_panel_columns / 2 ? most_panel_columns : most_panel_columns / 2);
}

ANEMONE_INLINE product_extents extents_of(const weight_gradient_plan& p, const weight_gradient_plan::run& r) {
    return {.m = p.rows, .n = product_width(p, r), .k = p.terms()};
}

/// The cotangent with a gap behind each row and each image.
ANEMONE_INLINE void space_out(const weight_gradient_plan& p, const half* cotangent, half* to,
                              const worker_threads& workers) {
    const std::int64_t image = p.phase_rows * p.pitch;
    workers.share(p.rows * p.batch, std::max<std::int64_t>(1, 8192 / image),
                  [&](std::int64_t first, std::int64_t last, std::byte*) {
                      for (std::int64_t i = first; i < last; ++i) {
                          const std::int64_t o = i / p.batch;
                          const std::int64_t n = i % p.batch;
                          half* place = to + i * image;
                          half* const end = place + image;
                          const half* from = cotangent + (n * p.outputs + o) * p.out_height * p.out_width;
                          for (std::int64_t y = 0; o < p.outputs && y < p.out_height; ++y) {
                              std::copy_n(from, p.out_width, place);
                              std::fill(place + p.out_width, place + p.pitch, half{});
                              from += p.out_width;
                              place += p.pitch;
                          }
                          std::fill(place, end, half{});
                      }
                  });
}

/// x as NHWC, with a border of zeros, the rows of each phase together.
ANEMONE_INLINE void turn_channels(const weight_gradient_plan& p, const half* x, half* to,
                                  const worker_threads& workers) {
    const std::int64_t row_size = p.pitch * p.term_step();
    const std::int64_t rows = p.batch * p.phase_rows;
    const std::int64_t before = std::clamp<std::int64_t>(-p.first_column, 0, p.held_columns);
    const std::int64_t behind =
        std::clamp<std::int64_t>(p.width - p.first_column, before, p.held_columns); // the first column behind x
    const auto share = static_cast<std::int64_t>(p.phases.size()) * rows;
    workers.share(share, std::max<std::int64_t>(1, 8192 / row_size),
                  [&](std::int64_t first, std::int64_t last, std::byte*) {
                      for (std::int64_t i = first; i < last; ++i) {
                          const weight_gradient_plan::phase& phase = p.phases[static_cast<std::size_t>(i / rows)];
                          const std::int64_t n = i % rows / p.phase_rows;
                          const std::int64_t j = i % p.phase_rows;
                          const std::int64_t y = phase.first + j * p.stride_height;
                          half* const row = to + phase.begin + i % rows * row_size;
                          if (j >= p.held_rows || y < 0 || y >= p.height) {
                              std::fill_n(row, row_size, half{});
                              continue;
                          }
                          std::fill_n(row, before * p.channels, half{});
                          kernels::transpose(x + (n * p.channels * p.height + y) * p.width + p.first_column + before,
                                             p.height * p.width, row + before * p.channels, p.channels, p.channels,
                                             behind - before);
                          std::fill(row + behind * p.channels, row + row_size, half{});
                      }
                  });
    for (const weight_gradient_plan::phase& phase : p.phases) {
        std::fill_n(to + phase.begin + rows * row_size, p.phase_size - rows * row_size, half{});
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY weight_gradient_plan plan_weight_gradient(const weight_gradient& g, const extents& x) {
    weight_gradient_plan p;
    p.batch = x[0];
    p.channels = x[1];
    p.outputs = g.rows;
    p.rows = std::max(g.rows, most_few_rows + 1);
    p.places = static_cast<std::int64_t>(g.places.size());
    p.height = x[2];
    p.width = x[3];
    p.out_height = g.out_height;
    p.out_width = g.out_width;
    // Of one row or column of outputs the stride says nothing.
    p.stride_height = g.out_height > 1 ? g.stride.height : 1;
    p.stride_width = g.out_width > 1 ? g.stride.width : 1;
    std::int64_t last_column = g.places[0].column;
    p.first_column = last_column;
    std::int64_t first_row = detail::floor_quotient(g.places[0].row, p.stride_height);
    std::int64_t last_row = first_row;
    sequence<std::int64_t> remainders;
    for (const weight_gradient::place& each : g.places) {
        const std::int64_t row = detail::floor_quotient(each.row, p.stride_height);
        p.first_column = std::min(p.first_column, each.column);
        last_column = std::max(last_column, each.column);
        first_row = std::min(first_row, row);
        last_row = std::max(last_row, row);
        const std::int64_t rest = each.row - row * p.stride_height;
        if (std::find(remainders.begin(), remainders.end(), rest) == remainders.end()) {
            remainders.push_back(rest);
        }
    }
    p.held_rows = g.out_height + last_row - first_row;
    p.held_columns = (g.out_width - 1) * p.stride_width + 1 + last_column - p.first_column;
    // The zeros behind a row are those before the next one, where there are both.
    const std::int64_t left = std::max<std::int64_t>(0, -p.first_column);
    const std::int64_t right = std::max<std::int64_t>(0, p.first_column + p.held_columns - p.width);
    const std::int64_t columns = p.held_columns - std::min({left, right, p.held_columns - 1});
    p.pitch = std::max((columns + p.stride_width - 1) / p.stride_width, g.out_width);
    std::int64_t shared_rows = p.held_rows - 1;
    for (const std::int64_t rest : remainders) {
        const std::int64_t first = first_row * p.stride_height + rest;
        std::int64_t above = 0;
        std::int64_t below = 0;
        while (above < p.held_rows && first + above * p.stride_height < 0) {
            ++above;
        }
        while (below < p.held_rows && first + (p.held_rows - 1 - below) * p.stride_height >= p.height) {
            ++below;
        }
        shared_rows = std::min({shared_rows, above, below});
    }
    p.phase_rows = std::max(p.held_rows - shared_rows, g.out_height);
    p.held_rows = std::min(p.held_rows, p.phase_rows);
    p.held_columns = std::min(p.held_columns, p.pitch * p.stride_width);
    const std::int64_t row_size = p.pitch * p.term_step();
    // The last image reads the border of one that is not there.
    const std::int64_t reach = (last_row - first_row + 1) * row_size + (last_column - p.first_column + 1) * p.channels;
    p.phase_size = (p.batch * p.phase_rows * row_size + reach + detail::product_overread + 63) / 64 * 64;
    for (const std::int64_t rest : remainders) {
        p.phases.push_back(
            {first_row * p.stride_height + rest, static_cast<std::int64_t>(p.phases.size()) * p.phase_size});
    }
    for (std::size_t k = 0; k < g.places.size(); ++k) {
        const weight_gradient::place& each = g.places[k];
        const std::int64_t row = detail::floor_quotient(each.row, p.stride_height);
        const std::int64_t rest = each.row - row * p.stride_height;
        const auto phase =
            static_cast<std::size_t>(std::find(remainders.begin(), remainders.end(), rest) - remainders.begin());
        const std::int64_t begin =
            p.phases[phase].begin + (row - first_row) * row_size + (each.column - p.first_column) * p.channels;
        if (!p.runs.empty() && begin == p.runs.back().begin + p.runs.back().places * p.channels &&
            each.row == g.places[k - 1].row) {
            ++p.runs.back().places;
            p.runs.back().at.push_back(static_cast<std::int64_t>(k));
        } else {
            p.runs.push_back({begin, 1, {}});
            p.runs.back().at.push_back(static_cast<std::int64_t>(k));
        }
    }
    return p;
}

ANEMONE_BODY scratch_sizes weight_gradient_plan::scratch() const {
    const auto halves = rows * terms() + static_cast<std::int64_t>(phases.size()) * phase_size;
    scratch_sizes sizes{.shared = (halves + 64) * std::int64_t{sizeof(half)}, .each = 0};
    for (const run& each : runs) {
        const auto own = detail::product_scratch(detail::extents_of(*this, each)).bytes();
        sizes.each = std::max(sizes.each, own);
    }
    return sizes;
}

ANEMONE_BODY void weight_gradient_of(const kernel_table& table, const weight_gradient_plan& plan, const half* cotangent,
                                     const half* x, half* result, const worker_threads& workers) {
    half* const left = reinterpret_cast<half*>(workers.shared);
    half* const right = left + (plan.rows * plan.terms() + 63) / 64 * 64;
    detail::space_out(plan, cotangent, left, workers);
    detail::turn_channels(plan, x, right, workers);
    for (const weight_gradient_plan::run& run : plan.runs) {
        const std::int64_t wanted = run.places * plan.channels;
        detail::multiply<detail::weight_gradient_ways>(
            table, detail::extents_of(plan, run), 1, workers,
            [&](std::int64_t) {
                detail::right_matrix b{right + run.begin, false, false};
                b.step = plan.term_step();
                return std::pair(static_cast<const half*>(left), b);
            },
            [&](std::int64_t, float* sums, std::int64_t row, std::int64_t column, std::int64_t count) {
                if (row >= plan.outputs) {
                    return;
                }
                half rounded[detail::product_columns];
                table.to_half(sums, rounded, count);
                half* const to = result + row * plan.channels * plan.places;
                std::int64_t c = column % plan.channels;
                auto place = static_cast<std::size_t>(column / plan.channels);
                for (std::int64_t k = 0; k < std::min(count, wanted - column); ++k) {
                    to[c * plan.places + run.at[place]] = rounded[k];
                    if (++c == plan.channels) {
                        c = 0;
                        ++place;
                    }
                }
            });
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
