#pragma once

#include "graph.hpp"
#include "sequence.hpp"

#include <cstddef>
#include <span>

namespace ane {

/// For each node those that read it, in the order of the graph; one that reads it twice is there twice. Outputs are none.
class reader_lists {
public:
    constexpr explicit reader_lists(const graph_view& g) : ends_(g.nodes.size() + 1, 0) {
        for (int i = 0; i < g.size(); ++i) {
            for (const int o : g.operands(i)) {
                ++ends_[static_cast<std::size_t>(o) + 1];
            }
        }
        for (std::size_t i = 1; i < ends_.size(); ++i) {
            ends_[i] += ends_[i - 1];
        }
        all_ = sequence<int>(static_cast<std::size_t>(ends_.back()), 0);
        for (int i = g.size() - 1; i >= 0; --i) { // from the back, so that each end becomes a begin
            for (const int o : g.operands(i)) {
                all_[static_cast<std::size_t>(--ends_[static_cast<std::size_t>(o) + 1])] = i;
            }
        }
    }

    constexpr std::span<const int> of(int node) const {
        const int begin = ends_[static_cast<std::size_t>(node) + 1];
        const auto next = static_cast<std::size_t>(node) + 2;
        const int end = next < ends_.size() ? ends_[next] : static_cast<int>(all_.size());
        return {all_.data() + begin, static_cast<std::size_t>(end - begin)};
    }

private:
    sequence<int> ends_; ///< from the second on: where the readers of each node begin
    sequence<int> all_;
};

} // namespace ane
