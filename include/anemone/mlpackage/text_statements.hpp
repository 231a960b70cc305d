#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../readers/mil_functions.hpp"
#include "../readers/mil_parser.hpp"

#include <string_view>
#include <vector>

/// Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

/// Calls `each` with every statement of a function of MIL text, in order; gives the names of the results. Views point
/// into the text. Throws `readers::syntax_fault`.
template <class Each>
std::vector<std::string_view> statements_of(std::string_view text, const readers::mil_function& f, const Each& each) {
    if (f.wrong) {
        throw readers::syntax_fault(*f.wrong);
    }
    readers::mil_parser parser(text);
    readers::mil_lexer& in = parser.tokens();
    in.return_to(f.body);
    parser.expect('{', "before the body of a function");
    while (!in.take_if('}')) {
        each(parser.statement());
    }
    parser.expect(readers::mil_lexer::arrow, "behind the body of a function");
    parser.expect('(', "before the results of a function");
    std::vector<std::string_view> results;
    while (!in.take_if(')')) {
        results.push_back(parser.word("the name of a result"));
        if (!in.peek().is(')')) {
            parser.expect(',', "between two results");
        }
    }
    return results;
}

} // namespace ane::mlpackage::inline ANEMONE_WAY
