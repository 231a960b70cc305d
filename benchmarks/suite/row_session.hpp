#pragma once

#include "contender.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace suite {

/// Graphs of rows in fp32 for libraries that have products and elementwise functions but no graphs: each operation is
/// computed into a buffer of its own. The functions are those of a peer.
class row_session : public local_session {
public:
    /// Throws ane::error (errc::lowering) in the peer's name for operations that `has` denies.
    row_session(const problem& p, const std::string& peer, bool (*has)(ane::op)) : graph_(p.graph) {
        const ane::graph_view g = graph_;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind != ane::op::input && g[i].kind != ane::op::weight && !has(g[i].kind)) {
                refuse(peer, g[i].kind);
            }
            values_.push_back(p.values[static_cast<std::size_t>(i)]);
            values_.back().resize(static_cast<std::size_t>(g[i].shape.count()));
        }
        outputs_ = p.output_nodes();
    }

    std::vector<std::vector<float>> outputs() override {
        std::vector<std::vector<float>> list;
        for (const int node : outputs_) {
            list.push_back(values_[static_cast<std::size_t>(node)]);
        }
        return list;
    }

protected:
    /// One operation on rows of x: `y` has `n.shape`.
    virtual void compute(const ane::node& n, const float* x, float* y) = 0;

    const float* operand(const ane::node& n, int position) const {
        const ane::graph_view g = graph_;
        return values_[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(position)])].data();
    }
    /// The extent of the last axis of the first operand.
    std::int64_t depth(const ane::node& n) const {
        const ane::graph_view g = graph_;
        return g.operand(n, 0).shape.width();
    }

private:
    void once() final {
        const ane::graph_view g = graph_;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].operands.count > 0) {
                compute(g[i], operand(g[i], 0), values_[static_cast<std::size_t>(i)].data());
            }
        }
    }

    ane::dynamic_graph graph_;
    std::vector<std::vector<float>> values_;
    std::vector<int> outputs_;
};

} // namespace suite
