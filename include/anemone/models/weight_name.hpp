#pragma once

#include "../graph/sequence.hpp"

#include <string_view>

namespace ane::models {

/// A weight's name in a graph, its published one with underscores for the dots: "model.layers.0.self_attn.q_proj.weight" is
/// "model_layers_0_self_attn_q_proj_weight".
constexpr sequence<char> weight_name(std::string_view published) {
    sequence<char> name;
    name.append(published);
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '.') {
            name[i] = '_';
        }
    }
    return name;
}

} // namespace ane::models
