#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../../values/shape.hpp"
#include "../../kernels/loop_nest.hpp"
#include "../../kernels/transpose.hpp"
#include "table.hpp"
#include "workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A shape seen from one axis: [outer, count, inner]. Throws errc::argument when there is no such axis (-1 is the
/// last).
struct axis_view {
    std::int64_t outer = 1;
    std::int64_t count = 1;
    std::int64_t inner = 1;
};

ANEMONE_INLINE axis_view view_of_axis(const extents& shape, int axis) {
    const int own = normalized_axis(axis, shape.rank);
    if (own < 0 || own >= shape.rank) {
        throw error(errc::argument, "axis",
                    std::to_string(axis) + " is not an axis of rank " + std::to_string(shape.rank));
    }
    axis_view view;
    for (int i = 0; i < shape.rank; ++i) {
        (i < own ? view.outer : i == own ? view.count : view.inner) *= shape[i];
    }
    return view;
}

/// So many elements are worth a thread of their own.
inline constexpr std::int64_t elements_of_a_part = 16384;

constexpr std::int64_t in_cache_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// The workers of a run; for a caller that brings no memory, one thread with `memory`.
ANEMONE_INLINE worker_threads workers_with_memory(const worker_threads& workers, const scratch_sizes& needed,
                                                  std::vector<std::byte>& memory) {
    if (workers.own != nullptr || workers.shared != nullptr) {
        return workers;
    }
    memory.resize(static_cast<std::size_t>(in_cache_lines(needed.shared) + needed.each));
    return {.shared = memory.data(), .own = memory.data() + in_cache_lines(needed.shared)};
}

/// part(offsets, count) for stretches of the rows of a nest, on several threads where that is worth it.
template <std::size_t N, class Part>
void share_rows(const kernels::loop_nest<N>& nest, const worker_threads& workers, const Part& part) {
    constexpr std::int64_t most = 4096;
    const std::int64_t count = nest.row_count();
    const std::int64_t piece = std::clamp<std::int64_t>(count, 1, most);
    const std::int64_t pieces = (count + piece - 1) / piece;
    workers.share(nest.rows() * pieces, elements_of_a_part / piece,
                  [&](std::int64_t first, std::int64_t last, std::byte*) {
                      std::int64_t row = first / pieces;
                      nest.for_rows(row, (last + pieces - 1) / pieces, [&](auto offsets) {
                          const std::int64_t begin = std::max<std::int64_t>(first - row * pieces, 0) * piece;
                          const std::int64_t end = std::min((last - row * pieces) * piece, count);
                          for (std::size_t n = 0; n < N; ++n) {
                              offsets[n] += begin * nest.row_stride(n);
                          }
                          part(offsets, end - begin);
                          ++row;
                      });
                  });
}

/// part(first, count) for stretches of a dense row.
template <class Part> void share_row(std::int64_t count, const worker_threads& workers, const Part& part) {
    constexpr std::int64_t line = 64;
    workers.share((count + line - 1) / line, elements_of_a_part / line,
                  [&](std::int64_t first, std::int64_t last, std::byte*) {
                      part(first * line, std::min(last * line, count) - first * line);
                  });
}

/// How many neighbouring lines along an axis are turned into rows at once.
constexpr std::int64_t columns_at_once(std::int64_t count) { return count <= 4096 ? 32 : 8; }

/// The temporary memory of along_axis for rows that need `bytes` themselves.
constexpr scratch_sizes scratch_along(const axis_view& view, std::int64_t bytes) {
    const std::int64_t turned = view.inner == 1 ? 0 : columns_at_once(view.count) * view.count;
    return {0, in_cache_lines(bytes) + in_cache_lines(turned * static_cast<std::int64_t>(sizeof(half)))};
}

/// rows(from, to, number of rows, memory) for rows of `view.count` elements, one behind the other, which are the lines
/// of x along an axis: where they are not, neighbouring lines are turned into rows and back. `memory` has `bytes`.
template <class Rows>
void along_axis(const half* x, const axis_view& view, half* out, const worker_threads& workers, std::int64_t bytes,
                const Rows& rows) {
    const std::int64_t count = view.count;
    if (view.outer * count * view.inner == 0) {
        return;
    }
    if (view.inner == 1) {
        workers.share(view.outer, std::max<std::int64_t>(elements_of_a_part / count, 1),
                      [&](std::int64_t first, std::int64_t last, std::byte* memory) {
                          rows(x + first * count, out + first * count, last - first, memory);
                      });
        return;
    }
    const std::int64_t width = columns_at_once(count);
    const std::int64_t blocks = (view.inner + width - 1) / width;
    workers.share(view.outer * blocks, std::max<std::int64_t>(elements_of_a_part / (count * width), 1),
                  [&](std::int64_t first, std::int64_t last, std::byte* memory) {
                      half* const turned = reinterpret_cast<half*>(memory + in_cache_lines(bytes));
                      for (std::int64_t i = first; i < last; ++i) {
                          const std::int64_t column = i % blocks * width;
                          const std::int64_t at = i / blocks * count * view.inner + column;
                          const std::int64_t columns = std::min(width, view.inner - column);
                          kernels::transpose(x + at, view.inner, turned, count, count, columns);
                          rows(turned, turned, columns, memory);
                          kernels::transpose(turned, count, out + at, view.inner, columns, count);
                      }
                  });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
