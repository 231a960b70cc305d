#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "owned.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Objects of Foundation, made and read by the functions of CoreFoundation.
namespace ane::objc::inline ANEMONE_WAY {

ANEMONE_INLINE owned taken(const api& table, void* made, const char* function) {
    if (made == nullptr) {
        throw error(errc::engine, function, "gave nothing: memory has run out");
    }
    return owned::created(table, made);
}

ANEMONE_INLINE owned make_data(const api& table, std::span<const std::byte> bytes) {
    return taken(table,
                 table.CFDataCreate(nullptr, reinterpret_cast<const unsigned char*>(bytes.data()),
                                    static_cast<long>(bytes.size())),
                 "CFDataCreate");
}
ANEMONE_INLINE owned make_string(const api& table, std::string_view text) {
    return taken(table,
                 table.CFStringCreateWithBytes(nullptr, reinterpret_cast<const unsigned char*>(text.data()),
                                               static_cast<long>(text.size()), utf8_encoding, 0),
                 "CFStringCreateWithBytes");
}
ANEMONE_INLINE owned make_number(const api& table, std::int64_t value) {
    return taken(table, table.CFNumberCreate(nullptr, int64_number, &value), "CFNumberCreate");
}
/// The array keeps its elements.
ANEMONE_INLINE owned make_array(const api& table, const std::vector<owned>& elements) {
    std::vector<const void*> values;
    values.reserve(elements.size());
    for (const owned& each : elements) {
        values.push_back(each.get());
    }
    return taken(
        table,
        table.CFArrayCreate(nullptr, values.data(), static_cast<long>(values.size()), table.kCFTypeArrayCallBacks),
        "CFArrayCreate");
}
/// The dictionary keeps keys and values.
ANEMONE_INLINE owned make_dictionary(const api& table,
                                     const std::vector<std::pair<const void*, const void*>>& members) {
    std::vector<const void*> keys;
    std::vector<const void*> values;
    for (const auto& [key, value] : members) {
        keys.push_back(key);
        values.push_back(value);
    }
    return taken(table,
                 table.CFDictionaryCreate(nullptr, keys.data(), values.data(), static_cast<long>(keys.size()),
                                          table.kCFTypeDictionaryKeyCallBacks, table.kCFTypeDictionaryValueCallBacks),
                 "CFDictionaryCreate");
}

/// The text of a string; empty of what is none.
ANEMONE_INLINE std::string text_of(const api& table, const void* object) {
    if (object == nullptr || table.CFGetTypeID(object) != table.CFStringGetTypeID()) {
        return {};
    }
    std::string buffer(static_cast<std::size_t>(table.CFStringGetLength(object)) * 4 + 1, '\0');
    if (table.CFStringGetCString(object, buffer.data(), static_cast<long>(buffer.size()), utf8_encoding) == 0) {
        return {};
    }
    buffer.resize(buffer.find('\0'));
    return buffer;
}

/// What an NSError says; it is the pool's.
ANEMONE_INLINE std::string description_of(const api& table, void* failure) {
    if (failure == nullptr) {
        return "no reason was given";
    }
    const owned text = owned::created(table, table.CFErrorCopyDescription(failure));
    const std::string said = text_of(table, text.get());
    return said.empty() ? "no reason was given" : said;
}

/// A dictionary or an array that a message gave, read with checks of its types; it is the pool's. Whatever is not as
/// expected throws `error` (errc::engine) with the road to it.
class foundation_value {
public:
    ANEMONE_INLINE foundation_value(const api& table, const void* object, std::string road)
        : table_(table), object_(object), road_(std::move(road)) {}

    ANEMONE_INLINE foundation_value operator[](const char* key) const {
        require(table_.CFDictionaryGetTypeID(), "a dictionary");
        const owned name = make_string(table_, key);
        return {table_, table_.CFDictionaryGetValue(object_, name.get()), road_ + "." + key};
    }
    ANEMONE_INLINE std::size_t size() const {
        require(table_.CFArrayGetTypeID(), "an array");
        return static_cast<std::size_t>(table_.CFArrayGetCount(object_));
    }
    ANEMONE_INLINE foundation_value operator[](std::size_t index) const {
        if (index >= size()) {
            throw error(errc::engine, road_,
                        "has " + std::to_string(size()) + " elements, number " + std::to_string(index) + " is wanted");
        }
        return {table_, table_.CFArrayGetValueAtIndex(object_, static_cast<long>(index)),
                road_ + "[" + std::to_string(index) + "]"};
    }
    ANEMONE_INLINE std::string text() const {
        require(table_.CFStringGetTypeID(), "a string");
        return text_of(table_, object_);
    }
    ANEMONE_INLINE std::int64_t number() const {
        require(table_.CFNumberGetTypeID(), "a number");
        std::int64_t value = 0;
        if (table_.CFNumberGetValue(object_, int64_number, &value) == 0) {
            throw error(errc::engine, road_, "is not an integer");
        }
        return value;
    }
    bool exists() const noexcept { return object_ != nullptr; }
    const std::string& road() const noexcept { return road_; }

private:
    ANEMONE_INLINE void require(unsigned long type, const char* what) const {
        if (object_ == nullptr || table_.CFGetTypeID(object_) != type) {
            throw error(errc::engine, road_,
                        std::string(object_ == nullptr ? "is missing" : "has another type") + ", it should be " + what +
                            ": this version of macOS describes its programs differently; use the e5rt door");
        }
    }

    const api& table_;
    const void* object_;
    std::string road_;
};

} // namespace ane::objc::inline ANEMONE_WAY
