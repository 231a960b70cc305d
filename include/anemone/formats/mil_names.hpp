#pragma once

#include "../base/way.hpp"
#include "../graph/builder.hpp"
#include "../graph/graph.hpp"
#include "mil_words.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// What the ports of a graph are called in MIL text.
namespace ane::formats::inline ANEMONE_WAY {

/// Letters, digits and underscores, no digit first: other bytes become underscores.
ANEMONE_INLINE std::string mil_identifier(std::string_view given) {
    std::string result;
    for (const char c : given) {
        result += is_identifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9') ? c : '_';
    }
    return result.empty() || (result.front() >= '0' && result.front() <= '9') ? '_' + result : result;
}

/// Names for a list of ports, in its order. An identifier that is no word of the grammar stays as it is; what others
/// become gains underscores until no port has it. Names that differ give names that differ.
ANEMONE_INLINE std::vector<std::string> mil_port_names(const std::vector<std::string_view>& given) {
    std::vector<std::string> names(given.size());
    std::vector<std::string> taken;
    const auto stays = [](std::string_view name) { return is_identifier(name) && !is_mil_word(name); };
    const auto is_taken = [&](const std::string& name) {
        return std::find(taken.begin(), taken.end(), name) != taken.end();
    };
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (stays(given[i])) {
            taken.push_back(names[i] = given[i]);
        }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!stays(given[i])) {
            std::string name = mil_identifier(given[i]);
            while (is_mil_word(name) || is_taken(name)) {
                name += '_';
            }
            taken.push_back(names[i] = name);
        }
    }
    return names;
}

/// A start for the names of all other variables that no port's name has.
ANEMONE_INLINE std::string unused_variable_prefix(const std::vector<std::string>& ports) {
    std::string prefix = "t";
    while (std::any_of(ports.begin(), ports.end(), [&](const std::string& port) { return port.starts_with(prefix); })) {
        prefix += '_';
    }
    return prefix;
}

} // namespace ane::formats::inline ANEMONE_WAY
