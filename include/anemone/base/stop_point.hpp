#pragma once

#include <type_traits>

namespace ane::detail {

using stop_function = void (*)();

/// Ends this thread's calls by an exception where that is wanted; null: nothing does. `cancellable` sets it, of whichever way
/// the library is used: functions that are constants too are the same in both.
inline constinit thread_local stop_function stop_if_wanted = nullptr;

/// Between the steps of functions that are constants too: passes begin with it, long loops call it every thousand nodes.
/// Nothing while a constant is made.
constexpr void stop_point() {
    if (!std::is_constant_evaluated() && stop_if_wanted != nullptr) {
        stop_if_wanted();
    }
}

} // namespace ane::detail
