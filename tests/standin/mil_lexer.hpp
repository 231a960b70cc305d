#pragma once

#include "mil_ast.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ane::standin {

enum class token_kind { identifier, number, string, symbol, end };

struct token {
    token_kind kind = token_kind::end;
    std::string text; ///< the spelling; for a string, what is between the quotes
    int line = 0;
};

/// Splits a MIL text. Numbers are C99 literals (hexadecimal floats too), with an optional minus sign; strings have no
/// escapes other than \" and \\; white space is free and there are no comments.
class lexer {
public:
    explicit lexer(std::string_view text) : text_(text) {}

    std::vector<token> run() {
        std::vector<token> tokens;
        for (;;) {
            token next = read();
            tokens.push_back(next);
            if (next.kind == token_kind::end) {
                return tokens;
            }
        }
    }

private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    token read() {
        while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n')) {
            line_ += peek() == '\n' ? 1 : 0;
            ++at_;
        }
        if (at_ >= text_.size()) {
            return {token_kind::end, "end of text", line_};
        }
        const char c = peek();
        if (is_letter(c)) {
            const std::size_t begin = at_;
            while (is_letter(peek()) || is_digit(peek())) {
                ++at_;
            }
            return {token_kind::identifier, std::string(text_.substr(begin, at_ - begin)), line_};
        }
        if (is_digit(c) || (c == '-' && is_digit(peek(1)))) {
            return number();
        }
        if (c == '"') {
            return quoted();
        }
        if (c == '-' && peek(1) == '>') {
            at_ += 2;
            return {token_kind::symbol, "->", line_};
        }
        if (std::string_view("()[]{}<>,;=").find(c) != std::string_view::npos) {
            ++at_;
            return {token_kind::symbol, std::string(1, c), line_};
        }
        refuse_at(line_, "unexpected character with code " + std::to_string(static_cast<unsigned char>(c)));
    }

    token number() {
        const std::size_t begin = at_;
        if (peek() == '-') {
            ++at_;
        }
        const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (is_digit(peek()) || is_letter(peek()) || peek() == '.') {
            const char c = peek();
            const bool exponent = hexadecimal ? (c == 'p' || c == 'P') : (c == 'e' || c == 'E');
            ++at_;
            if (exponent && (peek() == '+' || peek() == '-')) {
                ++at_;
            }
        }
        std::string spelling(text_.substr(begin, at_ - begin));
        char* stop = nullptr;
        static_cast<void>(std::strtod(spelling.c_str(), &stop));
        if (stop != spelling.c_str() + spelling.size()) {
            refuse_at(line_, "'" + spelling + "' is not a number");
        }
        return {token_kind::number, std::move(spelling), line_};
    }

    token quoted() {
        std::string value;
        for (++at_; at_ < text_.size(); ++at_) {
            const char c = peek();
            if (c == '"') {
                ++at_;
                return {token_kind::string, std::move(value), line_};
            }
            if (c == '\n') {
                break;
            }
            if (c == '\\' && (peek(1) == '"' || peek(1) == '\\')) {
                ++at_;
            }
            value += peek();
        }
        refuse_at(line_, "a string is not closed");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
};

} // namespace ane::standin
