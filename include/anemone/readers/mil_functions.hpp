#pragma once

#include "../io/unicode.hpp"
#include "flexible_shapes.hpp"
#include "mil_forms.hpp"
#include "mil_parser.hpp"
#include "unreadable.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A function's head, and where its body begins. Views point into the text.
struct mil_function {
    std::string_view name;
    std::string_view opset; ///< "ios18"; empty where none is named
    std::vector<mil_port> inputs;
    mil_token body;
    std::vector<mil_argument> attributes; ///< of the function
    flexible_shapes flexible;
    std::vector<syntax_fault> program_forms; ///< of the program's attributes, as `mil_scope::forms`
    std::optional<syntax_fault> wrong;       ///< with its head
};

/// Finds the functions of a program, without reading their bodies.
class mil_functions_scanner {
public:
    static constexpr std::size_t most_functions = 1000;
    static constexpr std::size_t most_ports = 4096;

    ANEMONE_INLINE explicit mil_functions_scanner(std::string_view text) : parser_(text) {}

    /// Throws `syntax_fault`.
    ANEMONE_INLINE std::vector<mil_function> scan() {
        std::vector<mil_function> functions;
        mil_lexer& in = parser_.tokens();
        in.start();
        if (!in.peek().is("program")) {
            parser_.refuse("MIL text begins with program(<version>)");
        }
        in.take();
        if (!in.peek().is('(')) {
            parser_.refuse("MIL text begins with program(<version>)");
        }
        parser_.skip_brackets();
        program_attributes();
        parser_.expect('{', "before the functions");
        while (!in.take_if('}')) {
            if (!in.peek().is("func")) {
                parser_.refuse(formatted("a function or '}}' is expected, not {}", mil_parser::shown(in.peek())));
            }
            in.take();
            functions.push_back(function());
            functions.back().program_forms = forms_;
            if (functions.size() > most_functions) {
                parser_.refuse(formatted("has more than {} functions", most_functions));
            }
        }
        return functions;
    }

private:
    ANEMONE_INLINE mil_function function() {
        mil_lexer& in = parser_.tokens();
        mil_function f;
        f.name = parser_.word("the name of a function");
        head(f);
        while (in.peek().is('[')) {
            attributes_of(f);
        }
        f.body = in.peek();
        if (!f.body.is('{')) {
            parser_.refuse("the body of a function is expected");
        }
        parser_.skip_brackets();
        if (!in.peek().is(mil_lexer::arrow)) {
            parser_.refuse("'->' and the results of the function are expected");
        }
        in.take();
        parser_.skip_brackets();
        attributes();
        parser_.expect(';', "behind a function");
        return f;
    }
    /// Those of a program are of interest for their form alone; what cannot be parsed is passed over.
    ANEMONE_INLINE void program_attributes() {
        while (parser_.tokens().peek().is('[')) {
            const mil_token open = parser_.tokens().take();
            try {
                for (const mil_argument& a : parser_.arguments(']')) {
                    if (const std::string fault = fault_of_build_info(a); !fault.empty()) {
                        forms_.push_back({a.at, fault});
                    }
                }
            } catch (const syntax_fault& fault) {
                forms_.push_back({fault.at, fault.reason});
                parser_.tokens().return_to(open);
                parser_.skip_brackets();
            }
        }
    }
    ANEMONE_INLINE void attributes() {
        while (parser_.tokens().peek().is('[')) {
            parser_.skip_brackets();
        }
    }
    /// What cannot be parsed of them is of interest if this function is chosen.
    ANEMONE_INLINE void attributes_of(mil_function& f) {
        const mil_token open = parser_.tokens().take();
        try {
            for (mil_argument& a : parser_.arguments(']')) {
                if (a.name == "FlexibleShapeInformation") {
                    f.flexible = flexible_shapes_in(a.written);
                }
                f.attributes.push_back(std::move(a));
            }
        } catch (const syntax_fault& fault) {
            f.wrong = f.wrong ? f.wrong : fault;
            parser_.tokens().return_to(open);
            parser_.skip_brackets();
        }
    }
    ANEMONE_INLINE void head(mil_function& f) {
        mil_lexer& in = parser_.tokens();
        if (in.take_if('<')) {
            f.opset = parser_.word("the name of an opset");
            parser_.expect('>', "behind the name of an opset");
        }
        const mil_token open = in.peek();
        try {
            parser_.expect('(', "before the inputs of a function");
            while (!in.take_if(')')) {
                if (!f.inputs.empty()) {
                    parser_.expect(',', "between two inputs");
                }
                mil_port p;
                p.at = in.peek().place();
                p.type = parser_.type();
                p.name = parser_.word("the name of an input");
                attributes();
                f.inputs.push_back(p);
                if (f.inputs.size() > most_ports) {
                    parser_.refuse(formatted("a function has more than {} inputs", most_ports));
                }
            }
        } catch (const syntax_fault& fault) { // of interest if this function is chosen
            f.wrong = fault;
            in.return_to(open);
            parser_.skip_brackets();
        }
    }

    mil_parser parser_;
    std::vector<syntax_fault> forms_;
};

/// The functions of a program, in their order. Throws `unreadable` where the text is none.
ANEMONE_INLINE std::vector<mil_function> functions_of(std::string_view text, std::string_view file) {
    try {
        return mil_functions_scanner(text).scan();
    } catch (const syntax_fault& fault) {
        throw unreadable(
            file, {{std::string(file), fault.at.line, fault.at.column, {}, ane::detail::printable(fault.reason)}});
    }
}

/// The function of a name, or without one `main` or the only one. Throws `unreadable` where there is none.
ANEMONE_INLINE const mil_function& chosen(const std::vector<mil_function>& functions, std::string_view wanted,
                                          std::string_view file) {
    std::string known;
    for (const mil_function& f : functions) {
        if (f.name == (wanted.empty() ? "main" : wanted) || (wanted.empty() && functions.size() == 1)) {
            return f;
        }
        known += formatted("{}{}", known.empty() ? "" : ", ", f.name.substr(0, 80));
    }
    const std::string reason =
        functions.empty() ? "has no function"
        : wanted.empty()
            ? formatted("has several functions and none is called main; ask for one of {}", known.substr(0, 1000))
            : formatted("has no function {}, only {}", wanted, known.substr(0, 1000));
    throw unreadable(file,
                     {{std::string(file), text_place{}.line, text_place{}.column, {}, ane::detail::printable(reason)}});
}

} // namespace ane::readers::inline ANEMONE_WAY
