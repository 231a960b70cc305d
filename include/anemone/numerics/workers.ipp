#pragma once

#include "workers.hpp"

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace ane::numerics::detail::inline ANEMONE_WAY {

ANEMONE_BODY void run_workers(std::int64_t workers, void (*work)(const void* context, std::int64_t worker),
                              const void* context) {
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers)); // each worker has its own
    const auto guarded = [&](std::int64_t worker) {
        try {
            work(context, worker);
        } catch (...) { // it would end the process in another thread, and leave the others unjoined in this one
            failures[static_cast<std::size_t>(worker)] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(workers));
    try {
        for (std::int64_t w = 1; w < workers; ++w) {
            others.emplace_back([&guarded, w] { guarded(w); });
        }
    } catch (const std::exception&) { // std::system_error or std::bad_alloc: a joinable thread must not be destroyed
        // The threads that did start do all the work.
    }
    guarded(0);
    for (std::thread& t : others) {
        t.join();
    }
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
