#pragma once

#include "mil_lexer.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ane::standin {

/// A MIL integer: decimal digits with an optional minus sign, nothing else.
template <class Integer> Integer integer_from(const std::string& spelling, int line) {
    Integer value{};
    const char* const last = spelling.data() + spelling.size();
    const auto [stop, code] = std::from_chars(spelling.data(), last, value);
    if (code != std::errc{} || stop != last) {
        refuse_at(line, "'" + spelling + "' is not an integer of the asked type");
    }
    return value;
}

/// Recursive descent over the whole text: program(1.3), buildInfo, one function. It knows the grammar only; names,
/// types and shapes are the checker's.
class parser {
public:
    explicit parser(std::string_view text) : tokens_(lexer(text).run()) {}

    mil_text run() {
        mil_text result;
        expect_word("program");
        expect("(");
        const token version = take(token_kind::number, "a program version");
        if (version.text != "1.3") {
            refuse_at(version.line, "program version " + version.text + " is not 1.3");
        }
        expect(")");
        expect("[");
        expect_word("buildInfo");
        expect("=");
        result.build_info = dictionary();
        expect("]");
        expect("{");
        expect_word("func");
        result.function = take(token_kind::identifier, "a function name").text;
        expect("<");
        result.opset = take(token_kind::identifier, "an opset").text;
        expect(">");
        expect("(");
        if (!is(")")) {
            do {
                result.parameters.push_back(typed_name());
            } while (accept(","));
        }
        expect(")");
        expect("{");
        while (!is("}")) {
            result.statements.push_back(parse_statement());
        }
        expect("}");
        expect("->");
        expect("(");
        do {
            result.outputs.push_back(defined_name());
        } while (accept(","));
        expect(")");
        expect(";");
        expect("}");
        if (here().kind != token_kind::end) {
            refuse_at(here().line, "text after the end of the program: '" + here().text + "'");
        }
        return result;
    }

private:
    static constexpr std::size_t max_nesting = 8;

    const token& here() const { return tokens_[at_]; }
    bool is(std::string_view symbol) const { return here().kind == token_kind::symbol && here().text == symbol; }
    bool is_word(std::string_view word) const { return here().kind == token_kind::identifier && here().text == word; }

    void advance() {
        if (here().kind != token_kind::end) {
            ++at_;
        }
    }

    bool accept(std::string_view symbol) {
        const bool found = is(symbol);
        if (found) {
            advance();
        }
        return found;
    }

    void expect(std::string_view symbol) {
        if (!accept(symbol)) {
            refuse_at(here().line, "expected '" + std::string(symbol) + "', found '" + here().text + "'");
        }
    }

    void expect_word(std::string_view word) {
        if (!is_word(word)) {
            refuse_at(here().line, "expected '" + std::string(word) + "', found '" + here().text + "'");
        }
        advance();
    }

    token take(token_kind kind, std::string_view what) {
        if (here().kind != kind) {
            refuse_at(here().line, "expected " + std::string(what) + ", found '" + here().text + "'");
        }
        token result = here();
        advance();
        return result;
    }

    std::vector<std::pair<std::string, std::string>> dictionary() {
        std::vector<std::pair<std::string, std::string>> entries;
        expect_word("dict");
        expect("<");
        expect_word("string");
        expect(",");
        expect_word("string");
        expect(">");
        expect("(");
        expect("{");
        do {
            expect("{");
            std::string key = take(token_kind::string, "a key").text;
            expect(",");
            std::string value = take(token_kind::string, "a value").text;
            expect("}");
            entries.emplace_back(std::move(key), std::move(value));
        } while (accept(","));
        expect("}");
        expect(")");
        return entries;
    }

    element parse_element() {
        const token word = take(token_kind::identifier, "an element type");
        const std::optional<element> type = element_named(word.text);
        if (!type) {
            refuse_at(word.line, "unknown element type '" + word.text + "'");
        }
        return *type;
    }

    tensor_type parse_type() {
        if (!is_word("tensor")) {
            return {parse_element(), {}};
        }
        advance();
        expect("<");
        tensor_type result{parse_element(), {}};
        expect(",");
        expect("[");
        if (!is("]")) {
            do {
                if (here().kind == token_kind::identifier) {
                    refuse_at(here().line,
                              "symbolic dimension '" + here().text +
                                  "': Not implemented: Some ops are not supported on any of the specified backends");
                }
                const token extent = take(token_kind::number, "a dimension");
                result.shape.push_back(integer_from<std::int64_t>(extent.text, extent.line));
            } while (accept(","));
        }
        expect("]");
        expect(">");
        return result;
    }

