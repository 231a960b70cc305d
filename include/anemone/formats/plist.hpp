#pragma once

#include "../error.hpp"
#include "../way.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    // Defined where `member` is complete.
    dict() noexcept;
    dict(std::initializer_list<member> members);
    dict(const dict&);
    dict(dict&&) noexcept;
    dict& operator=(const dict&);
    dict& operator=(dict&&) noexcept;
    ~dict();

    /// The value of a key; made where it is missing.
    value& operator[](std::string_view key);
    /// The value of a key, or null.
    const value* find(std::string_view key) const;

    const std::vector<member>& members() const { return members_; }
    bool empty() const;

private:
    std::vector<member> members_;
};

/// A dictionary, an array, a string, an integer, a real or a boolean.
class value {
public:
    value() : content_(dict{}) {}
    value(dict members) : content_(std::move(members)) {}         // NOLINT(google-explicit-constructor)
    value(array elements) : content_(std::move(elements)) {}      // NOLINT
    value(std::string text) : content_(std::move(text)) {}        // NOLINT
    value(std::string_view text) : content_(std::string(text)) {} // NOLINT
    value(const char* text) : content_(std::string(text)) {}      // NOLINT
    value(bool flag) : content_(flag) {}                          // NOLINT
    value(double real) : content_(real) {}                        // NOLINT
    template <std::integral Integer> value(Integer number) : content_(static_cast<std::int64_t>(number)) {} // NOLINT

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

inline dict::dict() noexcept = default;
inline dict::dict(const dict&) = default;
inline dict::dict(dict&&) noexcept = default;
inline dict& dict::operator=(const dict&) = default;
inline dict& dict::operator=(dict&&) noexcept = default;
inline dict::~dict() = default;
inline bool dict::empty() const { return members_.empty(); }

inline dict::dict(std::initializer_list<member> members) {
    for (const member& m : members) {
        (*this)[m.key] = m.content;
    }
}

inline value& dict::operator[](std::string_view key) {
    const auto at = std::lower_bound(members_.begin(), members_.end(), key,
                                     [](const member& m, std::string_view wanted) { return m.key < wanted; });
    if (at != members_.end() && at->key == key) {
        return at->content;
    }
    return members_.insert(at, {std::string(key), value()})->content;
}

inline const value* dict::find(std::string_view key) const {
    const auto at = std::lower_bound(members_.begin(), members_.end(), key,
                                     [](const member& m, std::string_view wanted) { return m.key < wanted; });
    return at != members_.end() && at->key == key ? &at->content : nullptr;
}

} // namespace ane::plist::inline ANEMONE_WAY

namespace ane::plist::detail::inline ANEMONE_WAY {

/// A text for XML: markup characters escaped, line ends as line feeds. A control character that XML 1.0 cannot hold is
/// an error (errc::argument).
ANEMONE_INLINE std::string escaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20 && c != '\t' && c != '\n' && c != '\r') {
            throw error(errc::argument, "property list text",
                        fmt::format("character {} at {} cannot stand in XML", int{code}, i));
        }
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '\r':
            if (i + 1 == text.size() || text[i + 1] != '\n') {
                result += '\n';
            }
            break;
        default: result += c;
        }
    }
    return result;
}

/// The shortest decimal that reads back as the same double, with a point or an exponent.
ANEMONE_INLINE std::string real_text(double number) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_not_of("-0123456789") == std::string::npos) {
        text += ".0";
    }
    return text;
}

class xml_writer {
public:
    std::string write(const value& root) && {
        text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                "<plist version=\"1.0\">\n";
        root.visit([&](const auto& content) { put(content); });
        return std::move(text_) + "</plist>\n";
    }

private:
    void line(std::string_view content) {
        text_.append(depth_, '\t');
        text_ += content;
        text_ += '\n';
    }
    void element(std::string_view tag, std::string_view content) { line(fmt::format("<{0}>{1}</{0}>", tag, content)); }

    void put(const dict& values) {
        if (values.empty()) {
            line("<dict/>");
            return;
        }
        line("<dict>");
        ++depth_;
        for (const member& m : values.members()) {
            element("key", escaped(m.key));
            m.content.visit([&](const auto& content) { put(content); });
        }
        --depth_;
        line("</dict>");
    }
    void put(const array& values) {
        if (values.empty()) {
            line("<array/>");
            return;
        }
        line("<array>");
        ++depth_;
        for (const value& v : values) {
            v.visit([&](const auto& content) { put(content); });
        }
        --depth_;
        line("</array>");
    }
    void put(const std::string& text) { element("string", escaped(text)); }
    void put(std::int64_t number) { element("integer", fmt::format("{}", number)); }
    void put(double number) { element("real", real_text(number)); }
    void put(bool flag) { line(flag ? "<true/>" : "<false/>"); }

    std::string text_;
    std::size_t depth_ = 0;
};

} // namespace ane::plist::detail::inline ANEMONE_WAY

namespace ane::plist::inline ANEMONE_WAY {

/// The XML form of a property list. Throws `error` (errc::argument) for a text that XML cannot hold.
ANEMONE_INLINE std::string to_xml(const value& root) { return detail::xml_writer().write(root); }

} // namespace ane::plist::inline ANEMONE_WAY
