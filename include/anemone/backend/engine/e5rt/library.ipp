#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_e5rt_library_hpp);

#include "../../../base/environment.hpp"
#include "../../../base/error.hpp"
#include "api.hpp"
#include "library.hpp"

#include <dlfcn.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Fills the table from `find`. Throws `error(errc::library)` where a required symbol is missing.
ANEMONE_INLINE api resolve(const resolver& find, const std::string& image) {
    api table;
    std::string first;
    std::string others;
    for_each_symbol([&](auto entry) {
        using described = decltype(entry);
        void* address = find(described::name);
        if (address == nullptr)
            address = find((std::string("_") + described::name).c_str());
        auto& slot = table.*described::member;
        slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(address);
        if (address != nullptr || described::required_or_optional == presence::optional)
            return;
        if (first.empty())
            first = described::name;
        else
            others += (others.empty() ? "; also missing: " : ", ") + std::string(described::name);
    });
    if (!first.empty())
        throw error(errc::library, first,
                    "required symbol not found in '" + image + "' (also tried as '_" + first + "')" + others);
    return table;
}

/// Closes an image, but not in a child after a fork: there its own destructors would meet a lost runtime.
struct image_closer {
    void operator()(void* opened) const noexcept {
        if (process == ::getpid())
            ::dlclose(opened);
    }

    ::pid_t process = ::getpid();
};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY

namespace ane::e5rt::inline ANEMONE_WAY {

struct library::state {
    std::unique_ptr<void, detail::image_closer> image;
    std::string name;
    api table;
};

ANEMONE_BODY_OF std::string default_library_path() {
    if (const char* chosen = ane::detail::environment_variable("ANEMONE_E5RT"); chosen != nullptr && *chosen != '\0')
        return chosen;
#if defined(__APPLE__)
    return apple_library_path;
#else
    throw error(errc::library, "ANEMONE_E5RT",
                "this system has no engine runtime; set the environment variable ANEMONE_E5RT to the path of the "
                "stand-in library");
#endif
}

ANEMONE_BODY_OF std::shared_ptr<const library> library::open() { return open(default_library_path()); }

ANEMONE_BODY_OF std::shared_ptr<const library> library::open(const std::string& path) {
    std::unique_ptr<void, detail::image_closer> image(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!image) {
        const char* reason = ::dlerror();
        throw error(errc::library, path, reason != nullptr ? reason : "dlopen failed without a reason");
    }
    const auto find = [&](const char* name) { return ::dlsym(image.get(), name); };
    const api table = detail::resolve(find, path);
    return std::shared_ptr<const library>(new library(hidden<state>::of(new state{std::move(image), path, table})));
}

ANEMONE_BODY_OF std::shared_ptr<const library> library::from_resolver(const resolver& find, std::string image) {
    const api table = detail::resolve(find, image);
    return std::shared_ptr<const library>(new library(hidden<state>::of(new state{nullptr, std::move(image), table})));
}

ANEMONE_BODY_OF library::library(hidden<state> made) : state_(std::move(made)) {}

ANEMONE_BODY const api& library::functions() const { return state_.get("library").table; }
ANEMONE_BODY const std::string& library::image() const { return state_.get("library").name; }

} // namespace ane::e5rt::inline ANEMONE_WAY
