#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "kernel_table.hpp"
#include "workers.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// A pooling of NHWC images: row after row of results, over padded rows in fp32 of which each is made once.
struct pool_places_plan {
    op kind = op::max_pool;
    numerics::pool_shape shape;
    std::int64_t places = 0;    ///< of a padded row
    std::int64_t row_parts = 1; ///< of an image, for as many threads

    std::int64_t row() const { return places * shape.channels; }
    ANEMONE_API scratch_sizes scratch() const;
};

/// Plans max_pool or avg_pool for at most `width` threads. Throws errc::argument as plan_pool() does.
ANEMONE_API pool_places_plan plan_pool_places(op kind, const numerics::pool_shape& s, int width = 1);

/// The bits of pool() for x and out in NHWC. A workers brings plan.scratch() of memory; without any, the function allocates
/// it.
ANEMONE_API void pool_places(const kernel_table& table, const pool_places_plan& plan, const half* x, half* out,
                             const worker_threads& workers = {});

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "pool_places.ipp"
#endif
