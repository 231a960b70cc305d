#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "foundation.hpp"
#include "message.hpp"
#include "symptoms.hpp"

#include <string>

namespace ane::objc::detail::inline ANEMONE_WAY {

template <class Result, class... Arguments>
error failure(const message<Result(Arguments...)>& what, const std::string& reason) {
    return {errc::engine, what.text(), reason + "; " + advice_for(what.selector, reason)};
}

/// Sends a message that gives an object; throws `error` (errc::engine) where it gives none.
template <class... Arguments, class... Given>
owned object_of(const api& table, void* target, const message<void*(Arguments...)>& what, Given... given) {
    void* const result = bind(table, target, what)(given...);
    if (result == nullptr) {
        throw failure(what, "gave nil");
    }
    return owned::kept(table, result);
}

/// Sends a message that says whether it succeeded, whose last argument is for the reason.
template <class... Arguments, class... Given>
std::string refusal_of(const api& table, const bound_message<bool(Arguments...)>& bound, Given... given) {
    void* reason = nullptr;
    return bound(given..., &reason) ? std::string() : description_of(table, reason);
}

ANEMONE_INLINE void* class_named(const api& table, const char* name) {
    void* const found = table.objc_getClass(name);
    if (found == nullptr) {
        throw error(errc::library, name,
                    "the framework does not have this class: this version of macOS has another interface; "
                    "use the e5rt door");
    }
    return found;
}

} // namespace ane::objc::detail::inline ANEMONE_WAY
