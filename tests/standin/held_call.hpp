#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace ane::standin {

/// A call that does not return before it is let go: the completion that is lost.
class held_call {
public:
    /// The nth call of this function from now on is held; 1: the next.
    void want(std::string_view function, int nth) {
        const std::lock_guard lock(mutex_);
        wanted_ = function;
        remaining_ = nth;
        armed_ = true;
    }
    void let_go() {
        {
            const std::lock_guard lock(mutex_);
            armed_ = false;
            ++released_;
        }
        changed_.notify_all();
    }
    /// How many are held.
    std::uint64_t count() {
        const std::lock_guard lock(mutex_);
        return held_;
    }

    /// Holds the call if that was asked for.
    void hold(std::string_view function) {
        if (!armed_) {
            return;
        }
        std::unique_lock lock(mutex_);
        if (!armed_ || wanted_ != function || --remaining_ != 0) {
            return;
        }
        armed_ = false;
        ++held_;
        const std::uint64_t until = released_ + 1;
        changed_.wait(lock, [&] { return released_ >= until; });
        --held_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string wanted_;
    int remaining_ = 0;
    std::atomic<bool> armed_{false};
    std::uint64_t released_ = 0;
    std::uint64_t held_ = 0;
};

} // namespace ane::standin
