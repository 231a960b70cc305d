#pragma once

#include "../analysis/envelope.hpp"
#include "training_step.hpp"

#include <vector>

/// Which loss scale is safe on a chip: what the declared ranges of inputs and weights prove about the gradients.
namespace ane {

/// What is known of one loss scale.
struct scale_verdict {
    double scale = 1;
    proof verdict = proof::proven; ///< no gradient overflows; some does, as far as is promised; or nothing decides it
    op operation{};                ///< of the first value that is not proven,
    ane::hazard hazard{};          ///< what may happen to it,
    double bound = 0;              ///< how large it may be,
    double limit = 0;              ///< and where it breaks
};

namespace detail::training {

constexpr bool is_overflow(hazard h) {
    return h == hazard::stored_value || h == hazard::inner_value || h == hazard::accumulator ||
           h == hazard::width_slice || h == hazard::loss_scale;
}

/// The nodes that are computed from `first` on the way to one of `last`.
constexpr sequence<char> between(const graph_view& g, int first, std::span<const int> last) {
    sequence<char> above(g.nodes.size(), 0);
    sequence<char> below(g.nodes.size(), 0);
    for (const int node : last) {
        above[static_cast<std::size_t>(node)] = 1;
    }
    for (int i = g.size() - 1; i >= 0; --i) {
        for (const int operand : g.operands(i)) {
            above[static_cast<std::size_t>(operand)] |= above[static_cast<std::size_t>(i)];
        }
    }
    below[static_cast<std::size_t>(first)] = 1;
    for (int i = first + 1; i < g.size(); ++i) {
        for (const int operand : g.operands(i)) {
            below[static_cast<std::size_t>(i)] |= below[static_cast<std::size_t>(operand)];
        }
    }
    for (std::size_t i = 0; i < above.size(); ++i) {
        above[i] &= below[i];
    }
    return above;
}

} // namespace detail::training

/// Whether a fixed loss scale is proven on a target, refuted by the declared ranges, or open because too little is declared.
/// It is judged from the inputs' promises, and from those of the weights, or `weight_limit`.
constexpr scale_verdict judge_loss_scale(const graph_view& model, training_options options, const target_description& t,
                                         double scale) {
    options.scale.by_host = false;
    options.scale.fixed = scale;
    dynamic_graph g;
    const sequence<int> found = detail::training::step_maker(model, options).scaled_gradients(g);
    const sequence<char> counts =
        detail::training::between(g, found[0], std::span<const int>(found.data() + 1, found.size() - 1));
    scale_verdict worst{.scale = scale};
    int node = -1;
    for (const envelope_entry& e : envelope(g, t)) {
        if (counts[static_cast<std::size_t>(e.node)] == 0 || !detail::training::is_overflow(e.hazard)) {
            continue;
        }
        const bool worse = worst.verdict == proof::proven ? e.verdict != proof::proven
                                                          : worst.verdict == proof::open && e.verdict == proof::refuted;
        // Of one node the causes come behind the infinity that they make.
        const bool explains = worst.verdict != proof::proven && e.node == node && e.verdict == worst.verdict;
        if (worse || explains) {
            node = e.node;
            worst = {scale, e.verdict, g.view()[e.node].kind, e.hazard, e.bound, e.limit};
        }
    }
    return worst;
}
constexpr scale_verdict judge_loss_scale(const graph_view& model, const training_options& options, target t,
                                         double scale) {
    return judge_loss_scale(model, options, describe(t), scale);
}

/// The verdicts on 1, 2, 4, ... 65536.
constexpr std::vector<scale_verdict> judge_loss_scales(const graph_view& model, const training_options& options,
                                                       target t) {
    std::vector<scale_verdict> all;
    for (double scale = 1; scale <= 65536; scale *= 2) {
        all.push_back(judge_loss_scale(model, options, t, scale));
    }
    return all;
}

} // namespace ane
