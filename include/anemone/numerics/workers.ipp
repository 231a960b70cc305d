#pragma once

#include "workers.hpp"

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace ane::numerics::detail::inline ANEMONE_WAY {

ANEMONE_BODY void run_workers(std::int64_t workers, void (*work)(const void* context, std::int64_t worker),
                              const void* context) {
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(workers));
    try {
        for (std::int64_t w = 1; w < workers; ++w) {
            others.emplace_back([work, context, w] { work(context, w); });
        }
    } catch (const std::exception&) { // std::system_error or std::bad_alloc: a joinable thread must not be destroyed
        // The workers there are take all the work.
    }
    work(context, 0);
    for (std::thread& t : others) {
        t.join();
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
