#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_remedies_hpp);

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../backend/wide/wide.hpp"
#include "../graph/copy.hpp"
#include "../weights/verify.hpp"
#include "remedies.hpp"
#include "remedy_changes.hpp"
#include "wide_diff.hpp"
#include "wide_walk.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Memory for the outputs of a model that callers see.
class output_memory {
public:
    ANEMONE_INLINE explicit output_memory(const graph_view& g) {
        for (const output_port& port : g.outputs) {
            if (!port.is_state()) {
                const node& n = g[port.node];
                memory_.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
            }
        }
        spans_.assign(memory_.begin(), memory_.end());
    }
    output_buffers spans() const { return spans_; }
    std::span<const std::byte> operator[](std::size_t output) const { return memory_[output]; }

private:
    std::vector<std::vector<std::byte>> memory_;
    std::vector<std::span<std::byte>> spans_;
};

/// The exact outputs of a model, of each sample: numbers of fp16 ports, bytes of others.
class exact_outputs {
public:
    ANEMONE_INLINE exact_outputs(const graph_view& g, const backend::wide& reference, const weight_store& weights,
                                 const model_samples& samples) {
        auto program = reference.compile(g, weights);
        const output_memory memory(g);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            program.run(samples.inputs(i), memory.spans());
            std::vector<value>& of = values_.emplace_back();
            std::size_t output = 0;
            for (const output_port& port : g.outputs) {
                if (port.is_state()) {
                    continue;
                }
                value& v = of.emplace_back();
                v.type = g[port.node].type;
                if (v.type == dtype::f16) {
                    const auto numbers = program.value(port.node);
                    v.numbers.assign(numbers.begin(), numbers.end());
                } else {
                    v.bytes.assign(memory[output].begin(), memory[output].end());
                }
                ++output;
            }
        }
    }

    /// Adds what a run of a sample returned.
    template <class Outputs>
    void compare(std::size_t sample, const Outputs& got, const error_bound& bound, outputs_error& to) const {
        bool is_beyond = false;
        for (std::size_t i = 0; i < values_[sample].size(); ++i) {
            const value& v = values_[sample][i];
            const numbers_view exact = v.type == dtype::f16 ? numbers_view(v.numbers) : numbers_view(v.type, v.bytes);
            const wide_error e = error_of(exact, {v.type, got[i]}, bound);
            is_beyond = is_beyond || e.beyond > 0;
            if (to.worst.count == 0 ||
                std::tuple(e.not_finite, e.excess) > std::tuple(to.worst.not_finite, to.worst.excess)) {
                to.worst = e;
            }
        }
        to.affected += is_beyond ? 1 : 0;
    }

private:
    struct value {
        dtype type = dtype::f16;
        std::vector<double> numbers;
        std::vector<std::byte> bytes;
    };
    std::vector<std::vector<value>> values_;
};

/// Whether an error is smaller by as much as one changes a model for.
ANEMONE_INLINE bool helps(const outputs_error& after, const outputs_error& before) {
    if (after.affected != before.affected) {
        return after.affected < before.affected;
    }
    if (after.worst.not_finite != before.worst.not_finite) {
        return after.worst.not_finite < before.worst.not_finite;
    }
    return after.worst.beyond <= before.worst.beyond && after.worst.relative < before.worst.relative / 2 &&
           after.worst.excess <= before.worst.excess;
}
ANEMONE_INLINE bool is_better(const outputs_error& a, const outputs_error& b) {
    const auto of = [](const outputs_error& e) {
        return std::tuple(e.affected, e.worst.not_finite, e.worst.beyond, e.worst.relative);
    };
    return of(a) < of(b);
}

/// Samples to try changes on: those of `from` if they are few, else the worst and the first ones; where states go on from
/// sample to sample, all up to the worst.
ANEMONE_INLINE model_samples tried_samples(const graph_view& g, const model_samples& from, std::size_t worst,
                                           std::size_t most) {
    const bool has_states =
        std::any_of(g.outputs.begin(), g.outputs.end(), [](const output_port& port) { return port.is_state(); });
    model_samples chosen;
    const std::size_t first = has_states ? worst + 1 : std::min(from.size(), most);
    for (std::size_t i = 0; i < first; ++i) {
        chosen.add(from.inputs(i));
    }
    if (worst >= first) {
        chosen.add(from.inputs(worst));
    }
    return chosen;
}

