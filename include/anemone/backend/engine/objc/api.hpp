#pragma once

#include "../../../base/way.hpp"

#include <cstddef>
#include <cstdint>

namespace ane::objc::inline ANEMONE_WAY {

/// An implementation of a method, cast to its type before it is called.
using method = void (*)();

/// The one description of the plain C functions that the netplist door is made of: name, result, parameters. The table,
/// the loader and the list of symbols are generated from it; nothing else of Apple's is called.
///
/// Messages are not sent by objc_msgSend: `class_getMethodImplementation` gives the function that it would call, as a
/// pointer that can be kept and that a stand-in can have too. Objects of Foundation are made and read as those of
/// CoreFoundation, which they are (toll-free bridging). Signatures are those of Apple's public headers; none was called
/// on Apple silicon by this project.
// clang-format off
#define ANEMONE_OBJC_FUNCTIONS(X)                                                                                      \
    /* the Objective-C runtime */                                                                                      \
    X(objc_getClass, void*, (const char* name))                                                                        \
    X(sel_registerName, void*, (const char* name))                                                                     \
    X(object_getClass, void*, (void* object))                                                                          \
    X(class_respondsToSelector, bool, (void* type, void* selector))                                                    \
    X(class_getMethodImplementation, method, (void* type, void* selector))                                             \
    X(objc_retain, void*, (void* object))                                                                              \
    X(objc_release, void, (void* object))                                                                              \
    X(objc_autoreleasePoolPush, void*, ())                                                                             \
    X(objc_autoreleasePoolPop, void, (void* pool))                                                                     \
    /* CoreFoundation */                                                                                               \
    X(CFDataCreate, void*, (const void* allocator, const unsigned char* bytes, long length))                           \
    X(CFStringCreateWithBytes, void*,                                                                                  \
      (const void* allocator, const unsigned char* bytes, long length, std::uint32_t encoding, unsigned char foreign)) \
    X(CFNumberCreate, void*, (const void* allocator, long type, const void* value))                                    \
    X(CFArrayCreate, void*, (const void* allocator, const void** values, long count, const void* callbacks))           \
    X(CFDictionaryCreate, void*,                                                                                       \
      (const void* allocator, const void** keys, const void** values, long count, const void* key_callbacks,           \
       const void* value_callbacks))                                                                                   \
    X(CFRelease, void, (const void* object))                                                                           \
    X(CFGetTypeID, unsigned long, (const void* object))                                                                \
    X(CFArrayGetTypeID, unsigned long, ())                                                                             \
    X(CFDictionaryGetTypeID, unsigned long, ())                                                                        \
    X(CFNumberGetTypeID, unsigned long, ())                                                                            \
    X(CFStringGetTypeID, unsigned long, ())                                                                            \
    X(CFArrayGetCount, long, (const void* array))                                                                      \
    X(CFArrayGetValueAtIndex, const void*, (const void* array, long index))                                            \
    X(CFDictionaryGetValue, const void*, (const void* dictionary, const void* key))                                    \
    X(CFNumberGetValue, unsigned char, (const void* number, long type, void* value))                                   \
    X(CFStringGetLength, long, (const void* text))                                                                     \
    X(CFStringGetCString, unsigned char, (const void* text, char* buffer, long size, std::uint32_t encoding))          \
    X(CFErrorCopyDescription, void*, (void* failure))                                                                  \
    /* Foundation: gives an NSString, which is a CFString */                                                           \
    X(NSTemporaryDirectory, void*, ())                                                                                 \
    /* IOSurface */                                                                                                    \
    X(IOSurfaceCreate, void*, (const void* properties))                                                                \
    X(IOSurfaceLock, int, (void* surface, std::uint32_t options, std::uint32_t* seed))                                 \
    X(IOSurfaceUnlock, int, (void* surface, std::uint32_t options, std::uint32_t* seed))                               \
    X(IOSurfaceGetBaseAddress, void*, (void* surface))                                                                 \
    X(IOSurfaceGetAllocSize, std::size_t, (void* surface))

/// Constants of these libraries: of the callbacks the address counts, of the keys the string that stands there.
#define ANEMONE_OBJC_CONSTANTS(X)                                                                                      \
    X(kCFTypeArrayCallBacks)                                                                                           \
    X(kCFTypeDictionaryKeyCallBacks)                                                                                   \
    X(kCFTypeDictionaryValueCallBacks)                                                                                 \
    X(kIOSurfaceWidth)                                                                                                 \
    X(kIOSurfaceHeight)                                                                                                \
    X(kIOSurfaceBytesPerElement)                                                                                       \
    X(kIOSurfaceBytesPerRow)                                                                                           \
    X(kIOSurfaceAllocSize)                                                                                             \
    X(kIOSurfacePixelFormat)
// clang-format on

/// The functions and constants of the libraries, one pointer each.
struct api {
#define ANEMONE_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
    ANEMONE_OBJC_FUNCTIONS(ANEMONE_MEMBER)
#undef ANEMONE_MEMBER
#define ANEMONE_MEMBER(name) const void* name = nullptr;
    ANEMONE_OBJC_CONSTANTS(ANEMONE_MEMBER)
#undef ANEMONE_MEMBER
};

/// Calls `visit(name, pointer)` for every function and constant of a table, in the order of the description.
template <class Visitor> void for_each_symbol(api& table, Visitor&& visit) {
#define ANEMONE_VISIT(name, result, parameters) visit(#name, table.name);
    ANEMONE_OBJC_FUNCTIONS(ANEMONE_VISIT)
#undef ANEMONE_VISIT
#define ANEMONE_VISIT(name) visit(#name, table.name);
    ANEMONE_OBJC_CONSTANTS(ANEMONE_VISIT)
#undef ANEMONE_VISIT
}

/// kCFStringEncodingUTF8, kCFNumberSInt64Type and kIOSurfaceLockReadOnly of Apple's public headers.
inline constexpr std::uint32_t utf8_encoding = 0x08000100;
inline constexpr long int64_number = 4;
inline constexpr std::uint32_t lock_read_only = 1;

} // namespace ane::objc::inline ANEMONE_WAY
