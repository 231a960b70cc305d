#pragma once

#include "../base/formatted.hpp"
#include "json.hpp"
#include "unicode.hpp"

#include <cmath>
#include <cstdint>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string json_string(std::string_view text) {
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
        } else if (detail::is_control(c.value)) {
            const auto value = static_cast<std::uint32_t>(c.value);
            if (value < 0x10000) {
                quoted += "\\u" + detail::hexadecimal(value, 4);
            } else { // two surrogates, as JSON has it
                quoted += "\\u" + detail::hexadecimal(0xD800U + ((value - 0x10000U) >> 10U), 4);
                quoted += "\\u" + detail::hexadecimal(0xDC00U + (value & 0x3FFU), 4);
            }
        } else {
            quoted += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
    return quoted + '"';
}

ANEMONE_BODY json_writer& json_writer::object() { return open('{', '}'); }
ANEMONE_BODY json_writer& json_writer::array() { return open('[', ']'); }
ANEMONE_BODY json_writer& json_writer::end() {
    const bool empty = levels_.back().empty;
    const char close = levels_.back().close;
    levels_.pop_back();
    if (!empty) {
        new_line();
    }
    text_ += close;
    return *this;
}

ANEMONE_BODY json_writer& json_writer::key(std::string_view name) {
    separate();
    text_ += json_string(name) + ": ";
    after_key_ = true;
    return *this;
}
ANEMONE_BODY json_writer& json_writer::value(std::string_view text) { return raw(json_string(text)); }
ANEMONE_BODY json_writer& json_writer::value(const char* text) { return value(std::string_view(text)); }
ANEMONE_BODY json_writer& json_writer::value(bool truth) { return raw(truth ? "true" : "false"); }
ANEMONE_BODY json_writer& json_writer::value(double number) {
    return std::isfinite(number) ? raw(formatted("{}", number)) : null();
}
ANEMONE_BODY json_writer& json_writer::null() { return raw("null"); }

ANEMONE_BODY std::string json_writer::str() const { return text_ + "\n"; }

ANEMONE_BODY json_writer& json_writer::open(char begin, char close) {
    separate();
    text_ += begin;
    levels_.push_back({close});
    return *this;
}
ANEMONE_BODY json_writer& json_writer::raw(std::string_view text) {
    separate();
    text_ += text;
    return *this;
}
ANEMONE_BODY void json_writer::separate() {
    if (!after_key_ && !levels_.empty()) {
        text_ += levels_.back().empty ? "" : ",";
        levels_.back().empty = false;
        new_line();
    }
    after_key_ = false;
}
ANEMONE_BODY void json_writer::new_line() {
    text_ += '\n';
    text_.append(2 * levels_.size(), ' ');
}

} // namespace ane::inline ANEMONE_WAY
