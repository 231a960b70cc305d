#ifndef ANEMONE_BACKEND_ENGINE_OBJC_RUNTIME_HPP
#define ANEMONE_BACKEND_ENGINE_OBJC_RUNTIME_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../driver/resolver.hpp"

#include <array>
#include <memory>
#include <string>

namespace ane::objc::inline ANEMONE_WAY {

struct api;

/// Where macOS keeps the libraries of the table (api.hpp), and the framework that registers the engine's classes. They
/// are in the loader's shared cache: the files need not exist.
inline constexpr std::array<const char*, 5> apple_images = {
    "/usr/lib/libobjc.A.dylib", "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
    "/System/Library/Frameworks/Foundation.framework/Foundation",
    "/System/Library/Frameworks/IOSurface.framework/IOSurface",
    "/System/Library/PrivateFrameworks/AppleNeuralEngine.framework/AppleNeuralEngine"};

/// The libraries behind the netplist door, opened: the table of their functions, and the images, closed with the last
/// owner. Tested against a stand-in of the table; never run on Apple silicon by this project.
class runtime {
public:
    /// Opens one image that has all functions, a stand-in's, or Apple's. An empty path: the value of the environment
    /// variable ANEMONE_OBJC (a setuid program does not read it), else Apple's images on macOS. Throws `error`
    /// (errc::library) where an image cannot be opened or a symbol is missing.
    ANEMONE_API_OF(anemone_backend_engine_objc_runtime_hpp)
    static std::shared_ptr<const runtime> open(const std::string& path = {});

    /// A table whose symbols come from `find`; `image` is the name used in errors.
    ANEMONE_API_OF(anemone_backend_engine_objc_runtime_hpp)
    static std::shared_ptr<const runtime> from_resolver(const e5rt::resolver& find, std::string image);

    /// The table of functions; lives as long as the runtime.
    ANEMONE_API const api& functions() const;
    /// The path of the image, or its name.
    ANEMONE_API const std::string& image() const;

private:
    struct state;
    ANEMONE_API_OF(anemone_backend_engine_objc_runtime_hpp) explicit runtime(hidden<state> made);

    hidden<state> state_;
};

} // namespace ane::objc::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "runtime.ipp"
#endif
