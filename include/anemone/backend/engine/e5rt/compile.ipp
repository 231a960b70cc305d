#pragma once

#include "../driver/within.hpp"
#include "compilation.hpp"
#include "compile.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<degradation> check_compiles(std::shared_ptr<const library> runtime, session_options options) {
    if (!runtime)
        throw error(errc::argument, "runtime", "no library");
    const time_span limit = options.setup_timeout;
    return detail::within(limit, "compile",
                          [runtime = std::move(runtime), all = detail::completed(std::move(options))] {
                              compilation result(runtime->functions(), all);
                              result.program.reset();
                              result.release_tools();
                              return std::move(result.degraded);
                          });
}

} // namespace ane::e5rt::inline ANEMONE_WAY
