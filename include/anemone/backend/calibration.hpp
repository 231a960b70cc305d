#pragma once

#include "../passes/ranges.hpp"
#include "../way.hpp"
#include "backend.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

/// What every value of a model is on data: ranges from runs, where promises are missing or wide.
namespace ane::detail::inline ANEMONE_WAY {

/// A model whose fp16 results are all outputs, and the node of each.
struct observed_graph {
    dynamic_graph graph;
    std::vector<int> nodes;
};

ANEMONE_INLINE observed_graph observe(const graph_view& g) {
    observed_graph all;
    for (int i = 0; i < g.size(); ++i) {
        node n = g[i];
        n.name = n.name.count > 0 ? all.graph.intern(g.name(i)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = all.graph.keep(g.values(g[i]));
        }
        all.graph.append(n, g.operands(i));
        if (!is_source(n.kind) && n.type == dtype::f16) {
            all.graph.add_output(i, "node." + std::to_string(i));
            all.nodes.push_back(i);
        }
    }
    return all;
}

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
ANEMONE_INLINE void widen(measured_range& range, std::span<const std::byte> bytes) {
    const auto* const values = reinterpret_cast<const half*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(half); ++i) {
        widen(range, values[i]);
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Runs a model on data and keeps the smallest and the largest value of every node that it computes in fp16, and of its
/// fp16 inputs. Another backend may see other values: the oracle of a target what that engine computes.
template <runnable_backend Backend> class calibration {
public:
    /// Throws `error` as the backend's `compile` does.
    calibration(const Backend& backend, const graph_view& g, const weight_store& weights)
        : observed_(detail::observe(g)), program_(backend.compile(observed_.graph, weights)), ranges_(g.nodes.size()),
          results_(observed_.nodes.size()) {
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                inputs_.push_back(i);
            }
        }
        for (std::size_t i = 0; i < results_.size(); ++i) {
            results_[i].resize(static_cast<std::size_t>(g[observed_.nodes[i]].shape.count()));
        }
    }

    /// One run; `inputs` is the memory of the model's inputs in their order.
    void run(input_buffers inputs) {
        std::vector<std::span<std::byte>> outputs;
        for (std::vector<half>& r : results_) {
            outputs.push_back(std::as_writable_bytes(std::span(r)));
        }
        program_.run(inputs, outputs);
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const node& n = observed_.graph.nodes[static_cast<std::size_t>(inputs_[i])];
            if (n.type == dtype::f16) {
                detail::widen(ranges_[static_cast<std::size_t>(inputs_[i])], inputs[i]);
            }
        }
        for (std::size_t i = 0; i < results_.size(); ++i) {
            detail::widen(ranges_[static_cast<std::size_t>(observed_.nodes[i])], std::as_bytes(std::span(results_[i])));
        }
    }

    /// What was seen of each node, for `ranges(g, measured)` and for the report.
    std::span<const measured_range> measured() const { return ranges_; }
    /// The values of node `node` in the last run; empty for one that is no fp16 result.
    std::span<const half> values(int node) const {
        const auto at = std::find(observed_.nodes.begin(), observed_.nodes.end(), node);
        return at == observed_.nodes.end() ? std::span<const half>{}
                                           : results_[static_cast<std::size_t>(at - observed_.nodes.begin())];
    }

private:
    using program = decltype(std::declval<const Backend&>().compile(std::declval<const graph_view&>(),
                                                                    std::declval<const weight_store&>()));
    detail::observed_graph observed_;
    program program_;
    std::vector<measured_range> ranges_;
    std::vector<std::vector<half>> results_;
    std::vector<int> inputs_;
};

} // namespace ane::inline ANEMONE_WAY
