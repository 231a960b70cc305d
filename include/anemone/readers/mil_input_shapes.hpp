#pragma once

#include "flexible_shapes.hpp"
#include "mil_scope.hpp"

#include <algorithm>
#include <string>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The inputs with the shapes that the caller gives where the file leaves them free, else with the file's defaults.
/// Throws `error` (errc::argument) for a shape of what is no input.
ANEMONE_INLINE std::vector<mil_port> with_shapes(std::vector<mil_port> inputs, const flexible_shapes& flexible,
                                                 mil_scope& scope) {
    for (const input_shape& given : scope.shapes) {
        const auto named = [&](const mil_port& p) { return p.name == given.name; };
        if (std::none_of(inputs.begin(), inputs.end(), named)) {
            std::string names;
            for (const mil_port& p : inputs) {
                names += formatted("{}{}", names.empty() ? "" : ", ", ane::detail::printable(p.name));
            }
            throw error(errc::argument, "shapes",
                        formatted("gives {} a shape, which is no input; there are: {}",
                                  ane::detail::printable(given.name), names.empty() ? "none" : names.substr(0, 1000)));
        }
    }
    for (mil_port& p : inputs) {
        const extents* const given = shape_for(scope.shapes, p.name);
        const extents* const shape = given != nullptr ? given : shape_for(flexible.defaults, p.name);
        const bool is_free = p.type.unknowns != 0 || shape_for(flexible.defaults, p.name) != nullptr;
        if (shape == nullptr || (!is_free && given == nullptr)) {
            continue;
        }
        const std::string fault = fault_of_shape(p, flexible, *shape);
        if (!fault.empty()) {
            scope.blame(p.at, std::string(p.name), fault);
            continue;
        }
        if (given == nullptr && p.type.unknowns != 0) {
            scope.note(formatted("the input {} has the file's default shape, {}", p.name, print(*shape)));
        }
        p.type.shape = *shape;
        p.type.unknown = {};
        p.type.unknowns = 0;
    }
    return inputs;
}

} // namespace ane::readers::inline ANEMONE_WAY
