#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

/// Whether what a caller shared with its calls is still there, without keeping any of it.
class witnesses {
public:
    template <class Thing> void watch(const std::shared_ptr<Thing>& thing) { seen_.emplace_back(thing); }

    bool all_are_there() const {
        return std::none_of(seen_.begin(), seen_.end(), [](const auto& each) { return each.expired(); });
    }
    bool all_are_gone() const {
        return std::all_of(seen_.begin(), seen_.end(), [](const auto& each) { return each.expired(); });
    }
    /// For as long as it takes: ctest has a limit.
    void await_the_end() const {
        while (!all_are_gone()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    std::vector<std::weak_ptr<const void>> seen_;
};
