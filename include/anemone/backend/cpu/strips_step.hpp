#pragma once

#include "../../analysis/arena.hpp"
#include "../../base/way.hpp"
#include "../../passes/element_strips.hpp"
#include "kernels/algorithms.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

/// Functions of elements strip by strip (passes/element_strips.hpp).
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Lets values live as long as strips read them: until the step of the last node.
constexpr void prolong_for_strips(const sequence<element_strips>& all, sequence<lifetime>& alive) {
    for (const element_strips& each : all) {
        for (const int input : each.inputs) {
            lifetime& read = alive[static_cast<std::size_t>(input)];
            read.last = read.stored() ? std::max(read.last, each.end()) : read.last;
        }
    }
}

/// A layer and the nodes that it reads.
struct bound_layer {
    bound_step step;
    sequence<int> reads;
};
using layer_binder = std::function<bound_layer(const binding_context&, int end)>;

/// The nodes of strips, bound for a number of elements: a graph with the inputs of the strips in front.
class bound_strip {
public:
    ANEMONE_INLINE bound_strip(const graph_view& g, const element_strips& s, std::int64_t elements,
                               const kernel_table& kernels, stage_numbers numbers, bool fuses,
                               const layer_binder& bind) {
        dynamic_graph strip;
        std::vector<int> place(g.nodes.size(), -1);
        for (const int i : s.inputs) {
            node n;
            n.kind = op::input;
            n.type = g[i].type;
            const bool repeats = g[i].shape.count() == 1;
            n.shape = {repeats ? 1 : elements};
            place[static_cast<std::size_t>(i)] = strip.append(n, {});
            inputs_.push_back(repeats ? 0 : bytes(n.type, 1));
        }
        for (const int i : s.nodes) {
            sequence<int> operands;
            for (const int o : g.operands(i)) {
                operands.push_back(place[static_cast<std::size_t>(o)]);
            }
            if (ane::detail::keeps_elements(g[i].kind)) {
                place[static_cast<std::size_t>(i)] = operands[0];
                continue;
            }
            node n = g[i];
            n.name = {};
            n.shape = {elements};
            place[static_cast<std::size_t>(i)] = strip.append(n, {operands.data(), operands.size()});
        }
        for (const int i : s.results) {
            strip.add_output(place[static_cast<std::size_t>(i)], "result");
        }
        const graph_view all = strip;
        const fused_layers layers = fuses ? fuse_layers(all, {}) : single_layers(all);
        const arena plan = plan_arena(all, lifetimes(all, layers.ends));
        constants_.values.resize(all.nodes.size());
        constants_.bytes.resize(all.nodes.size());
        const binding_context context{all,     constants_, kernels, 1, &layers, winograd_tiles::never,
                                      nullptr, nullptr,    numbers};
        offsets_ = plan.offsets;
        scratch_sizes most;
        for (int i = 0; i < all.size(); ++i) {
            if (all[i].kind != op::input && layers.end_of(i) == i) {
                bound_layer made = bind(context, i);
                most.shared = std::max(most.shared, in_arena_lines(made.step.scratch.shared));
                most.each = std::max(most.each, in_arena_lines(made.step.scratch.each));
                layers_.push_back({std::move(made.step), std::move(made.reads), i});
            }
        }
        arena_ = plan.bytes;
        shared_ = most.shared;
        places_ = arena_ + shared_ + most.each;
        std::size_t most_read = 0;
        for (const layer& each : layers_) {
            most_read = std::max(most_read, each.reads.size());
        }
        scratch_.each = places_ + static_cast<std::int64_t>((offsets_.size() + most_read) * sizeof(std::byte*));
        for (const output_port& port : all.outputs) {
            results_.push_back({port.node, bytes(all[port.node].type, 1)});
        }
    }

    scratch_sizes scratch() const { return scratch_; }

