#pragma once

#include "../way.hpp"
#include "unicode.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A text as a JSON string, with its quotes. Controls and what breaks lines in other languages are escaped; bytes that
/// are not UTF-8 become U+FFFD, so that every reader takes the result.
ANEMONE_INLINE std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const detail::code_point c = detail::next_code_point(text);
        if (!c.well_formed) {
            quoted += "\xEF\xBF\xBD";
        } else if (c.value == '"' || c.value == '\\') {
            quoted += '\\';
            quoted += static_cast<char>(c.value);
        } else if (c.value == '\n') {
            quoted += "\\n";
        } else if (c.value == '\t') {
            quoted += "\\t";
        } else if (c.value < 0x10000 && detail::is_control(c.value)) {
            quoted += "\\u" + detail::hexadecimal(static_cast<std::uint32_t>(c.value), 4);
        } else {
            quoted += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
    return quoted + '"';
}

/// Writes JSON text, value by value, two blanks of indentation for each level. The caller closes what it opens.
///
///     json_writer j;
///     j.object().member("rule", "R030").member("got", 14).key("shape").array().value(1).value(16).end().end();
class json_writer {
public:
    json_writer& object() { return open('{', '}'); }
    json_writer& array() { return open('[', ']'); }
    json_writer& end() {
        const bool empty = levels_.back().empty;
        const char close = levels_.back().close;
        levels_.pop_back();
        if (!empty) {
            new_line();
        }
        text_ += close;
        return *this;
    }

    /// The name of the next value of an object.
    json_writer& key(std::string_view name) {
        separate();
        text_ += json_string(name) + ": ";
        after_key_ = true;
        return *this;
    }
    json_writer& value(std::string_view text) { return raw(json_string(text)); }
    json_writer& value(const char* text) { return value(std::string_view(text)); }
    json_writer& value(bool truth) { return raw(truth ? "true" : "false"); }
    template <std::integral Integer> json_writer& value(Integer number) { return raw(std::to_string(number)); }
    /// With as many digits as it takes to read it back; null for what is not finite, which JSON cannot say.
    json_writer& value(double number) { return std::isfinite(number) ? raw(fmt::format("{}", number)) : null(); }
    json_writer& null() { return raw("null"); }

    template <class Value> json_writer& member(std::string_view name, const Value& v) { return key(name).value(v); }

    /// The text so far, and a line end.
    std::string str() const { return text_ + "\n"; }

private:
    struct level {
        char close;
        bool empty = true;
    };

    json_writer& open(char begin, char close) {
        separate();
        text_ += begin;
        levels_.push_back({close});
        return *this;
    }
    json_writer& raw(std::string_view text) {
        separate();
        text_ += text;
        return *this;
    }
    void separate() {
        if (!after_key_ && !levels_.empty()) {
            text_ += levels_.back().empty ? "" : ",";
            levels_.back().empty = false;
            new_line();
        }
        after_key_ = false;
    }
    void new_line() {
        text_ += '\n';
        text_.append(2 * levels_.size(), ' ');
    }

    std::string text_;
    std::vector<level> levels_;
    bool after_key_ = false;
};

} // namespace ane::inline ANEMONE_WAY
