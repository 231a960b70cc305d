#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "mil_lexer.hpp"
#include "mil_syntax.hpp"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Types, values and statements of MIL text; throws `syntax_fault`. Facts: mil-ops sections 1 to 3, mil-dialects.
class mil_parser {
public:
    static constexpr int deepest = 64; ///< of brackets in brackets
    static constexpr int most_parts =
        65536; ///< results, arguments and listed names of a statement; numbers do not count
    static constexpr std::size_t most_numbers = std::size_t{1} << 20U; ///< of a list; larger constants are in blobs

    ANEMONE_INLINE explicit mil_parser(std::string_view text) : in_(text) {}

    mil_lexer& tokens() { return in_; }

    ANEMONE_INLINE void expect(char sign, std::string_view where) {
        if (!in_.take_if(sign)) {
            refuse(formatted("'{}' is expected {}, not {}",
                             sign == mil_lexer::arrow ? std::string("->") : std::string(1, sign), where,
                             shown(in_.peek())));
        }
    }
    ANEMONE_INLINE std::string_view word(std::string_view what) {
        if (in_.peek().kind != token_kind::word) {
            refuse(formatted("{} is expected, not {}", what, shown(in_.peek())));
        }
        return in_.take().written;
    }
    void refuse [[noreturn]] (std::string reason) const { throw syntax_fault{in_.peek().place(), std::move(reason)}; }

    /// Skips from an opening bracket behind the closing one. In a body only braces count, so that a statement with a
    /// missing bracket does not hide the end of it.
    ANEMONE_INLINE void skip_brackets() {
        const text_place begin = in_.peek().place();
        const bool body = in_.peek().is('{');
        int depth = 0;
        do {
            in_.skip_plain();
            const mil_token t = in_.take();
            if (t.kind == token_kind::end) {
                throw syntax_fault{begin, "a bracket is not closed"};
            }
            if (t.kind == token_kind::sign) {
                depth += t.sign == '{' || (!body && (t.sign == '(' || t.sign == '[')) ? 1 : 0;
                depth -= t.sign == '}' || (!body && (t.sign == ')' || t.sign == ']')) ? 1 : 0;
            }
        } while (depth > 0);
    }

    ANEMONE_INLINE mil_type type(int depth = 0) {
        const mil_token first = in_.peek();
        word("a type");
        return type_after(first, depth);
    }

    ANEMONE_INLINE mil_expression value(int depth = 0) {
        if (depth > deepest) {
            refuse(formatted("brackets are nested more than {} deep", deepest));
        }
        const mil_token first = in_.peek();
        mil_expression e;
        e.at = first.place();
        double number = 0;
        if (is_number(first, number)) {
            in_.take();
            e.numbers.push_back(number);
        } else if (first.kind == token_kind::text) {
            e.form = expression_form::text;
            e.text = unescaped(in_.take().written);
        } else if (first.is('[') || first.is('(')) {
            in_.take();
            list(e, first.is('[') ? ']' : ')', depth);
        } else if (first.is('{')) {
            e.form = expression_form::dictionary;
            skip_brackets();
        } else if (first.kind == token_kind::word) {
            in_.take();
            named(e, first, depth);
        } else {
            refuse(formatted("a value is expected, not {}", shown(first)));
        }
        return e;
    }

    /// `a = 1, b = x` up to the closing bracket.
    ANEMONE_INLINE std::vector<mil_argument> arguments(char close) {
        std::vector<mil_argument> all;
        while (!in_.take_if(close)) {
            if (!all.empty()) {
                expect(',', "between two arguments");
                if (in_.take_if(close)) {
                    break;
                }
            }
            count_part();
            mil_argument a;
            a.at = in_.peek().place();
            a.name = in_.peek().kind == token_kind::text ? in_.take().written : word("the name of an argument");
            expect('=', "behind the name of an argument");
            const std::size_t begin = in_.peek().begin;
            a.value = value();
            a.written = in_.between(begin, in_.taken_to());
            all.push_back(std::move(a));
        }
        return all;
    }

    /// One statement with its semicolon.
    ANEMONE_INLINE mil_statement statement() {
        mil_statement s;
        s.at = in_.peek().place();
        parts_ = 0;
        if (!begins_with_operation()) {
            const bool bracket = in_.take_if('(');
            s.has_bracketed_results = bracket;
            do {
                count_part();
                mil_result r;
                r.at = in_.peek().place();
                r.type = type();
                r.name = word("the name of a variable");
                s.results.push_back(r);
            } while (in_.take_if(','));
            if (bracket) {
                expect(')', "behind the results");
            }
            expect('=', "behind the results");
        }
        s.operation = word("the name of an operation");
        if (in_.peek().is('<')) {
            skip_angles();
        }
        expect('(', "behind the name of an operation");
        s.arguments = arguments(')');
        if (in_.take_if('[')) {
            s.attributes = arguments(']');
        }
        while (in_.peek().is('{')) {
            s.has_blocks = true;
            skip_brackets();
            while (in_.take_if(mil_lexer::arrow) || in_.take_if(',')) {
                if (in_.peek().is('(')) {
                    skip_brackets();
                }
            }
        }
        expect(';', "at the end of a statement");
        return s;
    }

