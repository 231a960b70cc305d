#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes.hpp"
#include "arithmetic.hpp"

#include <cstdint>

namespace ane::kernels::inline ANEMONE_WAY {

/// scale (a op b), element by element. On the engine the inner result rounds first; a product has no scale, which the
/// layer would ignore.
template <class Arithmetic>
void scaled_elementwise(const Arithmetic& a, const scaling& how, const element_of<Arithmetic>* left,
                        const element_of<Arithmetic>* right, std::int64_t count, element_of<Arithmetic>* out) {
    const auto inner = [&](const auto& x, const auto& y) {
        switch (how.function) {
        case scaled_function::add: return a.add(x, y);
        case scaled_function::mul: return a.multiply(x, y);
        case scaled_function::maximum: return a.maximum(x, y);
        case scaled_function::minimum: break;
        }
        return a.minimum(x, y);
    };
    const auto scale = a.number(static_cast<double>(how.scale));
    const bool scales = how.function != scaled_function::mul && how.scale != 1.0F;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto r = inner(a.load(left[i]), a.load(right[i]));
        out[i] = a.store(scales ? a.multiply(r, scale) : r);
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY
