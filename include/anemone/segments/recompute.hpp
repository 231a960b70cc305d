#pragma once

#include "../analysis/liveness.hpp"
#include "../cost/cost.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "../training/training_step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Recompute against store: a step of training keeps what its backward pass reads of its forward pass, all of it at the turn
/// from the one to the other. Here most of these values are computed again, segment by segment, when they are read.
namespace ane {

struct recompute_options {
    std::int64_t most_bytes = 0; ///< of intermediate values at once; 0: those that the chip has room for
};

/// A step with its values in an order that keeps few of them at once.
struct recomputed_step {
    training_step step;
    int segments = 1;              ///< 1: every value is kept
    int repeated = 0;              ///< nodes that are computed twice
    std::int64_t bytes_before = 0; ///< the most intermediate values at once, of the step as it was
    std::int64_t bytes = 0;        ///< and of this one
    double seconds_before = 0;     ///< of all layers, by the cost model; 0 where the rates of the chip are not known
    double seconds = 0;
    bool fits = false; ///< whether `bytes` is within the limit
};

namespace detail::recomputing {

/// Writes the nodes of a step anew: the forward pass, then what follows the loss as soon as it can be computed, each with what
/// it alone needs right before it. Forward values that are not kept are computed again for what follows the loss.
class step_writer {
public:
    constexpr step_writer(const graph_view& g, const training_step& step)
        : g_(g), follows_(g.nodes.size(), 0), level_(g.nodes.size(), 0), forward_(g.nodes.size(), 0),
          known_(constant_nodes(g)) {
        for (int i = 0; i < g.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            follows_[at] = i == step.wanted ? 1 : 0;
            for (const int o : g.operands(i)) {
                const auto from = static_cast<std::size_t>(o);
                if (follows_[from] != 0) {
                    follows_[at] = 1;
                    level_[at] = std::max(level_[at], level_[from] + 1);
                }
            }
        }
        const int loss = g.outputs[static_cast<std::size_t>(step.loss)].node;
        for (int i = loss; i >= 0; --i) { // what the loss reads that does not follow from what is wanted
            const auto at = static_cast<std::size_t>(i);
            if (i == loss || forward_[at] != 0) {
                for (const int o : g.operands(i)) {
                    forward_[static_cast<std::size_t>(o)] = 1;
                }
            }
        }
        for (int i = 0; i < g.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            forward_[at] = forward_[at] != 0 && follows_[at] == 0 && known_[at] == 0 && !is_source(g[i].kind) ? 1 : 0;
            if (follows_[at] != 0) {
                last_.push_back(i);
            }
        }
        std::sort(last_.begin(), last_.end(), [&](int a, int b) {
            const int first = level_[static_cast<std::size_t>(a)];
            const int second = level_[static_cast<std::size_t>(b)];
            return first != second ? first < second : a < b;
        });
    }

    /// For each forward value whether it is kept where the forward pass is cut into so many parts: those that are alive at the
    /// cuts, of which each is made where the fewest bytes are.
    constexpr sequence<char> kept(int segments) const {
        sequence<int> last_read(g_.nodes.size(), -1); // by the forward pass
        sequence<int> order;
        std::int64_t all = 0;
        for (int i = 0; i < g_.size(); ++i) {
            if (is_forward(i)) {
                order.push_back(i);
                all += size_of(i);
                for (const int o : g_.operands(i)) {
                    last_read[static_cast<std::size_t>(o)] = i;
                }
            }
        }
        sequence<char> result(g_.nodes.size(), segments <= 1 ? 1 : 0);
        std::int64_t done = 0;
        std::int64_t alive = 0;
        std::int64_t least = -1;
        int cut = -1;
        int part = 1;
        for (const int i : order) {
            done += size_of(i);
            alive += size_of(i);
            for (const int o : g_.operands(i)) {
                alive -=
                    is_forward(o) && last_read[static_cast<std::size_t>(o)] == i && counted_once(i, o) ? size_of(o) : 0;
            }
            if (part >= segments) {
                break;
            }
            // A cut lies in the half of a part around its end.
            const std::int64_t end = all * part / segments;
            const std::int64_t margin = all / (4 * segments);
            if (done >= end - margin && (cut < 0 || alive < least)) {
                cut = i;
                least = alive;
            }
            if (done >= end + margin && cut >= 0) {
                for (const int o : order) {
                    if (o <= cut && last_read[static_cast<std::size_t>(o)] > cut) {
                        result[static_cast<std::size_t>(o)] = 1;
                    }
                }
                ++part;
                cut = -1;
            }
        }
        return result;
    }

