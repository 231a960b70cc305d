#pragma once

#include "../../../base/way.hpp"

namespace ane::e5rt::inline ANEMONE_WAY {

/// Looks an exported name up, by a function object `void*(const char*)` which must outlive it; null when there is none.
class resolver {
public:
    template <class Find>
        requires requires(const Find& find, const char* name) { static_cast<void*>(find(name)); }
    resolver(const Find& find) // NOLINT(google-explicit-constructor): made where a lambda is handed over
        : find_(&find), call_([](const void* object, const char* name) {
              return static_cast<void*>((*static_cast<const Find*>(object))(name));
          }) {}

    void* operator()(const char* name) const { return call_(find_, name); }

private:
    const void* find_;
    void* (*call_)(const void* object, const char* name);
};

} // namespace ane::e5rt::inline ANEMONE_WAY
