#pragma once

#include "compilation.hpp"
#include "compile.hpp"

#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<degradation> check_compiles(const library& runtime, const session_options& options) {
    const session_options all = detail::completed(options);
    compilation result(runtime.functions(), all);
    result.program.reset();
    result.release_tools();
    return std::move(result.degraded);
}

} // namespace ane::e5rt::inline ANEMONE_WAY
