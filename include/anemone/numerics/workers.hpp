#pragma once

#include "../base/way.hpp"

#include <cstdint>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Calls work(context, worker) in this thread and in up to `workers` - 1 others, which divide the work among
/// themselves. If the system provides fewer threads, fewer share it. An exception of a worker is rethrown here once all
/// have finished; of several, that of the first worker.
ANEMONE_API void run_workers(std::int64_t workers, void (*work)(const void* context, std::int64_t worker),
                             const void* context);

template <class Work> void run_workers(std::int64_t workers, const Work& work) {
    run_workers(
        workers, [](const void* context, std::int64_t worker) { (*static_cast<const Work*>(context))(worker); }, &work);
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "workers.ipp"
#endif