    /// Of the elements from `first` on, by the calling thread; `own` is its scratch.
    ANEMONE_INLINE void run(const operands& o, std::int64_t first, std::byte* own) const {
        auto** const values = reinterpret_cast<std::byte**>(own + places_);
        auto** const read = const_cast<const std::byte**>(values + offsets_.size());
        for (std::size_t i = 0; i < offsets_.size(); ++i) {
            values[i] = offsets_[i] < 0 ? nullptr : own + offsets_[i];
        }
        for (std::size_t k = 0; k < results_.size(); ++k) {
            values[static_cast<std::size_t>(results_[k].node)] = o.results[k] + first * results_[k].size;
        }
        worker_threads alone;
        alone.shared = own + arena_;
        alone.own = alone.shared + shared_;
        for (const layer& each : layers_) {
            for (std::size_t k = 0; k < each.reads.size(); ++k) {
                const auto at = static_cast<std::size_t>(each.reads[k]);
                read[k] = at < inputs_.size() ? o.inputs[at] + first * inputs_[at] : values[at];
            }
            each.step.run({{read, each.reads.size()}, values[static_cast<std::size_t>(each.end)], alone});
        }
    }

private:
    struct layer {
        bound_step step;
        sequence<int> reads;
        int end;
    };
    struct result {
        int node;
        std::int64_t size; ///< bytes of an element
    };

    sequence<std::int64_t> inputs_{}; ///< bytes from an element to the next; 0 for one that repeats
    std::vector<result> results_{};
    std::vector<layer> layers_{};
    folded_constants constants_{};
    sequence<std::int64_t> offsets_{};
    std::int64_t arena_ = 0;
    std::int64_t shared_ = 0;
    std::int64_t places_ = 0; ///< of the values, and of those that a layer reads: from there on in the scratch
    scratch_sizes scratch_{};
};

/// The step of strips: reads `s.inputs`, writes `s.results`. Each thread computes whole strips.
ANEMONE_INLINE bound_step bind_strips(const graph_view& g, const element_strips& s, const kernel_table& kernels,
                                      stage_numbers numbers, bool fuses, const layer_binder& bind) {
    const std::int64_t rest = s.elements % strip_elements;
    const auto whole = std::make_shared<const bound_strip>(g, s, strip_elements, kernels, numbers, fuses, bind);
    const auto last =
        rest == 0 ? whole : std::make_shared<const bound_strip>(g, s, rest, kernels, numbers, fuses, bind);
    const std::int64_t count = (s.elements + strip_elements - 1) / strip_elements;
    return {[whole, last, count](const operands& o) {
                o.workers.share(count, 1, [&](std::int64_t first, std::int64_t end, std::byte* own) {
                    for (std::int64_t i = first; i < end; ++i) {
                        (i + 1 < count ? whole : last)->run(o, i * strip_elements, own);
                    }
                });
            },
            {.shared = 0, .each = std::max(whole->scratch().each, last->scratch().each)}};
}

/// Finds those of a model, of values that are all row-major, and makes each a layer.
ANEMONE_INLINE sequence<element_strips> join_row_major_strips(const graph_view& model, const value_layouts& layouts,
                                                              fused_layers& layers) {
    sequence<element_strips> all;
    for (const element_strips& each : find_element_strips(model, layers, least_strip_elements, least_strip_nodes)) {
        const auto is_row_major = [&](int node) { return layouts.of(node) == layout::nchw; };
        if (std::all_of(each.nodes.begin(), each.nodes.end(), is_row_major) &&
            std::all_of(each.inputs.begin(), each.inputs.end(), is_row_major)) {
            all.push_back(each);
        }
    }
    join_element_strips(all, layers);
    return all;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// What a program does with strips: null where its model has none.
struct strip_steps {
    sequence<element_strips> (*join)(const graph_view&, const value_layouts&, fused_layers&) = nullptr;
    bound_step (*bind)(const graph_view&, const element_strips&, const kernel_table&, stage_numbers, bool fuses,
                       const detail::layer_binder&) = nullptr;
};

template <kernel_needs Needs> constexpr strip_steps strip_steps_of() {
    if constexpr (Needs.contains(algorithm::strips)) {
        return {detail::join_row_major_strips, detail::bind_strips};
    } else {
        return {};
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
