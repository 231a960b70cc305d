#pragma once

#include "../graph/builder.hpp"

#include <string_view>

/// Names of ports that are made of names of weights.
namespace ane::detail {

/// A name whose letters, digits and underscores stay, with underscores for everything else: "layers.0.w" as "layers_0_w".
constexpr sequence<char> identifier_of(std::string_view name) {
    sequence<char> identifier;
    for (const char c : name) {
        const bool stays = is_identifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9');
        identifier.push_back(stays ? c : '_');
    }
    if (identifier.empty()) {
        identifier.push_back('_');
    }
    if (identifier[0] >= '0' && identifier[0] <= '9') {
        identifier[0] = '_';
    }
    return identifier;
}

/// Whether an input or an output of a graph has the name.
constexpr bool is_port(const graph_view& g, std::string_view name) {
    return g.find(op::input, name) >= 0 || g.find_output(name) >= 0;
}

constexpr std::string_view text_of(const sequence<char>& characters) { return {characters.data(), characters.size()}; }

/// The identifier of a name for a port and, with `_out` behind it, for the value of a state after a run; with `_2`, `_3`, ...
/// behind it where one of both is taken.
constexpr sequence<char> free_port_name(const graph_view& g, std::string_view name) {
    const sequence<char> stem = identifier_of(name);
    sequence<char> wanted = stem;
    for (int number = 2;; ++number) {
        sequence<char> after = wanted;
        after.append(std::string_view("_out"));
        if (!is_port(g, text_of(wanted)) && !is_port(g, text_of(after))) {
            return wanted;
        }
        sequence<char> digits;
        for (int rest = number; rest > 0; rest /= 10) {
            digits.push_back(static_cast<char>('0' + rest % 10));
        }
        wanted = stem;
        wanted.push_back('_');
        for (std::size_t k = digits.size(); k > 0; --k) {
            wanted.push_back(digits[k - 1]);
        }
    }
}

} // namespace ane::detail