    /// Skips what is left of a statement that is wrong: behind the next semicolon, or before the end of the function.
    ANEMONE_INLINE void skip_statement() {
        int depth = 0;
        while (in_.peek().kind != token_kind::end) {
            if (depth == 0 && in_.peek().is('}')) {
                return;
            }
            const mil_token t = in_.take();
            depth += t.is('{') ? 1 : t.is('}') ? -1 : 0;
            if (depth == 0 && t.is(';')) {
                return;
            }
        }
    }

    ANEMONE_INLINE static std::string shown(const mil_token& t) {
        if (t.kind == token_kind::end) {
            return "the end of the text";
        }
        return t.is(mil_lexer::arrow) ? "'->'" : formatted("'{}'", t.written.substr(0, 40));
    }

private:
    ANEMONE_INLINE void count_part() {
        if (++parts_ > most_parts) {
            refuse(formatted("a statement has more than {} results, arguments and values", most_parts));
        }
    }

    ANEMONE_INLINE static bool is_number(const mil_token& t, double& number) {
        if (t.kind == token_kind::number) {
            if (!parse_number(t.written, number)) {
                throw syntax_fault{t.place(), formatted("'{}' is no number", t.written.substr(0, 40))};
            }
            return true;
        }
        if (t.is("true") || t.is("false")) {
            number = t.is("true") ? 1 : 0;
            return true;
        }
        return (t.is("inf") || t.is("nan")) && parse_number(t.written, number);
    }

    static bool is_element(std::string_view word) { return mil_element(word) != element_type::undefined; }

    /// `write_state(...)` and `op<ios17>(...)`, as against `fp16 x` and `tensor<fp16, [1]> x`.
    ANEMONE_INLINE bool begins_with_operation() {
        const mil_token first = in_.peek();
        if (first.kind != token_kind::word || is_type_word(first.written) || is_element(first.written)) {
            return false;
        }
        in_.take();
        const bool operation = in_.peek().is('(') || in_.peek().is('<');
        in_.return_to(first);
        return operation;
    }
    static constexpr bool is_type_word(std::string_view w) {
        return w == "tensor" || w == "tensor_buffer" || w == "state" || w == "list" || w == "dict" || w == "tuple";
    }

    ANEMONE_INLINE void skip_angles() {
        int depth = 0;
        do {
            const mil_token t = in_.take();
            if (t.kind == token_kind::end || t.is(';')) {
                throw syntax_fault{t.place(), "'<' is not closed"};
            }
            depth += t.is('<') ? 1 : t.is('>') ? -1 : 0;
        } while (depth > 0);
    }

    ANEMONE_INLINE mil_type type_after(const mil_token& first, int depth) {
        mil_type t;
        if (depth > deepest) {
            refuse("types are nested too deep");
        }
        if (first.written == "state") {
            expect('<', "behind 'state'");
            t = type(depth + 1);
            t.form = t.form == type_form::tensor ? type_form::state : type_form::other;
            expect('>', "behind the type of a state");
        } else if (first.written == "tensor" || first.written == "tensor_buffer") {
            t.is_buffer = first.written == "tensor_buffer";
            tensor_type(t);
        } else if (is_element(first.written)) {
            t.element = mil_element(first.written);
        } else {
            t.form = type_form::other;
            if (in_.peek().is('<')) {
                skip_angles();
            }
        }
        t.written = in_.between(first.begin, in_.taken_to());
        return t;
    }

    ANEMONE_INLINE void tensor_type(mil_type& t) {
        expect('<', "behind 'tensor'");
        const text_place at = in_.peek().place();
        const std::string_view element = word("the type of the elements");
        t.element = mil_element(element);
        if (t.element == element_type::undefined) {
            throw syntax_fault{at, formatted("'{}' is no type of elements", element)};
        }
        expect(',', "between the type of the elements and the shape");
        constexpr std::string_view parts[] = {"shape", "strides", "interleave_factors"};
        bool has_shape = false;
        std::size_t position = 0;
        do { // a buffer may name what it says of its layout: shape=[..], strides=[..], interleave_factors=[..]
            const text_place named_at = in_.peek().place();
            std::string_view part = position < std::size(parts) ? parts[position] : "more";
            ++position;
            if (t.is_buffer && in_.peek().kind == token_kind::word) {
                part = in_.take().written;
                expect('=', "behind a part of a buffer's layout");
            }
            extents* const to = part == "shape"                ? &t.shape
                                : part == "strides"            ? &t.strides
                                : part == "interleave_factors" ? &t.interleave
                                                               : nullptr;
            if (to == nullptr) {
                throw syntax_fault{named_at, formatted("'{}' is no part of a buffer's layout: shape, strides and "
                                                       "interleave_factors are",
                                                       part.substr(0, 40))};
            }
            has_shape = has_shape || part == "shape";
            list_of_extents(t, *to);
        } while (t.is_buffer && in_.take_if(','));
        if (!has_shape) {
            refuse("a tensor without a shape");
        }
        for (const extents* const of : {&t.strides, &t.interleave}) {
            if (of->rank != 0 && of->rank != t.shape.rank) {
                refuse(formatted("a buffer of {} axes has a layout of {}", t.shape.rank, of->rank));
            }
        }
        expect('>', "behind the shape");
    }
    ANEMONE_INLINE void list_of_extents(mil_type& t, extents& to) {
        expect('[', "before the shape");
        while (!in_.take_if(']')) {
            dimension(t, to);
            if (!in_.peek().is(']')) {
                expect(',', "between two dimensions");
            }
        }
    }
    ANEMONE_INLINE void dimension(mil_type& t, extents& to) {
        const mil_token d = in_.take();
        double number = 0;
        if (to.rank == extents::capacity) {
            throw syntax_fault{d.place(), formatted("a tensor has more than {} dimensions", extents::capacity)};
        }
        if (&to == &t.shape && (d.is('?') || d.kind == token_kind::word)) {
            t.unknown = t.unknown.empty() ? d.written : t.unknown;
            t.unknowns |= 1U << static_cast<unsigned>(to.rank);
            to.append(1);
            return;
        }
        constexpr double most = 1LL << 40;
        if (d.kind != token_kind::number || !parse_number(d.written, number) || !(number >= 0 && number <= most) ||
            number != std::floor(number)) {
            throw syntax_fault{d.place(), formatted("{} is no dimension", shown(d))};
        }
        to.append(static_cast<std::int64_t>(number));
    }

