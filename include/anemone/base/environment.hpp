#pragma once

#include "way.hpp"

#include <cstdlib>
#include <unistd.h>

namespace ane::detail::inline ANEMONE_WAY {

/// The value of an environment variable; null where there is none, and where the program has rights that its caller has
/// not (setuid, setgid, capabilities): such a caller must not choose the code that runs or where files go.
ANEMONE_INLINE const char* environment_variable(const char* name) {
#if defined(__linux__)
    return ::secure_getenv(name);
#else
    return ::issetugid() != 0 ? nullptr : std::getenv(name);
#endif
}

} // namespace ane::detail::inline ANEMONE_WAY