    declaration typed_name() {
        declaration result;
        result.line = here().line;
        result.type = parse_type();
        result.name = defined_name();
        return result;
    }

    /// A name is no word of the grammar: whether the engine's parser takes one is not known.
    std::string defined_name() {
        const token word = take(token_kind::identifier, "a name");
        const std::string& text = word.text;
        if (text == "program" || text == "func" || text == "buildInfo" || text == "dict" || text == "tensor" ||
            text == "BLOBFILE" || text == "const" || text == "true" || text == "false" || element_named(text)) {
            refuse_at(word.line, "'" + text + "' is a word of the grammar, not a name");
        }
        return text;
    }

    void blob_file(literal& into) {
        into.is_blob = true;
        expect("(");
        expect_word("path");
        expect("=");
        expect_word("string");
        expect("(");
        into.blob_path = take(token_kind::string, "a path").text;
        expect(")");
        expect(",");
        expect_word("offset");
        expect("=");
        expect_word("uint64");
        expect("(");
        const token offset = take(token_kind::number, "an offset");
        into.blob_offset = integer_from<std::uint64_t>(offset.text, offset.line);
        expect(")");
        expect(")");
    }

    void item(literal& into) {
        if (here().kind == token_kind::number || here().kind == token_kind::string || is_word("true") ||
            is_word("false")) {
            if ((here().kind == token_kind::string) != (into.type.type == element::string)) {
                refuse_at(here().line,
                          "'" + here().text + "' is no value of type " + std::string(name(into.type.type)));
            }
            into.items.push_back(here().text);
            advance();
            return;
        }
        refuse_at(here().line, "expected a value, found '" + here().text + "'");
    }

    /// One list of a tensor literal. A list of lists must mirror the shape; a flat list stands for any shape.
    void list(literal& into, std::size_t depth) {
        if (depth > max_nesting) {
            refuse_at(here().line, "a list is nested more than eight deep");
        }
        const dimensions& shape = into.type.shape;
        const int line = here().line;
        std::int64_t members = 0;
        bool nested = depth > 0;
        expect("[");
        if (!is("]")) {
            nested = nested || is("[");
            do {
                if (nested && depth + 1 < shape.size()) {
                    list(into, depth + 1);
                } else {
                    item(into);
                }
                ++members;
            } while (accept(","));
        }
        expect("]");
        if (nested && (depth >= shape.size() || members != shape[depth])) {
            refuse_at(line, "a nested list does not have the shape " + to_string(into.type));
        }
    }

    literal parse_literal() {
        literal result;
        result.line = here().line;
        result.tensor_spelling = is_word("tensor");
        result.type = parse_type();
        expect("(");
        if (is_word("BLOBFILE")) {
            advance();
            blob_file(result);
        } else if (is("[") != (result.tensor_spelling && !result.type.shape.empty())) {
            refuse_at(here().line, to_string(result.type) + (is("[") ? " is not written as a list" : " needs a list"));
        } else if (is("[")) {
            list(result, 0);
        } else {
            item(result);
        }
        expect(")");
        return result;
    }

    argument parse_argument() {
        argument result;
        result.line = here().line;
        result.name = take(token_kind::identifier, "an argument name").text;
        expect("=");
        if (accept("(")) {
            result.is_tuple = true;
            do {
                result.names.push_back(take(token_kind::identifier, "a member of the tuple").text);
            } while (accept(","));
            expect(")");
            return result;
        }
        const bool literal_follows = here().kind == token_kind::identifier && at_ + 1 < tokens_.size() &&
                                     tokens_[at_ + 1].kind == token_kind::symbol &&
                                     (tokens_[at_ + 1].text == "(" || tokens_[at_ + 1].text == "<");
        if (literal_follows) {
            result.value = parse_literal();
        } else {
            result.names.push_back(take(token_kind::identifier, "a name or a typed literal").text);
        }
        return result;
    }

    std::vector<argument> argument_list(std::string_view close) {
        std::vector<argument> result;
        if (!is(close)) {
            do {
                result.push_back(parse_argument());
            } while (accept(","));
        }
        expect(close);
        return result;
    }

    statement parse_statement() {
        statement result;
        result.line = here().line;
        do {
            result.results.push_back(typed_name());
        } while (accept(","));
        expect("=");
        result.operation = take(token_kind::identifier, "an operation").text;
        expect("(");
        result.arguments = argument_list(")");
        expect("[");
        result.attributes = argument_list("]");
        expect(";");
        return result;
    }

    std::vector<token> tokens_;
    std::size_t at_ = 0;
};

inline mil_text parse_mil(std::string_view text) { return parser(text).run(); }

} // namespace ane::standin