    /// What begins with a word that was taken: a typed value, a blob, or a variable.
    ANEMONE_INLINE void named(mil_expression& e, const mil_token& first, int depth) {
        const bool is_call = in_.peek().is('(') || in_.peek().is('<');
        if (first.written == "BLOBFILE" && in_.take_if('(')) {
            e.form = expression_form::blob;
            blob(e);
        } else if (is_call && (is_type_word(first.written) || is_element(first.written))) {
            e.form = expression_form::typed;
            e.type = type_after(first, depth);
            expect('(', "behind the type of a value");
            mil_expression inner;
            inner.at = in_.peek().place();
            list(inner, ')', depth);
            if (inner.form == expression_form::list && inner.items.size() == 1) {
                e.items = std::move(inner.items);
            } else {
                e.items.push_back(std::move(inner));
            }
        } else if (is_call) {
            throw syntax_fault{first.place(), formatted("'{}' is no type", first.written.substr(0, 40))};
        } else {
            e.form = expression_form::name;
            e.name = first.written;
        }
    }
    ANEMONE_INLINE void blob(mil_expression& e) {
        bool path = false;
        for (const mil_argument& a : arguments(')')) {
            const mil_expression& v =
                a.value.form == expression_form::typed && a.value.items.size() == 1 ? a.value.items[0] : a.value;
            if (a.name == "path" && v.form == expression_form::text) {
                e.text = v.text;
                path = true;
            } else if (a.name == "offset" && v.form == expression_form::numbers && v.numbers.size() == 1) {
                e.numbers = v.numbers;
            } else {
                throw syntax_fault{a.at, "a blob has a path, which is a string, and an offset, which is a number"};
            }
        }
        if (!path || e.numbers.empty()) {
            throw syntax_fault{e.at, "a blob needs a path and an offset"};
        }
    }

    /// What stands up to a closing bracket. Numbers go straight into one list, however they are nested.
    ANEMONE_INLINE void list(mil_expression& e, char close, int depth) {
        bool first = true;
        while (!in_.take_if(close)) {
            if (!first) {
                expect(',', "between two values");
                if (in_.take_if(close)) {
                    break;
                }
            }
            first = false;
            if (e.items.empty()) {
                in_.take_numbers(e.numbers, most_numbers);
                if (in_.take_if(close)) { // behind the last comma
                    break;
                }
            }
            double number = 0;
            if (e.items.empty() && is_number(in_.peek(), number)) {
                in_.take();
                e.numbers.push_back(number);
                limit_numbers(e);
                continue;
            }
            mil_expression item = value(depth + 1);
            if (item.form == expression_form::numbers && e.items.empty()) {
                if (e.numbers.empty()) {
                    e.numbers = std::move(item.numbers);
                } else {
                    e.numbers.insert(e.numbers.end(), item.numbers.begin(), item.numbers.end());
                    limit_numbers(e);
                }
                continue;
            }
            for (const double before : e.numbers) { // those before the first other value are parts of their own
                count_part();
                mil_expression part;
                part.at = item.at;
                part.form = expression_form::numbers;
                part.numbers.push_back(before);
                e.items.push_back(std::move(part));
            }
            e.numbers.clear();
            count_part();
            e.items.push_back(std::move(item));
        }
        e.form = e.items.empty() ? expression_form::numbers : expression_form::list;
    }

    ANEMONE_INLINE void limit_numbers(const mil_expression& e) const {
        if (e.numbers.size() > most_numbers) {
            refuse(formatted("a list has more than {} numbers", most_numbers));
        }
    }

    mil_lexer in_;
    int parts_ = 0; ///< of the present statement
};

} // namespace ane::readers::inline ANEMONE_WAY
