#pragma once

#include "../../../base/cancellation.hpp"
#include "../../../base/executor.hpp"
#include "../../../base/way.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// The temporary memory of a step, in bytes.
struct scratch_sizes {
    std::int64_t shared = 0; ///< for all threads together
    std::int64_t each = 0;   ///< for each thread on top
};

/// The threads of a run and the temporary memory that a step may use. The memory is aligned to cache lines, and what
/// another step left is in it.
struct worker_threads {
    executor* pool = nullptr; ///< null: the calling thread alone
    int width = 1;
    std::byte* shared = nullptr; ///< bytes: scratch_sizes::shared
    std::byte* own = nullptr;    ///< `width` blocks of `each` bytes
    std::int64_t each = 0;
    bool finest = false; ///< tests: as many parts as there can be, however small

    /// How much of a call that may be cancelled is computed at once: a grain is worth about 10 us.
    static constexpr std::int64_t slice_in_grains = 64;

    /// Calls work(first, last, scratch of the thread) for ranges that cover 0 <= i < count once, at the same time where
    /// there are at least `grain` items for each thread. Results must not depend on where the ranges end.
    template <class Work> void share(std::int64_t count, std::int64_t grain, const Work& work) const {
        const std::int64_t least = finest ? 1 : std::max<std::int64_t>(grain, 1);
        const std::int64_t parts = std::clamp<std::int64_t>(count / least, 1, width);
        const cancellation* const wish = ane::detail::cancellation_now();
        const std::int64_t slice = wish == nullptr ? count : std::max<std::int64_t>(slice_in_grains * least, 1);
        const auto part = [&](std::int64_t i) {
            const std::int64_t end = count * (i + 1) / parts;
            for (std::int64_t first = count * i / parts; first < end; first += slice) {
                ane::detail::stop_if_cancelled();
                ane::detail::stop_if_cancelled(wish);
                work(first, std::min(end, first + slice), own + i * each);
            }
        };
        if (pool == nullptr || parts == 1) {
            part(0);
            return;
        }
        pool->run(
            static_cast<int>(parts),
            [](const void* context, int i) { (*static_cast<const decltype(part)*>(context))(i); }, &part);
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY
