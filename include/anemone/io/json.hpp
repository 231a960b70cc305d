#pragma once

#include "../base/way.hpp"

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A text as a JSON string, with its quotes. Controls and what breaks lines in other languages are escaped; bytes that
/// are not UTF-8 become U+FFFD, so that every reader takes the result.
ANEMONE_API std::string json_string(std::string_view text);

/// Writes JSON text, value by value, indented by two blanks per level. The caller closes what it opens.
///
///     json_writer j;
///     j.object().member("rule", "R030").member("got", 14).key("shape").array().value(1).value(16).end().end();
class json_writer {
public:
    /// Begins an object or an array, and ends the innermost one.
    ANEMONE_API json_writer& object();
    ANEMONE_API json_writer& array();
    ANEMONE_API json_writer& end();

    /// The name of the next value of an object.
    ANEMONE_API json_writer& key(std::string_view name);
    /// A text, escaped; a truth value.
    ANEMONE_API json_writer& value(std::string_view text);
    ANEMONE_API json_writer& value(const char* text);
    ANEMONE_API json_writer& value(bool truth);
    template <std::integral Integer> json_writer& value(Integer number) { return raw(std::to_string(number)); }
    /// With as many digits as it takes to read it back; null for what is not finite, which JSON cannot say.
    ANEMONE_API json_writer& value(double number);
    /// The value null.
    ANEMONE_API json_writer& null();

    template <class Value> json_writer& member(std::string_view name, const Value& v) { return key(name).value(v); }

    /// The text so far, and a line end.
    ANEMONE_API std::string str() const;

private:
    struct level {
        char close;
        bool empty = true;
    };

    ANEMONE_API json_writer& open(char begin, char close);
    ANEMONE_API json_writer& raw(std::string_view text);
    ANEMONE_API void separate();
    ANEMONE_API void new_line();

    std::string text_;
    std::vector<level> levels_;
    bool after_key_ = false;
};

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "json.ipp"
#endif
