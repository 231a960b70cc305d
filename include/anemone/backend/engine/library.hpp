#pragma once

#include "../../error.hpp"
#include "../../way.hpp"
#include "api.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Where macOS keeps the runtime. The image lives in the shared cache of the loader: the file need not exist on disk.
inline constexpr const char* apple_library_path = "/System/Library/PrivateFrameworks/Espresso.framework/Espresso";

/// Looks an exported name up; null when there is none.
using resolver = std::function<void*(const char*)>;

/// The image to open: the value of the environment variable ANEMONE_E5RT if set and not empty, else Apple's path on
/// macOS. Elsewhere throws `error(errc::library)`, since there is no runtime to find.
ANEMONE_INLINE std::filesystem::path default_library_path() {
    if (const char* chosen = std::getenv("ANEMONE_E5RT"); chosen != nullptr && *chosen != '\0')
        return chosen;
#if defined(__APPLE__)
    return apple_library_path;
#else
    throw error(errc::library, "ANEMONE_E5RT",
                "this system has no engine runtime; set the environment variable ANEMONE_E5RT to the path of the "
                "stand-in library");
#endif
}

/// Fills the table from `find`, each symbol once: the plain name first, then with a leading underscore. Throws
/// `error(errc::library)` naming the first missing required symbol, the image and the other missing ones.
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

/// The engine's runtime, opened: the table of its functions and the image that backs it, closed with the last owner.
/// Written from the guide (chapter 6) and tested against stand-ins: never run on Apple silicon by this project.
class library {
public:
    /// Opens `path` with RTLD_NOW | RTLD_LOCAL. Throws `error(errc::library)` when the image cannot be opened or lacks
    /// a required symbol.
    static std::shared_ptr<const library> open(const std::filesystem::path& path = default_library_path()) {
        image_pointer image(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
        if (!image) {
            const char* reason = ::dlerror();
            throw error(errc::library, path.string(), reason != nullptr ? reason : "dlopen failed without a reason");
        }
        const api table = resolve([&](const char* name) { return ::dlsym(image.get(), name); }, path.string());
        return std::shared_ptr<const library>(new library(table, path.string(), std::move(image)));
    }

    /// A library whose symbols come from `find` (tests, fault injection); `image` is the name used in errors.
    static std::shared_ptr<const library> from_resolver(const resolver& find, std::string image) {
        const api table = resolve(find, image);
        return std::shared_ptr<const library>(new library(table, std::move(image), nullptr));
    }

    const api& functions() const noexcept { return table_; }
    const std::string& image() const noexcept { return name_; }

private:
    struct closer {
        void operator()(void* image) const noexcept { ::dlclose(image); }
    };
    using image_pointer = std::unique_ptr<void, closer>;

    library(const api& table, std::string name, image_pointer image)
        : image_(std::move(image)), table_(table), name_(std::move(name)) {}

    image_pointer image_;
    api table_;
    std::string name_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY
