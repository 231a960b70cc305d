#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../driver/within.hpp"
#include "api.hpp"
#include "symptoms.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ane::e5rt::inline ANEMONE_WAY {

/// The error for a call that answered `status`: the subject is the function's name, the detail has the status, `about`
/// (the thing the call was for) and the known symptoms of that function.
ANEMONE_INLINE error call_failure(const char* step, std::int64_t status, std::string_view about = {}) {
    std::string detail = "status " + std::to_string(status);
    if (!about.empty())
        detail.append(", ").append(about);
    return error(errc::engine, step,
                 detail + "; the runtime writes its reason to standard error or the unified log" + hint_for(step));
}

/// The error for a call that reported success and handed out nothing.
ANEMONE_INLINE error null_result(const char* step, std::string_view about = {}) {
    std::string detail = "status 0, but the result is null";
    if (!about.empty())
        detail.append(", ").append(about);
    return error(errc::engine, step, detail);
}

/// Calls a function of the table and gives its status. Throws `error(errc::library)` when the runtime lacks it.
template <auto Member, class... Arguments> std::int64_t status_of(const api& table, Arguments... arguments) {
    const auto function = table.*Member;
    if (function == nullptr)
        throw error(errc::library, symbol<Member>::name, "the runtime does not have this optional function");
    detail::note_step(symbol<Member>::name);
    return function(arguments...);
}

/// Calls a function of the table; throws `error(errc::engine)` on a nonzero status. Allocates only to throw.
template <auto Member, class... Arguments> void call(const api& table, Arguments... arguments) {
    if (const std::int64_t status = status_of<Member>(table, arguments...); status != 0)
        throw call_failure(symbol<Member>::name, status);
}

} // namespace ane::e5rt::inline ANEMONE_WAY
