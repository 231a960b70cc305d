#pragma once

#include "workers.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <thread>

namespace ane::numerics::detail::inline ANEMONE_WAY {

ANEMONE_BODY void run_workers(std::int64_t workers, void (*work)(const void* context, std::int64_t worker),
                              const void* context) {
    const auto count = static_cast<std::size_t>(workers);
    const auto failures = std::make_unique<std::exception_ptr[]>(count); // each worker has its own
    const auto guarded = [&](std::int64_t worker) {
        try {
            work(context, worker);
        } catch (...) { // it would end the process in another thread, and leave the others unjoined in this one
            failures[static_cast<std::size_t>(worker)] = std::current_exception();
        }
    };
    const auto others = std::make_unique<std::thread[]>(count);
    try {
        for (std::int64_t w = 1; w < workers; ++w) {
            others[static_cast<std::size_t>(w)] = std::thread([&guarded, w] { guarded(w); });
        }
    } catch (const std::exception&) { // std::system_error or std::bad_alloc: a joinable thread must not be destroyed
        // The threads that did start do all the work.
    }
    guarded(0);
    for (std::size_t w = 1; w < count && others[w].joinable(); ++w) {
        others[w].join();
    }
    for (std::size_t w = 0; w < count; ++w) {
        if (failures[w]) {
            std::rethrow_exception(failures[w]);
        }
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
