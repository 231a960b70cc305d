#pragma once

#include "lines.hpp"
#include "norm.hpp"
#include "softmax.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void softmax(const kernel_table& table, const half* x, const extents& shape, int axis, half* out,
                          const worker_threads& workers) {
    const detail::axis_view view = detail::view_of_axis(shape, axis);
    std::vector<std::byte> memory;
    const worker_threads own = detail::workers_with_memory(workers, detail::scratch_of_norm(view), memory);
    const std::int64_t bytes = detail::row_scratch_bytes(view.count);
    detail::along_axis(x, view, out, own, bytes,
                       [&](const half* from, half* to, std::int64_t rows, std::byte* scratch) {
                           table.norms.softmax(from, to, rows, view.count, reinterpret_cast<float*>(scratch));
                       });
}

} // namespace ane::cpu::inline ANEMONE_WAY
