#pragma once

#include "mil_function_reader.hpp"
#include "mil_functions.hpp"
#include "mil_parser.hpp"
#include "mil_text_refusals.hpp"
#include "mil_types.hpp"

#include <optional>
#include <string>
#include <string_view>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Reads one function of a program's text into a graph.
class mil_program_reader {
public:
    ANEMONE_INLINE mil_program_reader(std::string_view text, const mil_function& function, mil_scope& scope)
        : parser_(text), function_(function), scope_(scope), function_reader_(scope) {}

    ANEMONE_INLINE void read() {
        try {
            if (function_.wrong) {
                throw syntax_fault(*function_.wrong);
            }
            function_reader_.inputs(with_shapes(function_.inputs, function_.flexible, scope_));
            hints();
            for (const mil_port& p : function_.inputs) {
                note_port(scope_, p.name, p.type.element, p.at);
            }
            parser_.tokens().return_to(function_.body);
            body();
            outputs();
        } catch (const syntax_fault& fault) {
            scope_.blame(fault.at, {}, fault.reason);
        }
    }

private:
    /// What tools wrote beside the function, but for its shapes.
    ANEMONE_INLINE void hints() {
        for (const syntax_fault& each : function_.program_forms) {
            scope_.form(each.at, "buildInfo", each.reason);
        }
        for (const mil_argument& a : function_.attributes) {
            if (a.name != "FlexibleShapeInformation") {
                scope_.hint(function_.name, a.at, a.name, a.written);
            }
        }
    }
    ANEMONE_INLINE void body() {
        mil_lexer& in = parser_.tokens();
        parser_.expect('{', "before the body of a function");
        int count = 0;
        while (!in.take_if('}')) {
            if (++count > mil_function_reader::most_statements) {
                parser_.refuse(
                    formatted("a function has more than {} statements", mil_function_reader::most_statements));
            }
            const mil_token first = in.peek();
            if (first.kind == token_kind::end) {
                parser_.refuse("the body of a function has no end");
            }
            std::optional<mil_statement> s;
            try {
                s = parser_.statement();
            } catch (const syntax_fault& fault) {
                scope_.blame(fault.at, {}, fault.reason);
                in.return_to(first);
                skip_results();
            }
            if (s) {
                function_reader_.statement(*s);
                scope_.doubt(s->at, what_is_read(*s), refusal_of_missing_arguments(*s));
            }
        }
    }
    /// Results of a statement that cannot be parsed are known to be lost, so that readers of them say nothing.
    ANEMONE_INLINE void skip_results() {
        mil_lexer& in = parser_.tokens();
        const mil_token first = in.peek();
        std::size_t count = 0;
        try {
            do {
                parser_.type();
                scope_.define(parser_.word("a name"), {});
            } while (in.take_if(',') && ++count < mil_function_reader::most_ports);
        } catch (const syntax_fault&) { // it had none
            in.return_to(first);
        }
        parser_.skip_statement();
    }

    ANEMONE_INLINE void outputs() {
        mil_lexer& in = parser_.tokens();
        parser_.expect(mil_lexer::arrow, "behind the body of a function");
        parser_.expect('(', "before the results of a function");
        std::size_t count = 0;
        while (!in.take_if(')')) {
            const text_place at = in.peek().place();
            const std::string_view name = parser_.word("the name of a result");
            if (++count > mil_function_reader::most_ports) {
                parser_.refuse(formatted("a function has more than {} results", mil_function_reader::most_ports));
            }
            function_reader_.output(name, at);
            if (const mil_value* const v = scope_.find(name); v != nullptr && v->form == value_form::tensor) {
                note_port(scope_, name, v->element, at);
            }
            if (!in.peek().is(')')) {
                parser_.expect(',', "between two results");
            }
        }
        function_reader_.keep_states();
    }

    mil_parser parser_;
    const mil_function& function_;
    mil_scope& scope_;
    mil_function_reader function_reader_;
};

} // namespace ane::readers::inline ANEMONE_WAY
