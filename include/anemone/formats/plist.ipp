#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_formats_plist_hpp);

#include "../base/formatted.hpp"
#include "plist.hpp"
#include "plist_binary.hpp"
#include "plist_text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ane::formats::detail::inline ANEMONE_WAY {

/// Where a key stands, or would.
template <class Members> auto place_of(Members& members, std::string_view key) {
    return std::lower_bound(members.begin(), members.end(), key, [](const plist_member& m, std::string_view wanted) {
        return std::string_view(m.key) < wanted;
    });
}

} // namespace ane::formats::detail::inline ANEMONE_WAY

namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_BODY_OF plist_dict::plist_dict(std::initializer_list<plist_member> members) {
    for (const plist_member& m : members) {
        (*this)[m.key] = m.content;
    }
}

ANEMONE_BODY_OF plist_dict::plist_dict(std::vector<plist_member> members) : members_(std::move(members)) {
    std::sort(members_.begin(), members_.end(),
              [](const plist_member& a, const plist_member& b) { return a.key < b.key; });
}

ANEMONE_BODY_OF bool plist_dict::empty() const { return members_.empty(); }

ANEMONE_BODY_OF plist_value& plist_dict::operator[](std::string_view key) {
    const auto at = detail::place_of(members_, key);
    if (at != members_.end() && at->key == key) {
        return at->content;
    }
    return members_.insert(at, {std::string(key), plist_value()})->content;
}

ANEMONE_BODY_OF const plist_value* plist_dict::find(std::string_view key) const {
    const auto at = detail::place_of(members_, key);
    return at != members_.end() && at->key == key ? &at->content : nullptr;
}

ANEMONE_BODY_OF plist_value::plist_value() : content_(plist_dict()) {}
ANEMONE_BODY_OF plist_value::plist_value(plist_dict members) : content_(std::move(members)) {}
ANEMONE_BODY_OF plist_value::plist_value(plist_array elements) : content_(std::move(elements)) {}
ANEMONE_BODY_OF plist_value::plist_value(std::string text) : content_(std::move(text)) {}
ANEMONE_BODY_OF plist_value::plist_value(std::string_view text) : content_(std::string(text)) {}
ANEMONE_BODY_OF plist_value::plist_value(const char* text) : content_(std::string(text)) {}
ANEMONE_BODY_OF plist_value::plist_value(bool flag) : content_(flag) {}
ANEMONE_BODY_OF plist_value::plist_value(double real) : content_(real) {}
ANEMONE_BODY_OF plist_value::plist_value(plist_data data) : content_(std::move(data)) {}
ANEMONE_BODY_OF plist_value::plist_value(plist_date date) : content_(date) {}

} // namespace ane::formats::inline ANEMONE_WAY

namespace ane::formats::detail::inline ANEMONE_WAY {

/// A text for XML: markup characters escaped, line ends as line feeds. A control character that XML 1.0 cannot hold is
/// an error (errc::argument).
ANEMONE_INLINE std::string escaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20 && c != '\t' && c != '\n' && c != '\r') {
            throw error(errc::argument, "property list text",
                        formatted("character {} at {} cannot stand in XML", int{code}, i));
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
    std::string text = formatted("{}", number);
    if (text.find_first_not_of("-0123456789") == std::string::npos) {
        text += ".0";
    }
    return text;
}

class xml_writer {
public:
    ANEMONE_INLINE std::string write(const plist_value& root) && {
        text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                "<plist version=\"1.0\">\n";
        root.visit([&](const auto& content) { put(content); });
        return std::move(text_) + "</plist>\n";
    }

private:
    ANEMONE_INLINE void line(std::string_view content) {
        text_.append(depth_, '\t');
        text_ += content;
        text_ += '\n';
    }
    ANEMONE_INLINE void element(std::string_view tag, std::string_view content) {
        line(formatted("<{0}>{1}</{0}>", tag, content));
    }

    ANEMONE_INLINE void put(const plist_dict& values) {
        if (values.empty()) {
            line("<dict/>");
            return;
        }
        line("<dict>");
        ++depth_;
        for (const plist_member& m : values.members()) {
            element("key", escaped(m.key));
            m.content.visit([&](const auto& content) { put(content); });
        }
        --depth_;
        line("</dict>");
    }
    ANEMONE_INLINE void put(const plist_array& values) {
        if (values.empty()) {
            line("<array/>");
            return;
        }
        line("<array>");
        ++depth_;
        for (const plist_value& v : values) {
            v.visit([&](const auto& content) { put(content); });
        }
        --depth_;
        line("</array>");
    }
    ANEMONE_INLINE void put(const std::string& text) { element("string", escaped(text)); }
    ANEMONE_INLINE void put(std::int64_t number) { element("integer", formatted("{}", number)); }
    ANEMONE_INLINE void put(double number) { element("real", real_text(number)); }
    ANEMONE_INLINE void put(bool flag) { line(flag ? "<true/>" : "<false/>"); }
    ANEMONE_INLINE void put(const plist_date& date) { element("date", date_text(date)); }
    /// In lines of 76 columns, a tab being eight.
    ANEMONE_INLINE void put(const plist_data& data) {
        line("<data>");
        const std::size_t indent = 8 * depth_;
        const std::size_t columns = indent < 60 ? 76 - indent : 16;
        const std::string text = base64(data.bytes);
        const std::size_t step = columns / 4 * 4;
        for (std::size_t i = 0; i < text.size(); i += step) {
            line(std::string_view(text).substr(i, step));
        }
        line("</data>");
    }

    std::string text_;
    std::size_t depth_ = 0;
};

} // namespace ane::formats::detail::inline ANEMONE_WAY

namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string to_xml(const plist_value& root) { return detail::xml_writer().write(root); }
ANEMONE_BODY_OF std::string to_binary(const plist_value& root) { return detail::binary_writer().write(root); }

} // namespace ane::formats::inline ANEMONE_WAY
