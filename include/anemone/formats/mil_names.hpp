#pragma once

#include "../base/formatted.hpp"
#include "../base/unique_names.hpp"
#include "../base/way.hpp"
#include "../graph/builder.hpp"
#include "../graph/graph.hpp"
#include "mil_words.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the ports and the layers of a graph are called in MIL text.
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
    unique_names taken;
    const auto stays = [](std::string_view name) { return is_identifier(name) && !is_mil_word(name); };
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (stays(given[i])) {
            taken.take(names[i] = given[i]);
        }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!stays(given[i])) {
            names[i] = mil_identifier(given[i]);
            while (is_mil_word(names[i]) || !taken.take(names[i])) {
                names[i] += '_';
            }
        }
    }
    return names;
}

/// A start for the names of all other variables that no port's name has.
ANEMONE_INLINE std::string unused_variable_prefix(const std::vector<std::string>& ports) {
    std::size_t underscores = 0;
    for (const std::string& port : ports) {
        if (port.starts_with('t')) {
            underscores = std::max(underscores, std::min(port.find_first_not_of('_', 1), port.size()));
        }
    }
    return "t" + std::string(underscores, '_');
}

/// Whether a name is that of a value without one: the start above and a number, and behind it the name of a part.
ANEMONE_INLINE bool is_made_up_mil_name(std::string_view name) {
    std::size_t i = name.find_first_not_of('_', 1);
    if (!name.starts_with('t') || i == std::string_view::npos || name[i] < '0' || name[i] > '9') {
        return false;
    }
    i = name.find_first_not_of("0123456789", i);
    return i == std::string_view::npos || name[i] == '_';
}

/// The name of a layer as an identifier: of at most 200 bytes, without the slashes in front that exporters write.
ANEMONE_INLINE std::string layer_identifier(std::string_view name) {
    const std::size_t first = name.find_first_not_of("/.");
    return mil_identifier(name.substr(first == std::string_view::npos ? 0 : first, 200));
}

/// The layer that a name tells a part of, "stem" for "stem__2"; without a number the name itself.
constexpr std::string_view layer_of_part(std::string_view name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool is_part = last != std::string_view::npos && last >= 2 && last + 1 < name.size() && name[last] == '_' &&
                         name[last - 1] == '_';
    return is_part ? name.substr(0, last - 1) : name;
}

/// Names that are given out once each. What a layer becomes beside its first part is numbered; a name that another layer
/// has by itself is not given to a part, so that what is read from a text is written with the same names.
class layer_names {
public:
    /// Takes a name; false where it is taken.
    ANEMONE_INLINE bool take(std::string_view name) { return names_.take(name); }
    /// Keeps a name for the first who asks for it.
    ANEMONE_INLINE void keep(std::string name) { kept_.insert(std::move(name)); }

    /// The name, or one with a number from 1 on where it is taken or kept for another: behind two underscores for a part of
    /// a layer, behind one for a value without a name.
    ANEMONE_INLINE std::string fresh(const std::string& wanted) {
        const bool is_layer = kept_.contains(wanted);
        if (is_layer && take(wanted)) {
            return wanted;
        }
        return names_.fresh(wanted, is_layer ? "__" : "_", 1,
                            [&](const std::string& name) { return kept_.contains(name); });
    }

private:
    unique_names names_;
    std::set<std::string, std::less<>> kept_;
};

/// The name of a layer as one of a variable.
ANEMONE_INLINE std::string mil_layer_name(std::string_view name) {
    std::string word = layer_identifier(name);
    return is_mil_word(word) || is_made_up_mil_name(word) ? "_" + word : word;
}

} // namespace ane::formats::inline ANEMONE_WAY
