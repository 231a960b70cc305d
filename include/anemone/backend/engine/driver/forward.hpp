#pragma once

#include "../../../base/way.hpp"

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Owner of what a session of either door holds (running.hpp).
template <class State> struct state_owner;

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
