#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "process_state.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Counts one loaded program of the process for as long as it lives. Throws `error(errc::engine)` where it would be one
/// too many.
class program_slot {
public:
    ANEMONE_INLINE explicit program_slot(int limit) : loaded_(state_of_process().loaded) {
        const int others = loaded_++;
        if (others >= limit) {
            --loaded_;
            throw error(errc::engine, "loaded programs",
                        std::to_string(others) + " are loaded by this driver, the limit is " + std::to_string(limit) +
                            " (R116): close a session, or use one for several sizes");
        }
    }
    ~program_slot() { --loaded_; }
    program_slot(const program_slot&) = delete;
    program_slot& operator=(const program_slot&) = delete;

    /// How many others there are.
    int others() const noexcept { return loaded_ - 1; }

private:
    std::atomic<std::int32_t>& loaded_;
};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
