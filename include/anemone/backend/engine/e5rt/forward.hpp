#pragma once

#include "../../../base/way.hpp"
#include "../driver/forward.hpp"

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// What a session or a chain holds (session_state.hpp).
struct session_state;

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
