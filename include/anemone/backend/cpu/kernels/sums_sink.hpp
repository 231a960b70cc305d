#pragma once

#include "../../../base/way.hpp"
#include "table.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Who takes the finished fp32 sums of a layer: elements first <= i < first + count of the result, which it may
/// overwrite. A kernel hands over long stretches, so that a call each costs nothing.
struct sums_sink {
    const void* context;
    void (*take)(const void* context, float* sums, std::int64_t first, std::int64_t count);

    /// Of a callable store(sums, first, count), which must live as long as the sink.
    template <class Store> static sums_sink of(const Store& store) {
        return {&store, [](const void* callable, float* sums, std::int64_t first, std::int64_t count) {
                    (*static_cast<const Store*>(callable))(sums, first, count);
                }};
    }

    void operator()(float* sums, std::int64_t first, std::int64_t count) const { take(context, sums, first, count); }
};

} // namespace ane::cpu::inline ANEMONE_WAY
