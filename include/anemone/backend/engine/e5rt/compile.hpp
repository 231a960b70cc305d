#pragma once

#include "../../../base/way.hpp"
#include "../driver/options.hpp"
#include "library.hpp"

#include <memory>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Compiles and throws the result away: whether the compiler takes the program for a target. The compiler does not
/// enforce the limits of another target than the host's, so a pass is not a proof there (engine-runtime 7.2). Gives the
/// optional steps left out. Throws `error`: file for the directories, argument for the options (a target that is not
/// known, R175), engine naming the call that failed or did not return within `options.setup_timeout`.
ANEMONE_API std::vector<degradation> check_compiles(std::shared_ptr<const library> runtime, session_options options);

} // namespace ane::e5rt::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "compile.ipp"
#endif
