// The plain C functions of the Objective-C runtime, of CoreFoundation and of IOSurface that the netplist door calls,
// over the objects of objects.hpp; and functions of its own for tests.

#include "messages.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <string>

using namespace ane::standin_objc;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// The class of the framework with this name, or its metaclass.
class_object* class_named(const std::string& name, char side) {
    static std::map<std::string, std::unique_ptr<class_object>> made;
    static std::mutex alone;
    const std::lock_guard lock(alone);
    std::unique_ptr<class_object>& slot = made[side + name];
    if (slot == nullptr) {
        slot = std::make_unique<class_object>(name, side);
    }
    return slot.get();
}

const char* class_of(kind what) {
    switch (what) {
    case kind::descriptor: return "_ANEInMemoryModelDescriptor";
    case kind::model: return "_ANEInMemoryModel";
    case kind::surface_object: return "_ANEIOSurfaceObject";
    case kind::request: return "_ANERequest";
    default: return "NSObject";
    }
}

const method_row* find_method(void* type, void* selector) {
    auto* const of = as<class_object>(type, kind::type);
    for (const method_row& row : method_table()) {
        if (of != nullptr && row.side == of->side && row.type == of->name && row.selector == selector_of(selector) &&
            !books().hides(row.selector)) {
            return &row;
        }
    }
    return nullptr;
}

template <class T> void* created(T* made) { return made; }

/// Counts and holds a call that cannot fail.
void enter(const char* name) { static_cast<void>(books().enter(name)); }

} // namespace

// NOLINTBEGIN(readability-identifier-naming): Apple's names
EXPORT void* objc_getClass(const char* name) {
    const bool missing = books().enter("objc_getClass") || books().hides(name);
    for (const method_row& row : method_table()) {
        if (!missing && row.type == name) {
            return class_named(name, '-');
        }
    }
    return nullptr;
}
EXPORT void* sel_registerName(const char* name) {
    enter("sel_registerName");
    static std::set<std::string> known;
    static std::mutex alone;
    const std::lock_guard lock(alone);
    return const_cast<std::string*>(&*known.emplace(name).first);
}
EXPORT void* object_getClass(void* given) {
    enter("object_getClass");
    auto* const o = static_cast<object*>(given);
    if (o != nullptr && o->is == kind::type) {
        return class_named(static_cast<class_object*>(o)->name, '+');
    }
    return o == nullptr ? nullptr : class_named(class_of(o->is), '-');
}
EXPORT bool class_respondsToSelector(void* type, void* selector) {
    return !books().enter("class_respondsToSelector") && find_method(type, selector) != nullptr;
}
EXPORT method class_getMethodImplementation(void* type, void* selector) {
    enter("class_getMethodImplementation");
    const method_row* const found = find_method(type, selector);
    return found == nullptr ? nullptr : found->implementation;
}
EXPORT void* objc_retain(void* given) {
    enter("objc_retain");
    return retain(given);
}
EXPORT void objc_release(void* given) {
    enter("objc_release");
    release(given);
}
EXPORT void* objc_autoreleasePoolPush() {
    enter("objc_autoreleasePoolPush");
    return pools::instance().push();
}
EXPORT void objc_autoreleasePoolPop(void* pool) {
    enter("objc_autoreleasePoolPop");
    pools::instance().pop(pool);
}

EXPORT void* CFDataCreate(const void*, const unsigned char* bytes, long length) {
    if (books().enter("CFDataCreate")) {
        return nullptr;
    }
    const auto* const begin = reinterpret_cast<const std::byte*>(bytes);
    return created(new data_object(std::vector<std::byte>(begin, begin + length)));
}
EXPORT void* CFStringCreateWithBytes(const void*, const unsigned char* bytes, long length, std::uint32_t encoding,
                                     unsigned char external) {
    if (encoding != 0x08000100 || external != 0) {
        books().note("a string that is not UTF-8");
    }
    return books().enter("CFStringCreateWithBytes")
               ? nullptr
               : created(new string_object(
                     std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length))));
}
EXPORT void* CFNumberCreate(const void*, long type, const void* value) {
    if (type != 4) {
        books().note("a number that is no SInt64");
    }
    return books().enter("CFNumberCreate") ? nullptr
                                           : created(new number_object(*static_cast<const std::int64_t*>(value)));
}

// The callbacks of a collection that retains what it holds: only their addresses count.
EXPORT const char kCFTypeArrayCallBacks[8] = {};
EXPORT const char kCFTypeDictionaryKeyCallBacks[8] = {};
EXPORT const char kCFTypeDictionaryValueCallBacks[8] = {};

