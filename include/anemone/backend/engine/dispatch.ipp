#pragma once

#include "dispatch.hpp"

#include <mutex>

namespace ane::e5rt::inline ANEMONE_WAY {

struct dispatch_gate::state {
    std::mutex mutex;
};

ANEMONE_BODY dispatch_gate::dispatch_gate() : state_(hidden<state>::of(new state)) {}

ANEMONE_BODY dispatch_gate& dispatch_gate::process() {
    static dispatch_gate shared;
    return shared;
}

ANEMONE_BODY void dispatch_gate::lock() { state_.get("gate").mutex.lock(); }
ANEMONE_BODY void dispatch_gate::unlock() { state_.get("gate").mutex.unlock(); }

} // namespace ane::e5rt::inline ANEMONE_WAY
