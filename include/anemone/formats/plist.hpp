#ifndef ANEMONE_FORMATS_PLIST_HPP
#define ANEMONE_FORMATS_PLIST_HPP

#include "../base/error.hpp"
#include "../base/way.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Property lists: a value, and both forms of it, XML and binary. The bytes are those of Python's `plistlib.dumps(value,
/// sort_keys=True)`, with `fmt=FMT_BINARY` for the binary form. readers/plist.hpp reads them.
namespace ane::formats::inline ANEMONE_WAY {

class plist_value;
struct plist_member;

/// The elements of an array.
using plist_array = std::vector<plist_value>;

/// Values by key. Keys are kept in the order of their bytes, which for UTF-8 is the order of the code points.
class plist_dict {
public:
    plist_dict() = default;
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_dict(std::initializer_list<plist_member> members);
    /// Of many members at once, whose keys all differ.
    ANEMONE_API_OF(anemone_formats_plist_hpp) explicit plist_dict(std::vector<plist_member> members);

    /// The value of a key; made where it is missing.
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value& operator[](std::string_view key);
    /// The value of a key, or null.
    ANEMONE_API_OF(anemone_formats_plist_hpp) const plist_value* find(std::string_view key) const;

    const std::vector<plist_member>& members() const { return members_; }
    ANEMONE_API_OF(anemone_formats_plist_hpp) bool empty() const;

private:
    std::vector<plist_member> members_;
};

/// Bytes.
struct plist_data {
    std::vector<std::byte> bytes;
    friend bool operator==(const plist_data&, const plist_data&) = default;
};

/// A moment, in seconds since the begin of 2001 (UTC). XML holds whole seconds of the years 1 to 9999.
struct plist_date {
    double seconds = 0;
    friend bool operator==(const plist_date&, const plist_date&) = default;
};

/// Where a value begins in the text that it was read from: counted from 1; 0 where it is not known.
struct plist_place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// A dictionary, an array, a string, an integer, a real, a boolean, data or a date.
class plist_value {
public:
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value();
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(plist_dict members);    // NOLINT(google-explicit-constructor)
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(plist_array elements);  // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(std::string text);      // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(std::string_view text); // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(const char* text);      // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(bool flag);             // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(double real);           // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(plist_data data);       // NOLINT
    ANEMONE_API_OF(anemone_formats_plist_hpp) plist_value(plist_date date);       // NOLINT
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    plist_value(Integer number) : content_(std::in_place_type<std::int64_t>, number) {} // NOLINT

    template <class T> const T* get_if() const { return std::get_if<T>(&content_); }
    template <class T> T* get_if() { return std::get_if<T>(&content_); }

    template <class Visitor> decltype(auto) visit(Visitor&& visitor) const {
        return std::visit(std::forward<Visitor>(visitor), content_);
    }

    const plist_place& place() const noexcept { return place_; }
    void set_place(const plist_place& place) noexcept { place_ = place; }

private:
    std::variant<plist_dict, plist_array, std::string, std::int64_t, double, bool, plist_data, plist_date> content_;
    plist_place place_;
};

/// A key and its value.
struct plist_member {
    std::string key;
    plist_value content;
};

/// The two forms of a file.
enum class plist_form : std::uint8_t { xml, binary };

/// The XML form of a property list. Throws `error` (errc::argument) for a text or a date that XML cannot hold.
ANEMONE_API_OF(anemone_formats_plist_hpp) std::string to_xml(const plist_value& root);

/// The binary form (bplist00). Throws `error` (errc::argument) for a text that is not UTF-8.
ANEMONE_API_OF(anemone_formats_plist_hpp) std::string to_binary(const plist_value& root);

} // namespace ane::formats::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "plist.ipp"
#endif