/// Whether the judged arithmetic rounds each node on its own, from the layers of a comparison; sources are.
class layer_facts {
public:
    ANEMONE_INLINE layer_facts(const graph_view& g, const wide_difference& d)
        : valued_(g.nodes.size(), 0), fits_(g.nodes.size(), 0) {
        const sequence<char> known = constant_nodes(g);
        for (int i = 0; i < g.size(); ++i) {
            const bool given = is_source(g[i].kind) || known[static_cast<std::size_t>(i)] != 0;
            valued_[static_cast<std::size_t>(i)] = given ? 1 : 0;
            fits_[static_cast<std::size_t>(i)] = given ? 1 : 0;
        }
        for (const layer_error& layer : d.layers) {
            valued_[static_cast<std::size_t>(layer.node)] = 1;
            fits_[static_cast<std::size_t>(layer.node)] = layer.fits ? 1 : 0;
        }
    }
    bool operator()(int node) const { return valued_[static_cast<std::size_t>(node)] != 0; }
    std::span<const char> fits() const { return fits_; }

private:
    std::vector<char> valued_;
    std::vector<char> fits_;
};

/// The first layer where an error arises; null where there is none.
ANEMONE_INLINE const layer_error* first_source(const wide_difference& d) {
    const auto found = std::find_if(d.layers.begin(), d.layers.end(),
                                    [](const layer_error& layer) { return layer.sources > 0 && layer.is_source(); });
    return found == d.layers.end() ? nullptr : &*found;
}

/// How many operations a run of a model computes.
ANEMONE_INLINE std::int64_t layers_of(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    std::int64_t count = 0;
    for (int i = 0; i < g.size(); ++i) {
        count += is_source(g[i].kind) || known[static_cast<std::size_t>(i)] != 0 ? 0 : 1;
    }
    return count;
}

