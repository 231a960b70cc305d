#pragma once

#include "advised_layers.hpp"
#include "anemone/rules/conforms.hpp"
#include <anemone/dynamic_builder.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

/// What the layers of advised_layers.hpp share.
namespace advised_layers {

using tensor = dynamic_tensor;

inline bool begins(const std::string& text, std::string_view with) { return text.starts_with(with); }

inline std::nullopt_t unknown(rule of, const std::string& suggestion) {
    not_known().insert(std::string(name(of)) + ": " + suggestion);
    return std::nullopt;
}

inline std::int64_t up_to_multiple(std::int64_t n, std::int64_t of) { return (n + of - 1) / of * of; }

inline std::int64_t nearest(std::int64_t wanted, std::initializer_list<std::int64_t> all) {
    return *std::min_element(all.begin(), all.end(), [=](std::int64_t a, std::int64_t b) {
        const auto far = [=](std::int64_t v) { return v > wanted ? v - wanted : wanted - v; };
        return far(a) < far(b);
    });
}

/// By a power of two, in steps that fp16 holds.
inline tensor times(dynamic_builder& b, const tensor& x, double factor) {
    if (factor == 1) {
        return x;
    }
    const double step = std::clamp(factor, 0x1p-14, 0x1p14);
    return times(b, b.add(op::mul, {x, b.constant(step)}), factor / step);
}

inline bool breaks(const dynamic_graph& g, rule wanted, target t) {
    for (const violation& v : violations(g, t)) {
        if (v.rule == wanted) {
            return true;
        }
    }
    return false;
}

/// The layer with a number halved, or doubled, until it keeps a rule, which 24 steps are enough for.
template <class Layer> Layer scaled(Layer layer, double Layer::*number, double step, rule of, target t) {
    for (int i = 0; i < 24 && breaks(layer.built(), of, t); ++i) {
        layer.*number *= step;
    }
    return layer;
}

} // namespace advised_layers