    /// The step with these values kept.
    constexpr training_step written(const training_step& step, const sequence<char>& kept, int& repeated) {
        made_ = {};
        first_ = sequence<int>(g_.nodes.size(), -1);
        again_ = sequence<int>(g_.nodes.size(), -1);
        repeated_ = 0;
        for (int i = 0; i < g_.size(); ++i) { // inputs in front, as everywhere
            if (g_[i].kind == op::input) {
                copy(i, false, kept);
            }
        }
        const auto of_loss = static_cast<std::size_t>(step.loss);
        for (int i = 0; i < g_.size(); ++i) {
            if (is_forward(i)) {
                write(i, false, kept);
            }
        }
        write(g_.outputs[of_loss].node, false, kept);
        for (const int i : last_) {
            write(i, false, kept);
        }
        for (const output_port& port : g_.outputs) {
            write(port.node, false, kept);
            made_.add_output(first_[static_cast<std::size_t>(port.node)], g_.name(port),
                             port.is_state() ? first_[static_cast<std::size_t>(port.state)] : -1);
        }
        made_.call_as(g_);
        repeated = repeated_;
        training_step result = step;
        result.graph = made_;
        const auto moved = [&](int& node) { node = node < 0 ? node : first_[static_cast<std::size_t>(node)]; };
        for (training_state& s : result.states) {
            moved(s.input);
        }
        for (int* each : {&result.wanted, &result.mask, &result.rate, &result.correction, &result.loss_scale,
                          &result.inverse_scale}) {
            moved(*each);
        }
        return result;
    }

private:
    constexpr bool is_forward(int i) const { return forward_[static_cast<std::size_t>(i)] != 0; }
    constexpr std::int64_t size_of(int i) const { return bytes(g_[i].type, g_[i].shape.count()); }
    /// Whether the first of a node's operands that is this value is at this place: x x reads it once.
    constexpr bool counted_once(int index, const int& operand) const {
        const auto all = g_.operands(index);
        for (const int& each : all) {
            if (each == operand) {
                return &each == &operand;
            }
        }
        return false;
    }

    /// Where a value is read from: by what follows the loss, and by what is computed again for it, from its second copy.
    constexpr int& place(int node, bool late, const sequence<char>& kept) {
        const auto at = static_cast<std::size_t>(node);
        return late && is_forward(node) && kept[at] == 0 ? again_[at] : first_[at];
    }
    /// What a copy reads is late where it is itself, or follows the loss, or nobody before the loss needs it.
    constexpr bool reads_late(int node, bool late) const {
        const auto at = static_cast<std::size_t>(node);
        return late || (!is_forward(node) && (follows_[at] != 0 || behind_loss_));
    }

    constexpr void copy(int node, bool late, const sequence<char>& kept) {
        ane::node n = g_[node];
        const auto operands = g_.operands(node);
        n.operands.first = static_cast<int>(made_.operand_pool.size());
        for (const int o : operands) {
            made_.operand_pool.push_back(place(o, reads_late(node, late), kept));
        }
        n.name = n.name.count > 0 ? made_.intern(g_.text(n.name)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = made_.keep(g_.values(g_[node]));
        }
        int& to = place(node, late, kept);
        repeated_ += &to == &again_[static_cast<std::size_t>(node)] ? 1 : 0;
        to = static_cast<int>(made_.nodes.size());
        made_.nodes.push_back(n);
    }

    struct visit {
        int node = 0;
        bool late = false;
        int operand = 0; ///< the next one to look at
    };
    constexpr void write(int node, bool late, const sequence<char>& kept) {
        sequence<visit> path;
        path.push_back({node, late, 0});
        while (!path.empty()) {
            visit& top = path.back();
            const auto operands = g_.operands(top.node);
            if (place(top.node, top.late, kept) >= 0) {
                path.pop_back();
            } else if (top.operand < static_cast<int>(operands.size())) {
                const int o = operands[static_cast<std::size_t>(top.operand)];
                const bool is_late = reads_late(top.node, top.late);
                ++top.operand;
                if (place(o, is_late, kept) < 0) {
                    path.push_back({o, is_late, 0});
                }
            } else {
                copy(top.node, top.late, kept);
                path.pop_back();
            }
        }
    }

    graph_view g_;
    sequence<char> follows_; ///< by node: from what is wanted
    sequence<int> level_;
    sequence<char> forward_; ///< computed for the loss, from the inputs
    sequence<char> known_;
    sequence<int> last_; ///< nodes that follow, by level
    dynamic_graph made_;
    sequence<int> first_; ///< by node, its copy
    sequence<int> again_; ///< and the second one
    int repeated_ = 0;
    bool behind_loss_ = true;
};

/// Of all layers on a chip; 0 where its rates are not known.
constexpr double layer_seconds(const graph_view& g, target t) {
    const cost found = estimate(lower(g).graph, t);
    double sum = 0;
    for (const layer_cost& layer : found.layers) {
        sum += layer.seconds();
    }
    return sum;
}

} // namespace detail::recomputing

/// The step that takes the least time by the cost model of those within the limit, or where none is, the one with the fewest
/// bytes at once: the forward pass is cut into 1 to 32 segments, whose first values are kept. Computes the same numbers: what
/// is computed again has the same operands. Only what is in memory between layers is counted, not weights, states and ports.
constexpr recomputed_step recompute(const training_step& step, target t, const recompute_options& options = {}) {
    const graph_view g = step.graph;
    const std::int64_t limit = options.most_bytes > 0 ? options.most_bytes : describe(t).memory.working_set_nominal;
    detail::recomputing::step_writer writer(g, step);
    recomputed_step best;
    best.step = step;
    best.bytes_before = best.bytes = peak_live_bytes(g);
    best.seconds_before = best.seconds = detail::recomputing::layer_seconds(g, t);
    best.fits = best.bytes <= limit;
    for (const int segments : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
        if (best.fits) {
            break; // more segments are more time
        }
        recomputed_step made = best;
        made.segments = segments;
        made.step = writer.written(step, writer.kept(segments), made.repeated);
        made.bytes = peak_live_bytes(made.step.graph.view());
        made.fits = made.bytes <= limit;
        if (made.bytes < best.bytes) {
            made.seconds = detail::recomputing::layer_seconds(made.step.graph, t);
            best = made;
        }
    }
    validate(best.step.graph);
    return best;
}

} // namespace ane