template <class Judged> class remedy_trials {
public:
    remedy_trials(const graph_view& g, const Judged& judged, const backend::wide& reference,
                  const weight_store& weights, model_samples samples, const remedy_options& options)
        : g_(g), judged_(judged), reference_(reference), weights_(weights), samples_(std::move(samples)),
          options_(options), exact_(g, reference, weights, samples_), how_(options.diff) {
        how_.every_layer_alone = false;
        how_.part_nodes = 0;
        how_.on_host.clear();
        search_.layers_run = layers_of(g_) * count_of(samples_); // of the exact outputs
    }

    remedy_search run() {
        search_.before = run_changed(g_);
        search_.tried = 0;
        if (search_.before.affected == 0) {
            return std::move(search_);
        }
        sequence<int> same(g_.nodes.size(), 0);
        for (std::size_t i = 0; i < same.size(); ++i) {
            same[i] = static_cast<int>(i);
        }
        const wide_difference unchanged = compared(g_, how_);
        allowed_ = options_.most_layers / 2; // the rest is for nodes elsewhere, which is the surest help
        try_changes({{}, search_.before, copy_of(g_), {}}, unchanged, same, most_rounds);
        allowed_ = options_.most_layers * 3 / 4;
        if constexpr (std::is_same_v<Judged, backend::oracle>) {
            try_islands(unchanged, true);
        }
        allowed_ = options_.most_layers;
        try_islands(unchanged, false);
        keep_sufficient();
        std::stable_sort(search_.helpful.begin(), search_.helpful.end(), [](const remedy& a, const remedy& b) {
            return std::tuple(a.after.affected, a.after.worst.not_finite) <
                   std::tuple(b.after.affected, b.after.worst.not_finite);
        });
        return std::move(search_);
    }

private:
    static constexpr int most_rounds = 6;

    static std::int64_t count_of(const model_samples& samples) { return static_cast<std::int64_t>(samples.size()); }

    /// Whether so many runs of a model are within what the search may take by now.
    bool may_run(const graph_view& of, int runs) {
        const std::int64_t after = search_.layers_run + runs * layers_of(of) * count_of(samples_);
        if (options_.most_layers > 0 && after > allowed_) {
            search_.is_cut_short = true;
            return false;
        }
        return true;
    }
    wide_difference compared(const graph_view& of, const wide_diff_options& how) {
        wide_difference d = diff(of, judged_, reference_, weights_, samples_, how);
        search_.layers_run += d.work.reference_layers + d.work.judged_layers + d.work.alone_layers;
        return d;
    }

    /// Where something makes the outputs right, what only makes them better is no advice.
    void keep_sufficient() {
        std::vector<remedy>& all = search_.helpful;
        const auto suffices = [](const remedy& r) { return r.after.affected == 0; };
        if (std::any_of(all.begin(), all.end(), suffices)) {
            all.erase(std::remove_if(all.begin(), all.end(), [&](const remedy& r) { return !suffices(r); }), all.end());
        }
    }

    /// The outputs of a changed model in the arithmetic that is judged.
    outputs_error run_changed(const graph_view& changed) {
        ++search_.tried;
        search_.layers_run += layers_of(changed) * count_of(samples_);
        outputs_error error;
        auto program = each_rounded(judged_).compile(changed, weights_);
        const output_memory memory(changed);
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            program.run(samples_.inputs(i), memory.spans());
            exact_.compare(i, memory, how_.bound, error);
        }
        return error;
    }
    static backend::cpu each_rounded(const backend::cpu& place) { return place.rounding(rounding::each_operation); }
    static const backend::oracle& each_rounded(const backend::oracle& place) { return place; }

    /// Tries what helps at the first source of a model that was changed already, of which `d` tells, and goes on from the
    /// best of it.
    void try_changes(const remedy& from, const wide_difference& d, const sequence<int>& origins, int rounds) {
        const layer_error* const source = first_source(d);
        if (source == nullptr) {
            return;
        }
        const layer_facts facts(from.graph, d);
        std::vector<std::pair<remedy, sequence<int>>> made;
        for (changed_model& change : changes_for(from.graph, *source, facts.fits(), facts, options_.chip)) {
            if (!may_run(change.made.graph, 1)) {
                break;
            }
            remedy r = from;
            change.step.node = change.step.node < 0 ? -1 : origins[static_cast<std::size_t>(change.step.node)];
            r.steps.push_back(change.step);
            try {
                r.after = run_changed(change.made.graph);
            } catch (const error&) {
                continue; // no model of this kind
            }
            sequence<int> from_model;
            for (const int origin : change.made.origins) {
                from_model.push_back(origin < 0 ? -1 : origins[static_cast<std::size_t>(origin)]);
            }
            r.graph = std::move(change.made.graph);
            made.emplace_back(std::move(r), std::move(from_model));
        }
        // Of changes of a kind the first, unless a later one is much better.
        for (int kind = 0; kind <= static_cast<int>(remedy_kind::host); ++kind) {
            const remedy* best = nullptr;
            for (const auto& [r, unused] : made) {
                const bool is_of_kind = r.steps.back().kind == static_cast<remedy_kind>(kind);
                if (is_of_kind && helps(r.after, best == nullptr ? from.after : best->after)) {
                    best = &r;
                }
            }
            if (best != nullptr) {
                search_.helpful.push_back(*best);
            }
        }
        const auto best = std::min_element(made.begin(), made.end(), [](const auto& a, const auto& b) {
            return is_better(a.first.after, b.first.after);
        });
        if (best != made.end() && best->first.after.affected > 0 && rounds > 1 && may_run(best->first.graph, 2)) {
            const std::size_t alone = search_.helpful.size();
            try_changes(best->first, compared(best->first.graph, how_), best->second, rounds - 1);
            if (search_.helpful.size() > alone && helps(best->first.after, from.after) && !from.steps.empty()) {
                return; // told with what comes behind it
            }
        }
    }

    /// Sends the sources elsewhere, one after the other, until the outputs are right or nothing changes.
    void try_islands(const wide_difference& unchanged, bool rounds) {
        remedy r{{}, search_.before, copy_of(g_), {}};
        wide_diff_options how = how_;
        how.host_rounds = rounds;
        wide_difference moved;
        for (int round = 0; round < most_rounds && r.after.affected > 0; ++round) {
            const wide_difference& d = round == 0 ? unchanged : moved;
            const layer_error* const source = first_source(d);
            if (source == nullptr || !may_run(g_, 2)) {
                break;
            }
            const layer_facts facts(g_, d);
            for (const int node : island_of(g_, source->node, facts.fits(), facts)) {
                if (std::find(how.on_host.begin(), how.on_host.end(), node) == how.on_host.end()) {
                    how.on_host.push_back(node);
                }
            }
            std::sort(how.on_host.begin(), how.on_host.end());
            r.steps.push_back({.kind = rounds ? remedy_kind::cpu_segment : remedy_kind::host, .node = source->node});
            moved = compared(g_, how);
            ++search_.tried;
            r.after = error_of_outputs(moved);
        }
        r.on_host = how.on_host;
        if (!r.steps.empty() && helps(r.after, search_.before)) {
            search_.helpful.push_back(std::move(r));
        }
    }
    static outputs_error error_of_outputs(const wide_difference& d) {
        outputs_error error;
        error.affected = d.affected;
        for (const int output : d.outputs) {
            if (output >= 0) {
                const wide_error& e = d.layers[static_cast<std::size_t>(output)].whole;
                if (error.worst.count == 0 ||
                    std::tuple(e.not_finite, e.excess) > std::tuple(error.worst.not_finite, error.worst.excess)) {
                    error.worst = e;
                }
            }
        }
        return error;
    }

    graph_view g_;
    const Judged& judged_;
    const backend::wide& reference_;
    const weight_store& weights_;
    model_samples samples_;
    remedy_options options_;
    exact_outputs exact_;
    wide_diff_options how_;    ///< of the comparisons that look for the next source
    std::int64_t allowed_ = 0; ///< of `layers_run`, by now
    remedy_search search_;
};

