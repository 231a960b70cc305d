#pragma once

#include "compilation.hpp"
#include "compile.hpp"
#include "within.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<degradation> check_compiles(std::shared_ptr<const library> runtime, session_options options) {
    if (!runtime)
        throw error(errc::argument, "runtime", "no library");
    const auto left_out = std::make_shared<std::vector<degradation>>();
    const time_span limit = options.setup_timeout;
    detail::within(limit, "compile",
                   [runtime = std::move(runtime), all = detail::completed(std::move(options)), left_out] {
                       compilation result(runtime->functions(), all);
                       result.program.reset();
                       result.release_tools();
                       *left_out = std::move(result.degraded);
                   });
    return std::move(*left_out);
}

} // namespace ane::e5rt::inline ANEMONE_WAY
