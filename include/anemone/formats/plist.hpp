#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Property lists: a value, and the XML form of it. The bytes are those of Python's `plistlib.dumps(value,
/// sort_keys=True)`.
namespace ane::plist::inline ANEMONE_WAY {

class value;
struct member;

/// The elements of an array.
using array = std::vector<value>;

/// Values by key. Keys are kept in the order of their bytes, which for UTF-8 is the order of the code points.
class dict {
public:
    dict() = default;
    ANEMONE_API dict(std::initializer_list<member> members);
    /// Of many members at once, whose keys all differ.
    ANEMONE_API explicit dict(std::vector<member> members);

    /// The value of a key; made where it is missing.
    ANEMONE_API value& operator[](std::string_view key);
    /// The value of a key, or null.
    ANEMONE_API const value* find(std::string_view key) const;

    const std::vector<member>& members() const { return members_; }
    ANEMONE_API bool empty() const;

private:
    std::vector<member> members_;
};

/// A dictionary, an array, a string, an integer, a real or a boolean.
class value {
public:
    ANEMONE_API value();
    ANEMONE_API value(dict members);          // NOLINT(google-explicit-constructor)
    ANEMONE_API value(array elements);        // NOLINT
    ANEMONE_API value(std::string text);      // NOLINT
    ANEMONE_API value(std::string_view text); // NOLINT
    ANEMONE_API value(const char* text);      // NOLINT
    ANEMONE_API value(bool flag);             // NOLINT
    ANEMONE_API value(double real);           // NOLINT
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    value(Integer number) : content_(std::in_place_type<std::int64_t>, number) {} // NOLINT

    template <class T> const T* get_if() const { return std::get_if<T>(&content_); }
    template <class T> T* get_if() { return std::get_if<T>(&content_); }

    template <class Visitor> decltype(auto) visit(Visitor&& visitor) const {
        return std::visit(std::forward<Visitor>(visitor), content_);
    }

private:
    std::variant<dict, array, std::string, std::int64_t, double, bool> content_;
};

/// A key and its value.
struct member {
    std::string key;
    value content;
};

/// The XML form of a property list. Throws `error` (errc::argument) for a text that XML cannot hold.
ANEMONE_API std::string to_xml(const value& root);

} // namespace ane::plist::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "plist.ipp"
#endif
