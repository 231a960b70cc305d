#pragma once

#include "../../../base/way.hpp"

#include <atomic>
#include <memory>
#include <unistd.h>
#include <utility>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// A thing that a process makes when it first asks for it, and a child after a fork anew: of its parent's it may touch
/// nothing, since threads that the child does not have may hold its locks. Thread safe, and without a lock of its own.
template <class Thing> class once_a_process {
public:
    constexpr once_a_process() = default;
    once_a_process(const once_a_process&) = delete;
    once_a_process& operator=(const once_a_process&) = delete;
    ~once_a_process() {
        entry* const newest = newest_.exchange(nullptr);
        if (newest != nullptr && newest->process == ::getpid())
            delete newest; // NOLINT(cppcoreguidelines-owning-memory)
    }

    /// The thing; `make()` gives it where there is none. Of threads that make it at once one has its own taken.
    template <class Make> Thing& get(const Make& make) {
        entry* known = newest_.load(std::memory_order_acquire);
        while (known == nullptr || known->process != ::getpid()) {
            auto made = std::make_unique<entry>(entry{::getpid(), known, make()});
            if (newest_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
                known = made.release();
        }
        return known->thing;
    }

private:
    struct entry {
        ::pid_t process;
        entry* parents; ///< kept, as nothing of it may be touched
        Thing thing;
    };

    std::atomic<entry*> newest_{nullptr};
};

/// The one thing of its kind that all sessions of the process share, as this copy of the driver has it.
template <class Thing> inline constinit once_a_process<std::shared_ptr<Thing>> the_process_s{};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
