#pragma once

#include "../base/way.hpp"
#include "mil_syntax.hpp"
#include "number_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A sentence about the text that is wrong at one place.
struct syntax_fault {
    text_place at;
    std::string reason;
};

enum class token_kind : std::uint8_t { end, word, number, text, sign };

struct mil_token {
    token_kind kind = token_kind::end;
    char sign = 0;            ///< of a sign: itself; '>' of "->" is an 'A'
    std::string_view written; ///< of a string what stands between the quotes, escapes included
    std::size_t begin = 0;    ///< offset in the text
    std::size_t end = 0;      ///< offset behind it
    int line = 1;
    std::size_t line_begin = 0;

    text_place place() const { return {line, static_cast<int>(begin - line_begin) + 1}; }
    bool is(char wanted) const { return kind == token_kind::sign && sign == wanted; }
    bool is(std::string_view wanted) const { return kind == token_kind::word && written == wanted; }
};

/// Cuts MIL text into words, numbers, strings and signs, one at a time, so that no more than one statement of a long
/// file is in memory. Comments are those of C++ and of shells.
class mil_lexer {
public:
    static constexpr char arrow = 'A';

    ANEMONE_INLINE explicit mil_lexer(std::string_view text) : text_(text) {}

    /// Makes the first token the next one.
    ANEMONE_INLINE void start() { advance(); }

    const mil_token& peek() const { return ahead_; }
    ANEMONE_INLINE mil_token take() {
        const mil_token taken = ahead_;
        advance();
        return taken;
    }
    ANEMONE_INLINE bool take_if(char sign) {
        const bool there = ahead_.is(sign);
        if (there) {
            advance();
        }
        return there;
    }
    /// Takes numbers of a list, each with the comma behind it, up to one that no comma follows.
    ANEMONE_INLINE void take_numbers(std::vector<double>& to, std::size_t most) {
        if (ahead_.kind != token_kind::number) {
            return;
        }
        const std::size_t count = to.size();
        at_ = ahead_.begin;
        while (to.size() < most) {
            const std::size_t first = at_;
            const bool minus = at(first) == '-';
            const std::size_t digits = first + (minus ? 1 : 0);
            const bool hex = at(digits) == '0' && (at(digits + 1) == 'x' || at(digits + 1) == 'X');
            double number = 0;
            std::size_t end = hex ? plain_hexadecimal(text_, digits, number) : plain_decimal(text_, digits, number);
            if (end == 0 && is_digit(at(digits))) {
                end = number_end(text_, first);
                if (!parse_number(between(first, end), number)) {
                    break;
                }
            } else if (minus) {
                number = -number;
            }
            if (end == 0 || at(end) != ',') {
                break;
            }
            to.push_back(number);
            ahead_.end = at_ = end + 1;
            skip_blanks();
        }
        if (to.size() == count) {
            at_ = ahead_.end;
        } else {
            advance();
        }
    }
    /// Skips words, numbers and commas of one line: what begins no string, bracket or comment.
    ANEMONE_INLINE void skip_plain() {
        at_ = ahead_.begin;
        while (at_ < text_.size() && is_plain(text_[at_])) {
            ++at_;
        }
        if (at_ == ahead_.begin) {
            at_ = ahead_.end;
        } else {
            ahead_.end = at_;
            advance();
        }
    }
    std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }
    /// The end of the token before the next one.
    std::size_t taken_to() const { return taken_to_; }

    /// Goes on reading at a token that was read before.
    ANEMONE_INLINE void return_to(const mil_token& token) {
        at_ = token.begin;
        line_ = token.line;
        line_begin_ = token.line_begin;
        advance();
    }

private:
    static constexpr bool is_space(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
    }
    static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
    /// By a table: long lists are skipped once before they are read.
    static constexpr std::array<bool, 256> plain = [] {
        std::array<bool, 256> all{};
        for (const char each :
             std::string_view("+,-.0123456789 _abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
            all[static_cast<unsigned char>(each)] = true;
        }
        return all;
    }();
    static constexpr bool is_plain(char c) { return plain[static_cast<unsigned char>(c)]; }
    static constexpr bool begins_word(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
    }
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    ANEMONE_INLINE void skip_blanks() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                ++line_;
                line_begin_ = ++at_;
            } else if (is_space(c)) {
                ++at_;
            } else if (c == '#' || (c == '/' && at(at_ + 1) == '/')) {
                while (at_ < text_.size() && text_[at_] != '\n') {
                    ++at_;
                }
            } else if (c == '/' && at(at_ + 1) == '*') {
                skip_comment();
            } else {
                return;
            }
        }
    }
    ANEMONE_INLINE void skip_comment() {
        for (at_ += 2; at_ < text_.size(); ++at_) {
            if (text_[at_] == '*' && at(at_ + 1) == '/') {
                at_ += 2;
                return;
            }
            if (text_[at_] == '\n') {
                ++line_;
                line_begin_ = at_ + 1;
            }
        }
    }

    ANEMONE_INLINE void advance() {
        taken_to_ = ahead_.end;
        if (at_ == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") {
            at_ = 3; // a byte order mark
        }
        skip_blanks();
        ahead_ = {};
        ahead_.begin = at_;
        ahead_.line = line_;
        ahead_.line_begin = line_begin_;
        if (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                string();
            } else if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1))) ||
                       ((c == '-' || c == '+') && begins_number(at_ + 1))) {
                ahead_.kind = token_kind::number;
                at_ = number_end(text_, at_);
            } else if (begins_word(c)) {
                ahead_.kind = token_kind::word;
                while (at_ < text_.size() && (begins_word(text_[at_]) || is_digit(text_[at_]))) {
                    ++at_;
                }
            } else {
                ahead_.kind = token_kind::sign;
                const bool is_arrow = c == '-' && at(at_ + 1) == '>';
                ahead_.sign = is_arrow ? arrow : c == arrow ? '\0' : c;
                at_ += is_arrow ? 2 : 1;
            }
        }
        ahead_.end = at_;
        if (ahead_.kind != token_kind::text) {
            ahead_.written = between(ahead_.begin, at_);
        }
    }
    /// What follows a sign: a digit, a point, or inf and nan.
    bool begins_number(std::size_t i) const {
        return is_digit(at(i)) || at(i) == '.' || text_.substr(i, 3) == "inf" || text_.substr(i, 3) == "nan";
    }
    ANEMONE_INLINE void string() {
        const std::size_t first = ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\n') {
                ++line_;
                line_begin_ = at_ + 1;
            }
            at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
        }
        if (at_ >= text_.size()) {
            throw syntax_fault{ahead_.place(), "a string has no end"};
        }
        ahead_.kind = token_kind::text;
        ahead_.written = between(first, at_++);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t taken_to_ = 0;
    std::size_t line_begin_ = 0;
    int line_ = 1;
    mil_token ahead_;
};

/// A string without its escapes.
ANEMONE_INLINE std::string unescaped(std::string_view written) {
    std::string result;
    result.reserve(written.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        char c = written[i];
        if (c == '\\' && i + 1 < written.size()) {
            c = written[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
        result += c;
    }
    return result;
}

} // namespace ane::readers::inline ANEMONE_WAY
