#pragma once

#include "../../../base/way.hpp"
#include "../driver/options.hpp"
#include "call.hpp"

#include <cstdint>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Makes an optional call; notes it in `left_out` when the runtime lacks the function or refuses.
template <auto Member, class... Arguments>
bool try_optional(std::vector<degradation>& left_out, const api& table, Arguments... arguments) {
    std::int64_t status = 0;
    if (table.*Member != nullptr) {
        status = status_of<Member>(table, arguments...);
        if (status == 0)
            return true;
    }
    left_out.push_back({symbol<Member>::name, status});
    return false;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
