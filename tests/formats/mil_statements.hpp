#pragma once

#include "mil_files.hpp"
#include <anemone/formats/mil.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

/// MIL text taken apart into its statements, and the arguments that each operation must have.
namespace mil_statements {

using namespace ane;
using mil_files::lines_of;

/// One statement: `TYPE name = operation(arguments)[attributes];`
struct statement {
    std::string name;
    std::string operation;
    std::map<std::string, std::string> arguments;
    std::map<std::string, std::string> attributes;
};

/// `key = value, key = value`, where values may contain brackets of all kinds.
inline std::map<std::string, std::string> pairs(const std::string& text) {
    std::map<std::string, std::string> found;
    int depth = 0;
    std::string part;
    const auto finish = [&] {
        const auto equal = part.find(" = ");
        if (equal != std::string::npos) {
            found[part.substr(0, equal)] = part.substr(equal + 3);
        }
        part.clear();
    };
    for (const char c : text) {
        depth += c == '(' || c == '[' || c == '<' ? 1 : c == ')' || c == ']' || c == '>' ? -1 : 0;
        if (c == ',' && depth == 0) {
            finish();
        } else if (!(part.empty() && c == ' ')) {
            part += c;
        }
    }
    finish();
    return found;
}

inline std::vector<statement> statements_of(const std::string& text) {
    static const std::regex form(R"(^        (\S+|tensor<\w+, \[[0-9, ]*\]>) (\w+) = (\w+)\((.*)\)\[(.*)\];$)");
    std::vector<statement> all;
    const auto lines = lines_of(text);
    for (std::size_t i = 4; i + 2 < lines.size(); ++i) {
        // The arguments end where the attribute brackets with the name begin.
        const auto split = lines[i].find(")[name = ");
        std::smatch match;
        REQUIRE_MESSAGE(std::regex_match(lines[i], match, form), lines[i]);
        REQUIRE(split != std::string::npos);
        const auto open = lines[i].find('(', lines[i].find(" = "));
        all.push_back({match[2], match[3], pairs(lines[i].substr(open + 1, split - open - 1)),
                       pairs(lines[i].substr(split + 2, lines[i].size() - split - 4))});
    }
    return all;
}

/// What each operation must be given (facts: mil-ops, section 6).
inline std::set<std::string> wanted_arguments(const std::string& operation) {
    static const std::map<std::string, std::set<std::string>> table = {
        {"relu", {"x"}},
        {"relu6", {"x"}},
        {"silu", {"x"}},
        {"sigmoid", {"x"}},
        {"tanh", {"x"}},
        {"exp", {"x"}},
        {"sqrt", {"x"}},
        {"abs", {"x"}},
        {"log", {"x", "epsilon"}},
        {"rsqrt", {"x", "epsilon"}},
        {"leaky_relu", {"x", "alpha"}},
        {"clip", {"x", "alpha", "beta"}},
        {"gelu", {"x", "mode"}},
        {"add", {"x", "y"}},
        {"sub", {"x", "y"}},
        {"mul", {"x", "y"}},
        {"real_div", {"x", "y"}},
        {"maximum", {"x", "y"}},
        {"minimum", {"x", "y"}},
        {"matmul", {"x", "y", "transpose_x", "transpose_y"}},
        {"conv", {"x", "weight", "strides", "dilations", "pad", "pad_type", "groups"}},
        {"conv_transpose", {"x", "weight", "strides", "dilations", "pad", "pad_type", "groups"}},
        {"max_pool", {"x", "kernel_sizes", "strides", "pad", "pad_type", "ceil_mode"}},
        {"avg_pool", {"x", "kernel_sizes", "strides", "pad", "pad_type", "ceil_mode", "exclude_padding_from_average"}},
        {"concat", {"values", "axis", "interleave"}},
        {"reduce_sum", {"x", "axes", "keep_dims"}},
        {"reduce_mean", {"x", "axes", "keep_dims"}},
        {"reduce_max", {"x", "axes", "keep_dims"}},
        {"reduce_min", {"x", "axes", "keep_dims"}},
        {"reshape", {"x", "shape"}},
        {"transpose", {"x", "perm"}},
        {"slice_by_size", {"x", "begin", "size"}},
        {"softmax", {"x", "axis"}},
        {"pad", {"x", "pad", "mode", "constant_val"}},
        {"cast", {"x", "dtype"}},
    };
    const auto found = table.find(operation);
    REQUIRE_MESSAGE(found != table.end(), operation);
    return found->second;
}

/// Checks the whole text of a program; returns its operations.
inline std::set<std::string> check_text(const mil_program& program) {
    const auto lines = lines_of(program.text);
    REQUIRE(lines.size() > 6);
    CHECK(lines[0] == "program(1.3)");
    CHECK(lines[1] == "[buildInfo = dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}, "
                      "{\"coremlc-version\", \"3520.5.1\"}})]");
    CHECK(lines[2] == "{");
    CHECK(lines[3].rfind("    func main<ios18>(", 0) == 0);
    CHECK(lines[lines.size() - 2].rfind("    } -> (", 0) == 0);
    CHECK(lines.back() == "}");

    std::set<std::string> defined;
    static const std::regex parameter(R"(> (\w+)[,)])");
    for (std::sregex_iterator i(lines[3].begin(), lines[3].end(), parameter), end; i != end; ++i) {
        CHECK(defined.insert((*i)[1]).second);
    }
    std::set<std::string> operations;
    static const std::regex identifier(R"([A-Za-z_]\w*)");
    for (const statement& s : statements_of(program.text)) {
        CAPTURE(s.name);
        CHECK(s.attributes.at("name") == "string(\"" + s.name + "\")");
        if (s.operation == "const") {
            CHECK(s.arguments.empty());
            CHECK(s.attributes.size() == 2);
            CHECK(s.attributes.count("val") == 1);
        } else {
            operations.insert(s.operation);
            std::set<std::string> given;
            for (const auto& argument : s.arguments) {
                const std::string& value = argument.second;
                given.insert(argument.first);
                CAPTURE(value);
                const std::string inner = value.front() == '(' ? value.substr(1, value.size() - 2) : value;
                std::istringstream parts(inner);
                for (std::string part; std::getline(parts, part, ',');) {
                    part.erase(0, part.find_first_not_of(' '));
                    if (std::regex_match(part, identifier)) {
                        CHECK_MESSAGE(defined.count(part) == 1, part, " is used before it is defined");
                    } else { // a literal with its type
                        CHECK(std::regex_match(part, std::regex(R"((fp16|bool|int32)\([^()]*\))")));
                    }
                }
            }
            CHECK(given == wanted_arguments(s.operation));
            CHECK(s.attributes.size() == 1);
        }
        CHECK_MESSAGE(defined.insert(s.name).second, "defined twice");
    }
    return operations;
}

} // namespace mil_statements