template <class Judged>
remedy_search remedies_with(const graph_view& model, const Judged& judged, const backend::wide& reference,
                            const weight_store& weights, const model_samples& samples, const wide_difference& found,
                            const remedy_options& options) {
    if (found.part.graph.nodes.size() == 0) {
        return remedy_trials<Judged>(model, judged, reference, weights,
                                     tried_samples(model, samples, found.worst_sample, options.most_samples), options)
            .run();
    }
    const weight_store own = weights_for(found.part.graph, weights); // those of other layers are none of the part's
    remedy_search search =
        remedy_trials<Judged>(found.part.graph, judged, reference, own, found.part.samples, options).run();
    search.of_part = true;
    const auto of_model = [&found](int& node) {
        node = node < 0 ? -1 : found.part.origins[static_cast<std::size_t>(node)];
    };
    for (remedy& each : search.helpful) {
        for (remedy_step& step : each.steps) {
            of_model(step.node);
        }
        std::for_each(each.on_host.begin(), each.on_host.end(), of_model);
    }
    return search;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF remedy_search find_remedies(const graph_view& model, const backend::cpu& judged,
                                            const backend::wide& reference, const weight_store& weights,
                                            const model_samples& samples, const wide_difference& found,
                                            const remedy_options& options) {
    return detail::remedies_with(model, judged, reference, weights, samples, found, options);
}
ANEMONE_BODY_OF remedy_search find_remedies(const graph_view& model, const backend::oracle& judged,
                                            const backend::wide& reference, const weight_store& weights,
                                            const model_samples& samples, const wide_difference& found,
                                            const remedy_options& options) {
    return detail::remedies_with(model, judged, reference, weights, samples, found, options);
}

} // namespace ane::inline ANEMONE_WAY
