#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_objc_runtime_hpp);

#include "../../../base/environment.hpp"
#include "../../../base/error.hpp"
#include "api.hpp"
#include "runtime.hpp"

#include <dlfcn.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace ane::objc::detail::inline ANEMONE_WAY {

/// Fills the table; throws `error` (errc::library) that names everything missing.
ANEMONE_INLINE api resolve(const e5rt::resolver& find, const std::string& image) {
    api table;
    std::string first;
    std::string others;
    for_each_symbol(table, [&](const char* name, auto& slot) {
        void* const address = find(name);
        slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(address);
        if (address == nullptr) {
            (first.empty() ? first : others) += first.empty() ? std::string(name) : ", " + std::string(name);
        }
    });
    if (!first.empty()) {
        throw error(errc::library, first,
                    "symbol not found in '" + image + "'" +
                        (others.empty() ? "" : "; also missing: " + others.substr(2)));
    }
    return table;
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

struct runtime::state {
    struct closer {
        void operator()(void* opened) const noexcept { ::dlclose(opened); }
    };

    std::vector<std::unique_ptr<void, closer>> images;
    std::string name;
    api table;
};

ANEMONE_BODY_OF std::shared_ptr<const runtime> runtime::open(const std::string& path) {
    std::string chosen = path;
    if (chosen.empty()) {
        const char* const given = ane::detail::environment_variable("ANEMONE_OBJC");
        chosen = given != nullptr ? given : "";
    }
    std::vector<std::string> paths{chosen};
    if (chosen.empty()) {
#if defined(__APPLE__)
        paths.assign(apple_images.begin(), apple_images.end());
#else
        throw error(
            errc::library, "ANEMONE_OBJC",
            "this system has no Objective-C door to the engine; set the environment variable ANEMONE_OBJC to the "
            "path of the stand-in library, or use the e5rt door");
#endif
    }
    state made;
    for (const std::string& each : paths) {
        made.images.emplace_back(::dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL));
        if (!made.images.back()) {
            const char* const reason = ::dlerror();
            throw error(errc::library, each, reason != nullptr ? reason : "dlopen failed without a reason");
        }
    }
    made.name = paths.size() == 1 ? paths.front() : "macOS";
    made.table = detail::resolve(
        [&](const char* name) {
            for (const auto& image : made.images) {
                if (void* const found = ::dlsym(image.get(), name)) {
                    return found;
                }
            }
            return static_cast<void*>(nullptr);
        },
        made.name);
    return std::shared_ptr<const runtime>(new runtime(hidden<state>::of(new state(std::move(made)))));
}

ANEMONE_BODY_OF std::shared_ptr<const runtime> runtime::from_resolver(const e5rt::resolver& find, std::string image) {
    const api table = detail::resolve(find, image);
    return std::shared_ptr<const runtime>(new runtime(hidden<state>::of(new state{{}, std::move(image), table})));
}

ANEMONE_BODY_OF runtime::runtime(hidden<state> made) : state_(std::move(made)) {}

ANEMONE_BODY const api& runtime::functions() const { return state_.get("runtime").table; }
ANEMONE_BODY const std::string& runtime::image() const { return state_.get("runtime").name; }

} // namespace ane::objc::inline ANEMONE_WAY
