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
namespace ane::formats::inline ANEMONE_WAY {

class plist_value;
struct plist_member;

/// The elements of an array.
using plist_array = std::vector<plist_value>;

/// Values by key. Keys are kept in the order of their bytes, which for UTF-8 is the order of the code points.
class plist_dict {
public:
    plist_dict() = default;
    ANEMONE_API plist_dict(std::initializer_list<plist_member> members);
    /// Of many members at once, whose keys all differ.
    ANEMONE_API explicit plist_dict(std::vector<plist_member> members);

    /// The value of a key; made where it is missing.
    ANEMONE_API plist_value& operator[](std::string_view key);
    /// The value of a key, or null.
    ANEMONE_API const plist_value* find(std::string_view key) const;

    const std::vector<plist_member>& members() const { return members_; }
    ANEMONE_API bool empty() const;

private:
    std::vector<plist_member> members_;
};

/// A dictionary, an array, a string, an integer, a real or a boolean.
class plist_value {
public:
    ANEMONE_API plist_value();
    ANEMONE_API plist_value(plist_dict members);    // NOLINT(google-explicit-constructor)
    ANEMONE_API plist_value(plist_array elements);  // NOLINT
    ANEMONE_API plist_value(std::string text);      // NOLINT
    ANEMONE_API plist_value(std::string_view text); // NOLINT
    ANEMONE_API plist_value(const char* text);      // NOLINT
    ANEMONE_API plist_value(bool flag);             // NOLINT
    ANEMONE_API plist_value(double real);           // NOLINT
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    plist_value(Integer number) : content_(std::in_place_type<std::int64_t>, number) {} // NOLINT

    template <class T> const T* get_if() const { return std::get_if<T>(&content_); }
    template <class T> T* get_if() { return std::get_if<T>(&content_); }

    template <class Visitor> decltype(auto) visit(Visitor&& visitor) const {
        return std::visit(std::forward<Visitor>(visitor), content_);
    }

private:
    std::variant<plist_dict, plist_array, std::string, std::int64_t, double, bool> content_;
};

/// A key and its value.
struct plist_member {
    std::string key;
    plist_value content;
};

/// The XML form of a property list. Throws `error` (errc::argument) for a text that XML cannot hold.
ANEMONE_API std::string to_xml(const plist_value& root);

} // namespace ane::formats::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "plist.ipp"
#endif
