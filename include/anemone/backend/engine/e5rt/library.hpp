#ifndef ANEMONE_BACKEND_ENGINE_E5RT_LIBRARY_HPP
#define ANEMONE_BACKEND_ENGINE_E5RT_LIBRARY_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../driver/resolver.hpp"

#include <memory>
#include <string>

namespace ane::e5rt::inline ANEMONE_WAY {

struct api;

/// Where macOS keeps the runtime. The image lives in the shared cache of the loader: the file need not exist on disk.
inline constexpr const char* apple_library_path = "/System/Library/PrivateFrameworks/Espresso.framework/Espresso";

/// The image to open: the value of the environment variable ANEMONE_E5RT if set and not empty (a setuid program does not
/// read it), else Apple's path on macOS. Elsewhere throws `error(errc::library)`, since there is no runtime to find.
ANEMONE_API_OF(anemone_backend_engine_e5rt_library_hpp) std::string default_library_path();

/// The engine's runtime, opened: the table of its functions (api.hpp) and the image that backs it, closed with the last
/// owner. Written from the guide (chapter 6) and tested against stand-ins: never run on Apple silicon by this project.
class library {
public:
    /// Opens `path` with RTLD_NOW | RTLD_LOCAL. Throws `error(errc::library)` when the image cannot be opened or lacks
    /// a required symbol; it names the first missing one, the image and the other missing ones.
    ANEMONE_API_OF(anemone_backend_engine_e5rt_library_hpp)
    static std::shared_ptr<const library> open(const std::string& path);
    /// The same of `default_library_path()`.
    ANEMONE_API_OF(anemone_backend_engine_e5rt_library_hpp) static std::shared_ptr<const library> open();

    /// A library whose symbols come from `find` (tests, fault injection); `image` is the name used in errors. Each
    /// symbol is looked up once: the plain name first, then with a leading underscore.
    ANEMONE_API_OF(anemone_backend_engine_e5rt_library_hpp)
    static std::shared_ptr<const library> from_resolver(const resolver& find, std::string image);

    /// The table of functions; lives as long as the library.
    ANEMONE_API const api& functions() const;
    /// The path of the image, or its name.
    ANEMONE_API const std::string& image() const;

private:
    struct state;
    ANEMONE_API_OF(anemone_backend_engine_e5rt_library_hpp) explicit library(hidden<state> made);

    hidden<state> state_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "library.ipp"
#endif
