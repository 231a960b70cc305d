#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../formats/plist_text.hpp"
#include "plist_budget.hpp"
#include "plist_numbers.hpp"
#include "plist_xml_text.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The XML form of property lists. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

class plist_xml_parser {
public:
    plist_xml_parser(std::string_view text, std::string_view file, std::uint64_t memory)
        : text_(text), file_(file), budget_(memory) {}

    ANEMONE_INLINE formats::plist_value parse() {
        if (text_.starts_with("\xEF\xBB\xBF")) {
            text_.remove_prefix(3);
        }
        if (const std::size_t foreign = first_foreign_byte(text_); foreign != std::string_view::npos) {
            at_ = foreign;
            refuse("is no character of XML in UTF-8");
        }
        prolog();
        tag first = open_tag("a property list");
        formats::plist_value root;
        if (first.name == "plist") {
            if (first.closed) {
                refuse("plist is empty");
            }
            skip_misc();
            root = value(open_tag("a value"), 1);
            skip_misc();
            close_tag("plist");
        } else {
            root = value(first, 1);
        }
        skip_misc();
        if (at_ != text_.size()) {
            refuse("text follows the property list");
        }
        return root;
    }

private:
    struct tag {
        std::string_view name;
        bool closed = false; ///< <name/>
        std::size_t at = 0;
    };

    ANEMONE_INLINE void refuse [[noreturn]] (const std::string& why) {
        const formats::plist_place place = place_counter().at(text_, at_);
        throw error(errc::file, std::string(file_), formatted("line {}, column {}: {}", place.line, place.column, why));
    }

    ANEMONE_INLINE bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    /// Goes behind the next `what`.
    ANEMONE_INLINE void skip_past(std::string_view what, std::string_view of) {
        const std::size_t found = text_.find(what, at_);
        if (found == std::string_view::npos) {
            refuse(formatted("{} has no end: {} is missing", of, what));
        }
        at_ = found + what.size();
    }
    ANEMONE_INLINE void skip_space() {
        while (at_ < text_.size() && is_xml_space(text_[at_])) {
            ++at_;
        }
    }
    /// White space, comments and processing instructions.
    ANEMONE_INLINE void skip_misc() {
        for (skip_space(); starts("<!--") || starts("<?"); skip_space()) {
            const bool comment = starts("<!--");
            at_ += comment ? 4 : 2;
            skip_past(comment ? "-->" : "?>", comment ? "a comment" : "a processing instruction");
        }
    }

    ANEMONE_INLINE void prolog() {
        if (starts("<?xml")) {
            const std::size_t end = text_.find("?>");
            const std::string_view declaration = text_.substr(0, end);
            if (const std::size_t found = declaration.find("encoding"); found != std::string_view::npos) {
                std::string name;
                for (const char c : declaration.substr(found + 8)) {
                    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                    if (letter || (c >= '0' && c <= '9') || c == '-') {
                        name += letter ? static_cast<char>(c | 0x20) : c;
                    } else if (!name.empty()) {
                        break;
                    }
                }
                if (name != "utf-8" && name != "us-ascii" && name != "utf8" && name != "ascii") {
                    refuse(formatted("is in {}; UTF-8 is read", name));
                }
            }
        }
        skip_misc();
        if (starts("<!DOCTYPE")) {
            const std::size_t end = text_.find('>', at_);
            const std::size_t inner = text_.find('[', at_);
            if (inner < end) {
                refuse("declares elements or entities of its own, which property lists do not have");
            }
            skip_past(">", "the document type");
        }
        skip_misc();
    }

