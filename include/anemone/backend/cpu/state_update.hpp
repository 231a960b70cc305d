#pragma once

#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../graph/strided.hpp"
#include "../kernels/loop_nest.hpp"
#include "kernels/lines.hpp"
#include "kernels/workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// Whether an output is the next value of a state with only some elements replaced (`write_where`).
constexpr bool updates_state(const graph_view& g, const output_port& port) {
    return port.is_state() && g[port.node].kind == op::select && g.operands(port.node)[2] == port.state;
}

/// Replaces rows of a state whose two buffers change places after each run. The buffer to write has the value from before
/// the last run, so it differs from the one to read in the rows that the last run wrote: those and this run's are all that
/// has to be stored. A run that fails leaves what is read untouched.
class state_update {
public:
    /// Absent where the condition changes within rows, or rows are so short that a select is as fast.
    ANEMONE_INLINE static std::optional<state_update> of(const extents& condition, const extents& value,
                                                         const extents& state) {
        state_update result;
        const auto strides = [&](const extents& e) { return ane::detail::broadcast_strides(state, e); };
        result.nest_ =
            kernels::loop_nest<3>{state, {strides(condition), strides(value), row_major_strides(state)}}.collapsed();
        constexpr std::int64_t shortest = 16;
        if (result.nest_.row_stride(0) != 0 || result.nest_.row_count() < shortest) {
            return std::nullopt;
        }
        result.stale_.resize(static_cast<std::size_t>(result.nest_.rows()), 1);
        return result;
    }

    /// `now` to `next`. `rewritten`: the caller has written into the state since the last run.
    ANEMONE_INLINE void run(const std::uint8_t* condition, const half* value, const half* now, half* next,
                            bool rewritten, const worker_threads& workers) {
        const std::int64_t count = nest_.row_count();
        if (rewritten) {
            std::fill(stale_.begin(), stale_.end(), std::uint8_t{1});
        }
        const auto store = [&](half* to, const half* from) {
            std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(half));
        };
        workers.share(nest_.rows(), detail::elements_of_a_part / count,
                      [&](std::int64_t first, std::int64_t last, std::byte*) {
                          std::uint8_t* stale = stale_.data() + first;
                          nest_.for_rows(first, last, [&](const auto& at) {
                              if (condition[at[0]] == 0) {
                                  if (*stale != 0) {
                                      store(next + at[2], now + at[2]);
                                  }
                              } else if (nest_.row_stride(1) == 1) {
                                  store(next + at[2], value + at[1]);
                              } else {
                                  for (std::int64_t i = 0; i < count; ++i) {
                                      next[at[2] + i] = value[at[1] + i * nest_.row_stride(1)];
                                  }
                              }
                              *stale++ = condition[at[0]];
                          });
                      });
    }

private:
    kernels::loop_nest<3> nest_;
    std::vector<std::uint8_t> stale_; ///< by row: whether the buffer to write differs there from the one to read
};

} // namespace ane::cpu::inline ANEMONE_WAY
