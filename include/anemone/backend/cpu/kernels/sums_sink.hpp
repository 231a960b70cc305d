#pragma once

#include "../../../base/way.hpp"
#include "finishing.hpp"
#include "table.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Who takes the finished fp32 sums of a layer: elements first <= i < first + count of the result, which it may
/// overwrite. A kernel hands over long stretches, so that a call each costs nothing.
struct sums_sink {
    const void* context;
    void (*take)(const void* context, float* sums, std::int64_t first, std::int64_t count);
    finishing direct{}; ///< with `out`: what the sink makes of sums, for tiles that can do that themselves

    /// Of a callable store(sums, first, count), which must live as long as the sink.
    template <class Store> static sums_sink of(const Store& store, const finishing& direct = {}) {
        return {&store,
                [](const void* callable, float* sums, std::int64_t first, std::int64_t count) {
                    (*static_cast<const Store*>(callable))(sums, first, count);
                },
                direct};
    }

    void operator()(float* sums, std::int64_t first, std::int64_t count) const { take(context, sums, first, count); }
};

} // namespace ane::cpu::inline ANEMONE_WAY