    /// The name of a tag behind < or </.
    ANEMONE_INLINE std::string_view tag_name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') {
            ++at_;
        }
        return text_.substr(begin, at_ - begin);
    }

    ANEMONE_INLINE tag open_tag(std::string_view expected) {
        tag result{{}, false, at_};
        if (!starts("<") || starts("</") || starts("<!")) {
            refuse(formatted("{} is expected here", expected));
        }
        ++at_;
        result.name = tag_name();
        for (skip_space(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/'; skip_space()) {
            attribute();
        }
        result.closed = starts("/");
        at_ += result.closed ? 1 : 0;
        if (!starts(">")) {
            refuse("a tag has no end: > is missing");
        }
        ++at_;
        return result;
    }

    /// name="value", of which nothing is used.
    ANEMONE_INLINE void attribute() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_xml_space(text_[at_]) &&
               std::string_view("=/<>\"'").find(text_[at_]) == std::string_view::npos) {
            ++at_;
        }
        const bool named = at_ > begin;
        skip_space();
        if (!named || !starts("=")) {
            refuse("an attribute is name=\"value\"");
        }
        ++at_;
        skip_space();
        if (!starts("\"") && !starts("'")) {
            refuse("an attribute is name=\"value\"");
        }
        const std::string_view quote = text_.substr(at_++, 1);
        skip_past(quote, "an attribute");
    }

    ANEMONE_INLINE void close_tag(std::string_view name) {
        const std::size_t begin = at_;
        if (!starts("</")) {
            refuse(formatted("</{}> is expected here", name));
        }
        at_ += 2;
        const std::string_view found = tag_name();
        skip_space();
        if (found != name || !starts(">")) {
            at_ = begin;
            refuse(formatted("</{}> is expected here", name));
        }
        ++at_;
    }

    /// The text of an element up to its end, with references and CDATA resolved and line ends as line feeds.
    ANEMONE_INLINE std::string text_of(const tag& element) {
        std::string result;
        if (element.closed) {
            return result;
        }
        while (!starts("</")) {
            const std::size_t stop = std::min(text_.find_first_of("<&", at_), text_.size());
            append_text(result, text_.substr(at_, stop - at_));
            at_ = stop;
            if (at_ == text_.size()) {
                refuse(formatted("{} has no end: </{}> is missing", element.name, element.name));
            }
            if (starts("<!--") || starts("<?")) {
                skip_one_misc();
            } else if (starts("<![CDATA[")) {
                at_ += 9;
                const std::size_t begin = at_;
                skip_past("]]>", "CDATA");
                append_text(result, text_.substr(begin, at_ - 3 - begin));
            } else if (starts("&")) {
                const std::string_view ahead = text_.substr(at_ + 1, 12);
                const std::size_t end = ahead.find(';');
                if (end == std::string_view::npos || !append_reference(result, ahead.substr(0, end))) {
                    refuse("is no reference to a character, nor one of amp, lt, gt, quot, apos");
                }
                at_ += end + 2;
            } else if (!starts("</")) {
                refuse(formatted("{} holds text alone", element.name));
            }
        }
        close_tag(element.name);
        return result;
    }
    ANEMONE_INLINE void skip_one_misc() {
        const bool comment = starts("<!--");
        at_ += comment ? 4 : 2;
        skip_past(comment ? "-->" : "?>", comment ? "a comment" : "a processing instruction");
    }
    ANEMONE_INLINE static void append_text(std::string& to, std::string_view text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\r') {
                to += text[i];
            } else if (i + 1 == text.size() || text[i + 1] != '\n') {
                to += '\n';
            }
        }
    }

    ANEMONE_INLINE void charge(const tag& element, int depth, std::size_t text = 0) {
        if (const std::string why = budget_.charge(depth, text); !why.empty()) {
            at_ = element.at;
            refuse(why);
        }
    }

    ANEMONE_INLINE formats::plist_value value(const tag& element, int depth) {
        charge(element, depth);
        const formats::plist_place place = places_.at(text_, element.at);
        formats::plist_value result = content(element, depth);
        result.set_place(place);
        return result;
    }

    ANEMONE_INLINE formats::plist_value content(const tag& element, int depth) {
        const std::string_view name = element.name;
        if (name == "dict") {
            return dictionary(element, depth);
        }
        if (name == "array") {
            formats::plist_array values;
            if (!element.closed) {
                for (skip_misc(); !starts("</"); skip_misc()) {
                    values.push_back(value(open_tag("a value"), depth + 1));
                }
                close_tag(name);
            }
            return values;
        }
        if (name == "true" || name == "false") {
            const bool flag = name == "true";
            if (!element.closed) {
                skip_misc();
                close_tag(name);
            }
            return flag;
        }
        if (name != "string" && name != "integer" && name != "real" && name != "data" && name != "date") {
            at_ = element.at;
            refuse(formatted("\"{}\" is no element of a property list", name));
        }
        std::string text = text_of(element);
        charge(element, depth, text.size());
        return scalar(element, std::move(text));
    }

    ANEMONE_INLINE formats::plist_value scalar(const tag& element, std::string text) {
        if (element.name == "string") {
            return text;
        }
        const std::string_view word = trimmed(text);
        if (element.name == "integer") {
            if (const auto number = parse_plist_integer(word)) {
                return *number;
            }
        } else if (element.name == "real") {
            if (const auto number = parse_plist_real(word)) {
                return *number;
            }
        } else if (element.name == "date") {
            if (const auto date = formats::detail::parse_date(word)) {
                return *date;
            }
        } else if (auto data = formats::detail::parse_base64(text)) {
            return std::move(*data);
        }
        at_ = element.at;
        refuse(formatted("\"{}\" is no {}", ane::detail::printable(word.substr(0, 60)),
                         element.name == "integer" ? "integer of 64 bits with a sign" : std::string(element.name)));
    }

    ANEMONE_INLINE formats::plist_value dictionary(const tag& element, int depth) {
        std::vector<formats::plist_member> members;
        std::set<std::string> keys;
        if (!element.closed) {
            for (skip_misc(); !starts("</"); skip_misc()) {
                const tag key = open_tag("a key");
                if (key.name != "key") {
                    at_ = key.at;
                    refuse("a key is expected here");
                }
                std::string text = text_of(key);
                charge(key, depth, text.size());
                if (!keys.insert(text).second) {
                    at_ = key.at;
                    refuse(formatted("the dictionary has the key \"{}\" twice", ane::detail::printable(text)));
                }
                skip_misc();
                members.push_back({std::move(text), value(open_tag("a value"), depth + 1)});
            }
            close_tag(element.name);
        }
        return formats::plist_dict(std::move(members));
    }

    std::string_view text_;
    std::string_view file_;
    std::size_t at_ = 0;
    place_counter places_;
    plist_budget budget_;
};

} // namespace ane::readers::inline ANEMONE_WAY