EXPORT void* CFArrayCreate(const void*, const void** values, long count, const void* callbacks) {
    if (callbacks != kCFTypeArrayCallBacks) {
        books().note("an array that does not keep its elements");
    }
    if (books().enter("CFArrayCreate")) {
        return nullptr;
    }
    std::vector<object*> elements;
    for (long i = 0; i < count; ++i) {
        elements.push_back(retain(values[i]));
    }
    return created(new array_object(elements));
}
EXPORT void* CFDictionaryCreate(const void*, const void** keys, const void** values, long count,
                                const void* key_callbacks, const void* value_callbacks) {
    if (key_callbacks != kCFTypeDictionaryKeyCallBacks || value_callbacks != kCFTypeDictionaryValueCallBacks) {
        books().note("a dictionary that does not keep its members");
    }
    if (books().enter("CFDictionaryCreate")) {
        return nullptr;
    }
    auto* const result = new dictionary_object;
    for (long i = 0; i < count; ++i) {
        auto* const key = as<string_object>(const_cast<void*>(keys[i]), kind::string);
        if (key == nullptr) {
            books().note("a key that is no string");
        } else {
            result->set(key->text, retain(values[i]));
        }
    }
    return created(result);
}
EXPORT void CFRelease(const void* given) {
    enter("CFRelease");
    release(given);
}
EXPORT unsigned long CFGetTypeID(const void* given) {
    enter("CFGetTypeID");
    return static_cast<unsigned long>(static_cast<const object*>(given)->is) + 1;
}
EXPORT unsigned long CFArrayGetTypeID() {
    enter("CFArrayGetTypeID");
    return static_cast<unsigned long>(kind::array) + 1;
}
EXPORT unsigned long CFDictionaryGetTypeID() {
    enter("CFDictionaryGetTypeID");
    return static_cast<unsigned long>(kind::dictionary) + 1;
}
EXPORT unsigned long CFNumberGetTypeID() {
    enter("CFNumberGetTypeID");
    return static_cast<unsigned long>(kind::number) + 1;
}
EXPORT unsigned long CFStringGetTypeID() {
    enter("CFStringGetTypeID");
    return static_cast<unsigned long>(kind::string) + 1;
}
EXPORT long CFArrayGetCount(const void* array) {
    enter("CFArrayGetCount");
    return static_cast<long>(static_cast<const array_object*>(static_cast<const object*>(array))->elements.size());
}
EXPORT const void* CFArrayGetValueAtIndex(const void* array, long index) {
    enter("CFArrayGetValueAtIndex");
    return static_cast<const array_object*>(static_cast<const object*>(array))
        ->elements.at(static_cast<std::size_t>(index));
}
EXPORT const void* CFDictionaryGetValue(const void* dictionary, const void* key) {
    const auto* const name = static_cast<const string_object*>(static_cast<const object*>(key));
    return books().enter("CFDictionaryGetValue")
               ? nullptr
               : static_cast<const dictionary_object*>(static_cast<const object*>(dictionary))->find(name->text);
}
EXPORT unsigned char CFNumberGetValue(const void* number, long type, void* value) {
    if (type != 4 || books().enter("CFNumberGetValue")) {
        return 0;
    }
    *static_cast<std::int64_t*>(value) = static_cast<const number_object*>(static_cast<const object*>(number))->value;
    return 1;
}
EXPORT long CFStringGetLength(const void* text) {
    enter("CFStringGetLength");
    return static_cast<long>(static_cast<const string_object*>(static_cast<const object*>(text))->text.size());
}
EXPORT unsigned char CFStringGetCString(const void* given, char* buffer, long size, std::uint32_t) {
    const std::string& text = static_cast<const string_object*>(static_cast<const object*>(given))->text;
    if (books().enter("CFStringGetCString") || static_cast<long>(text.size()) >= size) {
        return 0;
    }
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return 1;
}
EXPORT void* CFErrorCopyDescription(void* failure) {
    auto* const from = as<error_object>(failure, kind::error);
    return books().enter("CFErrorCopyDescription") || from == nullptr ? nullptr
                                                                      : created(new string_object(from->text));
}

namespace {
struct constant_string : string_object {
    explicit constant_string(const char* of) : string_object(of) { --books().live; }
    ~constant_string() override { ++books().live; }
};
constant_string width_string{"IOSurfaceWidth"};
constant_string height_string{"IOSurfaceHeight"};
constant_string element_string{"IOSurfaceBytesPerElement"};
constant_string row_bytes_string{"IOSurfaceBytesPerRow"};
constant_string allocation_string{"IOSurfaceAllocSize"};
constant_string format_string{"IOSurfacePixelFormat"};
} // namespace

