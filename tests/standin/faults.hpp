#pragma once

#include "call_ledger.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace ane::standin {

/// Failures on demand that are more than a status. Those that hold a call work before the runtime's lock is taken, so
/// that the rest of the runtime goes on.
class faults {
public:
    bool hang(std::string_view function) {
        const std::lock_guard lock(mutex_);
        wanted_ = function;
        armed_ = true;
        return call_ledger::knows(function);
    }
    void let_go() {
        {
            const std::lock_guard lock(mutex_);
            armed_ = false;
            ++released_;
        }
        changed_.notify_all();
    }
    std::uint64_t hung() {
        const std::lock_guard lock(mutex_);
        return held_;
    }

    /// Holds the call if that was asked for.
    void hold(std::string_view function) {
        if (!armed_) {
            return;
        }
        std::unique_lock lock(mutex_);
        if (!armed_ || wanted_ != function) {
            return;
        }
        armed_ = false;
        ++held_;
        const std::uint64_t until = released_ + 1;
        changed_.wait(lock, [&] { return released_ >= until; });
        --held_;
    }

    /// An execution, from its beginning to its end.
    class execution {
    public:
        explicit execution(faults& of) : of_(of) {
            if (of_.inside_++ != 0) {
                ++of_.overlaps;
            }
            if (of_.slow != 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(of_.slow));
            }
        }
        execution(const execution&) = delete;
        execution& operator=(const execution&) = delete;
        ~execution() { --of_.inside_; }

    private:
        faults& of_;
    };

    std::atomic<std::uint64_t> overlaps{0};
    std::atomic<int> slow{asked_by_environment()};

    static int asked_by_environment() {
        const char* const milliseconds = std::getenv("ANEMONE_STANDIN_SLOW");
        return milliseconds == nullptr ? 0 : std::atoi(milliseconds);
    }

    // under the runtime's lock
    int stale = 0;
    int short_buffers = 0;
    std::uint64_t service = 1; ///< which one it is; a program of an earlier one is dead
    double died_at = -1e9;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string wanted_;
    std::atomic<bool> armed_{false};
    std::uint64_t released_ = 0;
    std::uint64_t held_ = 0;
    std::atomic<int> inside_{0};
};

} // namespace ane::standin
