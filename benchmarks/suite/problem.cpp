#include "problem.hpp"

#include <anemone/values/half.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace suite {

ane::weight_store problem::weights() const {
    ane::weight_store store;
    const ane::graph_view g = graph;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::weight) {
            std::vector<ane::half> halves;
            for (const float v : values[static_cast<std::size_t>(i)]) {
                halves.emplace_back(v);
            }
            store.add(std::string(g.name(i)), g[i].shape, std::span<const ane::half>(halves));
        }
    }
    return store;
}

std::vector<int> problem::output_nodes() const {
    std::vector<int> nodes;
    for (const ane::output_port& port : graph.view().outputs) {
        if (!port.is_state()) {
            nodes.push_back(port.node);
        }
    }
    return nodes;
}

const cache_write* problem::write_of(int node) const {
    for (const cache_write& w : writes) {
        if (w.select == node) {
            return &w;
        }
    }
    return nullptr;
}

double relative_error(const std::vector<float>& got, const std::vector<double>& wanted) {
    if (got.size() != wanted.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double distance = 0;
    double size = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double d = static_cast<double>(got[i]) - wanted[i];
        if (std::isnan(d)) {
            return std::numeric_limits<double>::infinity();
        }
        distance += d * d;
        size += wanted[i] * wanted[i];
    }
    return size > 0 ? std::sqrt(distance / size) : std::sqrt(distance);
}

} // namespace suite