EXPORT const void* const kIOSurfaceWidth = static_cast<object*>(&width_string);
EXPORT const void* const kIOSurfaceHeight = static_cast<object*>(&height_string);
EXPORT const void* const kIOSurfaceBytesPerElement = static_cast<object*>(&element_string);
EXPORT const void* const kIOSurfaceBytesPerRow = static_cast<object*>(&row_bytes_string);
EXPORT const void* const kIOSurfaceAllocSize = static_cast<object*>(&allocation_string);
EXPORT const void* const kIOSurfacePixelFormat = static_cast<object*>(&format_string);

EXPORT void* NSTemporaryDirectory() {
    return books().enter("NSTemporaryDirectory") ? nullptr : autoreleased(new string_object(temporary_directory()));
}

EXPORT void* IOSurfaceCreate(const void* properties) {
    auto* const given = as<dictionary_object>(const_cast<void*>(properties), kind::dictionary);
    const auto number = [&](const char* key) {
        auto* const found = given == nullptr ? nullptr : as<number_object>(given->find(key), kind::number);
        return found == nullptr ? -1 : found->value;
    };
    const std::int64_t size = number("IOSurfaceAllocSize");
    if (size <= 0 || number("IOSurfaceWidth") != size || number("IOSurfaceHeight") != 1 ||
        number("IOSurfaceBytesPerElement") != 1 || number("IOSurfaceBytesPerRow") != size ||
        number("IOSurfacePixelFormat") != 0) {
        books().note("a surface with other properties than one row of bytes");
        return nullptr;
    }
    if (books().enter("IOSurfaceCreate")) {
        return nullptr;
    }
    return created(new surface_object(static_cast<std::size_t>(size)));
}
EXPORT int IOSurfaceLock(void* surface, std::uint32_t options, std::uint32_t*) {
    if (books().enter("IOSurfaceLock")) {
        return -536870208;
    }
    if (options > 1) {
        books().note("a surface is locked with unknown options");
    }
    ++as<surface_object>(surface, kind::surface)->locks;
    return 0;
}
EXPORT int IOSurfaceUnlock(void* surface, std::uint32_t, std::uint32_t*) {
    const bool refuse = books().enter("IOSurfaceUnlock");
    if (--as<surface_object>(surface, kind::surface)->locks < 0) {
        books().note("a surface is unlocked that is not locked");
    }
    return refuse ? -536870208 : 0;
}
EXPORT void* IOSurfaceGetBaseAddress(void* surface) {
    auto* const s = as<surface_object>(surface, kind::surface);
    if (s->locks == 0) {
        books().note("the memory of a surface is taken without a lock");
    }
    return books().enter("IOSurfaceGetBaseAddress") ? nullptr : s->bytes.data();
}
EXPORT std::size_t IOSurfaceGetAllocSize(void* surface) {
    const std::size_t size = as<surface_object>(surface, kind::surface)->bytes.size();
    return books().enter("IOSurfaceGetAllocSize") ? size / 2 : size;
}

// NOLINTEND(readability-identifier-naming)

// For tests.

/// The nth call from now of a function or a selector fails, once; nth 0: none does.
EXPORT void anemone_objc_fail(const char* name, int nth) { books().fail(name, nth); }
EXPORT std::uint64_t anemone_objc_calls(const char* name) { return books().calls(name); }
/// The names of what was called since they were forgotten, in their order; null: no more.
EXPORT const char* anemone_objc_called(std::uint64_t index) {
    static std::string last;
    last = books().called(index);
    return last.empty() ? nullptr : last.c_str();
}
EXPORT void anemone_objc_forget_calls() { books().forget_calls(); }
/// Objects that live, but for classes and constants.
EXPORT long anemone_objc_live() { return books().live; }
/// Pools of this thread.
EXPORT std::uint64_t anemone_objc_pools() { return pools::instance().depth(); }
/// The first misuse since the last question; empty: none. The text stays until the next call.
EXPORT const char* anemone_objc_misuse() {
    static std::string last;
    last = books().misuse();
    return last.c_str();
}
EXPORT void anemone_objc_set(const char* option, int value) { books().set(option, value); }
/// A selector or a class that this macOS does not have, or has again.
EXPORT void anemone_objc_hide(const char* name, bool away) { books().hide(name, away); }
/// The nth call of a function or a selector from now does not return before it is let go; how many are held.
EXPORT void anemone_objc_hang(const char* name, int nth) { books().held.want(name, nth); }
EXPORT void anemone_objc_let_go() { books().held.let_go(); }
EXPORT std::uint64_t anemone_objc_hung() { return books().held.count(); }
/// The service dies: what it compiled neither loads nor runs any more.
EXPORT void anemone_objc_kill_service() { ++books().service; }
