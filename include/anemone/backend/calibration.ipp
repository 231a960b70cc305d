#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_calibration_hpp);

#include "../graph/unused_port_prefix.hpp"
#include "../passes/validate.hpp"
#include "../values/half.hpp"
#include "calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void widen(measured_range& range, half value) {
    const auto v = static_cast<double>(value);
    if (!std::isfinite(v)) {
        ++range.infinities;
        return;
    }
    range.low = range.measured ? std::min(range.low, v) : v;
    range.high = range.measured ? std::max(range.high, v) : v;
    range.measured = true;
}

ANEMONE_BODY observation::observation(const graph_view& g) : ranges_(g.nodes.size()) {
    validate(g);
    const std::string prefix = detail::unused_port_prefix(g);
    const sequence<char> bound = bound_nodes(g);
    for (int i = 0; i < g.size(); ++i) {
        node n = g[i];
        n.name = n.name.count > 0 ? graph_.intern(g.name(i)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = graph_.keep(g.values(g[i]));
        }
        graph_.append(n, g.operands(i));
        if (bound[static_cast<std::size_t>(i)] != 0) {
            inputs_.push_back(i);
        }
        if (!is_source(n.kind) && n.type == dtype::f16) {
            graph_.add_output(i, prefix + std::to_string(i));
            nodes_.push_back(i);
            results_.emplace_back(static_cast<std::size_t>(n.shape.count()));
        }
    }
    for (const output_port& port : g.outputs) {
        if (port.is_state()) {
            graph_.add_output(port.node, g.name(port), port.state);
            states_.push_back({port.state, port.node});
            detail::widen(ranges_[static_cast<std::size_t>(port.state)], half{});
        }
    }
    if (results_.empty()) { // a program needs an output, even where nothing is computed
        node one;
        one.kind = op::constant;
        one.shape = {1};
        one.attributes = graph_.keep(std::array{1.0F});
        const int operand = graph_.append(one, {});
        one.kind = op::relu;
        one.attributes = no_attributes{};
        graph_.add_output(graph_.append(one, std::array{operand}), prefix);
        results_.emplace_back(1U);
    }
}

ANEMONE_BODY std::vector<std::span<std::byte>> observation::outputs() {
    std::vector<std::span<std::byte>> memory;
    for (std::vector<half>& r : results_) {
        memory.push_back(std::as_writable_bytes(std::span(r)));
    }
    return memory;
}

ANEMONE_BODY void observation::widen(input_buffers inputs) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const auto at = static_cast<std::size_t>(inputs_[i]);
        if (graph_.nodes[at].type == dtype::f16) {
            const auto* const values = reinterpret_cast<const half*>(inputs[i].data());
            for (std::size_t k = 0; k < inputs[i].size() / sizeof(half); ++k) {
                detail::widen(ranges_[at], values[k]);
            }
        }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (const half value : results_[i]) {
            detail::widen(ranges_[static_cast<std::size_t>(nodes_[i])], value);
        }
    }
    for (const kept& each : states_) { // what it became is what the next run reads
        const measured_range after = ranges_[static_cast<std::size_t>(each.next)];
        measured_range& range = ranges_[static_cast<std::size_t>(each.input)];
        if (after.measured) {
            range.low = std::min(range.low, after.low);
            range.high = std::max(range.high, after.high);
        }
        range.infinities = after.infinities;
    }
}

ANEMONE_BODY std::span<const measured_range> observation::measured() const { return ranges_; }

ANEMONE_BODY std::span<const half> observation::values(int node) const {
    const auto at = std::find(nodes_.begin(), nodes_.end(), node);
    return at == nodes_.end() ? std::span<const half>{} : results_[static_cast<std::size_t>(at - nodes_.begin())];
}

} // namespace ane::detail::inline ANEMONE_WAY
