#pragma once

#include "way.hpp"

namespace ane::inline ANEMONE_WAY {

/// Runs the parts of a step at the same time. A program without one uses the process's own threads.
class executor {
public:
    executor() = default;
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;
    virtual ~executor() = default;

    /// How many parts run at the same time at most, the calling thread's among them.
    virtual int width() const noexcept = 0;
    /// Calls part(context, i) once for each 0 <= i < count, in any order and in any threads, and returns when all have
    /// ended. An exception of a part is thrown again here; of several, that of the lowest i.
    virtual void run(int count, void (*part)(const void* context, int index), const void* context) = 0;
};

} // namespace ane::inline ANEMONE_WAY
