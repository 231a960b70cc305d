#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../cost/cost.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

/// Figures of the cost model as text.
namespace ane::detail::inline ANEMONE_WAY {

/// "0.85 MFLOP", "3.2 GB": three significant digits and the prefix that keeps the number between 0.1 and 100.
ANEMONE_INLINE std::string scaled(double value, std::string_view unit) {
    constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P"};
    std::size_t step = 0;
    while (value >= 100 && step + 1 < std::size(prefixes)) {
        value /= 1000;
        ++step;
    }
    const int digits = step == 0 ? 0 : (value < 10 ? 2 : 1);
    return formatted("{:.{}f} {}{}", value, digits, prefixes[step], unit);
}

ANEMONE_INLINE std::string milliseconds(double seconds) {
    const double ms = seconds * 1e3;
    return formatted("{:.{}f} ms", ms, ms < 10 ? 2 : (ms < 100 ? 1 : 0));
}

ANEMONE_INLINE std::string millijoules(double joules) {
    const double mj = joules * 1e3;
    return formatted("{:.{}f} mJ", mj, mj < 10 ? 2 : (mj < 100 ? 1 : 0));
}

/// "0.19 and 0.27 ms".
ANEMONE_INLINE std::string between(const time_interval& t) {
    const double low = t.at_least * 1e3;
    return formatted("{:.{}f} and {}", low, low < 10 ? 2 : (low < 100 ? 1 : 0), milliseconds(t.at_most));
}

/// "h13 (M1)"; the name alone where no product has the engine.
ANEMONE_INLINE std::string device_name(const cost& c) {
    std::string_view product = c.product;
    constexpr std::string_view base = " base";
    if (product.size() > base.size() && product.substr(product.size() - base.size()) == base) {
        product.remove_suffix(base.size());
    }
    return product.empty() ? std::string(c.target) : formatted("{} ({})", c.target, product);
}

/// "conv2d + add + relu #4": a layer with the stages that fused into it.
ANEMONE_INLINE std::string layer_name(const graph_view& g, const layer_demand& layer, const sequence<fusion>& fused) {
    std::string text(name(g[layer.node].kind));
    for (int i = layer.node + 1; i <= layer.last; ++i) {
        const fusion& f = fused[static_cast<std::size_t>(i)];
        if (f.host == layer.node && f.role != fused_as::own_layer) {
            text += formatted(" + {}", name(g[i].kind));
        }
    }
    return text + formatted(" #{}", layer.node);
}

} // namespace ane::detail::inline ANEMONE_WAY
