#pragma once

#include "machine.hpp"
#include "mil_ast.hpp"
#include "mil_signatures.hpp"
#include <anemone/values/half.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ane::standin {

/// The data of a constant, in the member that fits its element type.
struct constant {
    std::vector<half> halves;
    std::vector<std::int64_t> integers; ///< integers of every width, and booleans
    std::vector<double> reals;          ///< fp32
    std::string text;
};

/// A named value of the function: a parameter, a constant, or a result.
struct value {
    std::string name;
    tensor_type type;
    std::optional<constant> data; ///< constants only
    bool live = false;            ///< depends on a parameter of the function
    bool expanded = false;        ///< a compressed weight after expansion: it cannot be reshaped
    bool int8_weight = false; ///< of the affine int8 form: products with it take their activations in another format
    std::vector<half> codes;  ///< of such a weight, where its scales are those of its first axis
    std::vector<half> scales; ///< one for each index of that axis
    bool blockwise = false;   ///< of the blockwise form: no operand of a contraction
    int producer = -1;        ///< the node that makes it; -1 for parameters and constants
};

/// One checked operation. Arguments are values (inline literals become unnamed constants); tuples have several.
struct node {
    const signature* rule = nullptr;
    std::map<std::string, std::vector<int>, std::less<>> arguments;
    std::vector<int> results;
    int line = 0;
};

/// A checked function: everything resolved to numbers, every shape verified.
struct program {
    machine built_for;
    std::vector<value> values;
    std::vector<node> nodes;
    std::vector<int> inputs;
    std::vector<int> outputs;

    const value& at(int id) const { return values[static_cast<std::size_t>(id)]; }
    value& at(int id) { return values[static_cast<std::size_t>(id)]; }
    const dimensions& shape(int id) const { return at(id).type.shape; }

    bool has(const node& n, std::string_view argument) const { return n.arguments.find(argument) != n.arguments.end(); }
    const std::vector<int>& ids(const node& n, std::string_view argument) const {
        const auto found = n.arguments.find(argument);
        if (found == n.arguments.end()) {
            refuse_at(n.line, std::string(n.rule->name) + ": no argument " + std::string(argument));
        }
        return found->second;
    }
    int id(const node& n, std::string_view argument) const { return ids(n, argument).front(); }
    const constant& data(const node& n, std::string_view argument) const { return *at(id(n, argument)).data; }
    const std::vector<std::int64_t>& integers(const node& n, std::string_view argument) const {
        return data(n, argument).integers;
    }
    std::int64_t integer(const node& n, std::string_view argument) const { return integers(n, argument).front(); }
    bool flag(const node& n, std::string_view argument) const { return integer(n, argument) != 0; }
    const std::string& text(const node& n, std::string_view argument) const { return data(n, argument).text; }
    half number(const node& n, std::string_view argument) const { return data(n, argument).halves.front(); }
};

} // namespace ane::standin
