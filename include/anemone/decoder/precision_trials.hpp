#pragma once

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../base/thread_pool.hpp"
#include "../base/way.hpp"
#include "../graph/constants.hpp"
#include "../weights/verify.hpp"
#include "precision.hpp"
#include "precision_changes.hpp"
#include "precision_parts.hpp"
#include "precision_run.hpp"
#include "precision_walk.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Values of weights in double precision that are kept from text to text, at most.
inline constexpr std::int64_t most_kept_weights = std::int64_t{1} << 30;

/// A decoder for texts of one length.
struct text_model {
    dynamic_graph graph;
    weight_store weights;
    std::vector<part_place> places;
    int tail = 0; ///< its first node of the head
    int logits = 0;

    ANEMONE_INLINE text_model(const models::decoder_configuration& c, const weight_store& all, std::size_t length)
        : graph(graph_of_text(c, static_cast<std::int64_t>(length))), weights(weights_for(graph, all)),
          places(part_finder(graph, c).places()) {
        const graph_view g = graph;
        logits = g.outputs[0].node;
        tail = g.size();
        while (tail > 0 && (is_source(g[tail - 1].kind) || g.name(tail - 1) == "head")) {
            --tail;
        }
    }
    /// What its weights take in double precision.
    ANEMONE_INLINE bool keeps_constants() const {
        std::int64_t bytes = 0;
        for (const node& n : graph.nodes) {
            bytes += n.kind == op::weight || n.kind == op::constant ? 8 * n.shape.count() : 0;
        }
        return bytes <= most_kept_weights;
    }
};

/// The runs of a decoder that its report is made of.
template <class Layers, class Judged> class precision_trials {
public:
    precision_trials(const models::decoder_configuration& c, const weight_store& weights, const Judged& judged,
                     const precision_options& how)
        : c_(c), weights_(weights), judged_(judged), how_(how), inputs_(c, weights) {}

    /// What the arithmetic costs, whole, part by part and layer by layer.
    precision_report measured(const std::vector<std::vector<token_id>>& pieces) {
        precision_report report;
        report.bound = how_.bound;
        report.texts = static_cast<std::int64_t>(pieces.size());
        const text_model longest(c_, weights_, pieces.front().size());
        for (const decoder_part part : parts_of(longest)) {
            report.parts.push_back({-1, part, {}});
        }
        for (std::int64_t layer = 0; how_.each_layer && layer < c_.layers; ++layer) {
            report.layers.push_back({layer, {}, {}});
        }
        facts_.assign(longest.graph.nodes.size(), {});
        each_length(pieces, [&](const text_model& model, std::size_t begin, std::size_t end) {
            std::vector<mixture> mixtures = {mixed(model, [](const part_place&) { return false; }),
                                             mixed(model, [](const part_place&) { return true; })};
            std::vector<logit_error*> results = {nullptr, &report.whole};
            for (part_effect& each : report.parts) {
                mixtures.push_back(mixed(model, [&](const part_place& p) { return p.part == each.part; }));
                results.push_back(&each.alone);
            }
            for (part_effect& each : report.layers) {
                mixtures.push_back(mixed(model, [&](const part_place& p) { return p.layer == each.layer; }));
                results.push_back(&each.alone);
            }
            Layers layers(model.graph, model.weights, judged_, model.keeps_constants());
            report.judged = layers.name();
            walk w(model.graph, model.weights, layers, available_threads(), model.keeps_constants());
            for (std::size_t i = begin; i < end; ++i) {
                w.run(
                    inputs_.of(model.graph, pieces[i]), mixtures, model.tail,
                    [&](int node) {
                        judge(model, w, node, report);
                        tell(i, pieces.size(), node, model.graph.nodes.size(), how_.proposals ? 0 : 1);
                    },
                    [&](std::size_t m) { compare(w, model, m, results[m]); });
            }
        });
        return report;
    }

    /// Tries what may restore the tokens; `report` is of the same texts.
    void propose(const std::vector<std::vector<token_id>>& pieces, precision_report& report) {
        std::vector<precision_proposal> hosts;
        for (std::vector<decoder_part>& parts : host_parts(report)) {
            hosts.push_back({.kind = precision_change::host, .on_host = std::move(parts)});
        }
        std::vector<precision_proposal> changes;
        each_length(pieces, [&](const text_model& model, std::size_t begin, std::size_t end) {
            std::vector<mixture> mixtures = {mixed(model, [](const part_place&) { return false; })};
            std::vector<logit_error*> results = {nullptr};
            for (precision_proposal& each : hosts) {
                const std::vector<decoder_part>& away = each.on_host;
                mixtures.push_back(mixed(model, [&](const part_place& p) {
                    return std::find(away.begin(), away.end(), p.part) == away.end();
                }));
                results.push_back(&each.after);
                count_crossings(model, mixtures.back(), each);
            }
            const std::vector<changed_decoder> changed = changed_decoders(model);
            changes.resize(changed.size());
            Layers layers(model.graph, model.weights, judged_, model.keeps_constants());
            walk w(model.graph, model.weights, layers, available_threads(), model.keeps_constants());
            for (std::size_t i = begin; i < end; ++i) {
                const auto inputs = inputs_.of(model.graph, pieces[i]);
                w.run(
                    inputs, mixtures, model.tail,
                    [&](int node) { tell(i, pieces.size(), node, model.graph.nodes.size(), 1); },
                    [&](std::size_t m) { compare(w, model, m, results[m]); });
                for (std::size_t k = 0; k < changed.size(); ++k) {
                    changes[k].kind = changed[k].kind;
                    changes[k].scaled = changed[k].scaled;
                    changes[k].added_operations = operations(changed[k].graph) - operations(model.graph);
                    run_changed(changed[k], model, inputs, w.value(0, model.logits), changes[k].after);
                }
            }
        });
        // Of powers of two the best.
        const auto is_worse = [](const precision_proposal& a, const precision_proposal& b) {
            return std::pair(a.after.flips, a.after.mean_kl) < std::pair(b.after.flips, b.after.mean_kl);
        };
        for (const precision_change kind :
             {precision_change::scaled_sums, precision_change::paired_residual, precision_change::scaled_pair}) {
            const precision_proposal* best = nullptr;
            for (const precision_proposal& each : changes) {
                best = each.kind == kind && (best == nullptr || is_worse(each, *best)) ? &each : best;
            }
            if (best != nullptr) {
                report.proposals.push_back(*best);
            }
        }
        std::stable_sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) {
            return std::pair(a.crossings, a.host_operations) < std::pair(b.crossings, b.host_operations);
        });
        report.proposals.insert(report.proposals.end(), hosts.begin(), hosts.end());
        for (std::size_t i = 0; i < report.proposals.size(); ++i) {
            const auto flips = [&](std::size_t of) { return report.proposals[of].after.flips; };
            const bool is_first = report.recommended < 0;
            if (report.whole.flips > 0 &&
                (is_first || flips(i) < flips(static_cast<std::size_t>(report.recommended)))) {
                report.recommended = static_cast<int>(i);
            }
        }
    }

private:
    using walk = precision_walk<Layers>;
    using mixture = typename walk::mixture;

    /// A model that is changed, to be run whole.
    struct changed_decoder {
        precision_change kind{};
        dynamic_graph graph;
        std::int64_t scaled = 0;
    };

    template <class Visit> void each_length(const std::vector<std::vector<token_id>>& pieces, const Visit& visit) {
        for (std::size_t begin = 0; begin < pieces.size();) {
            std::size_t end = begin;
            while (end < pieces.size() && pieces[end].size() == pieces[begin].size()) {
                ++end;
            }
            visit(text_model(c_, weights_, pieces[begin].size()), begin, end);
            begin = end;
        }
    }
    static std::vector<decoder_part> parts_of(const text_model& model) {
        std::vector<char> there(decoder_part_count, 0);
        for (std::size_t i = 0; i < model.places.size(); ++i) {
            const op kind = model.graph.nodes[i].kind;
            there[static_cast<std::size_t>(model.places[i].part)] |= kind == op::input || !is_source(kind) ? 1 : 0;
        }
        const graph_view g = model.graph;
        const auto is_table = [&](int i) { return g[i].kind == op::input && g.name(i).ends_with("sines"); };
        bool has_tables = false; // masks lose nothing
        for (int i = 0; i < g.size(); ++i) {
            has_tables = has_tables || is_table(i);
        }
        there[static_cast<std::size_t>(decoder_part::positions)] = has_tables ? 1 : 0;
        if (!has_tables) { // the scale of queries alone
            there[static_cast<std::size_t>(decoder_part::rotation)] = 1;
        }
        std::vector<decoder_part> parts;
        for (int k = 0; k < decoder_part_count; ++k) {
            if (there[static_cast<std::size_t>(k)] != 0) {
                parts.push_back(static_cast<decoder_part>(k));
            }
        }
        return parts;
    }
    template <class Holds> static mixture mixed(const text_model& model, const Holds& holds) {
        mixture all(model.places.size(), 0);
        std::transform(model.places.begin(), model.places.end(), all.begin(),
                       [&](const part_place& place) { return holds(place) ? char{1} : char{0}; });
        return all;
    }
    void tell(std::size_t piece, std::size_t pieces, int node, std::size_t nodes, int pass) const {
        if (how_.progress) {
            const double in_pass =
                (static_cast<double>(piece) + static_cast<double>(node) / static_cast<double>(nodes)) /
                static_cast<double>(pieces);
            how_.progress(how_.proposals ? (in_pass + pass) / 2 : in_pass);
        }
    }
    void compare(const walk& w, const text_model& model, std::size_t m, logit_error* to) const {
        if (to != nullptr) {
            compare_logits(w.value(0, model.logits), w.value(m, model.logits), static_cast<std::size_t>(c_.vocabulary),
                           *to);
        }
    }

    /// Takes a node that was just computed, exactly and as the model is.
    void judge(const text_model& model, walk& w, int node, precision_report& report) {
        const numbers_view exact(w.value(0, node));
        const part_place& place = model.places[static_cast<std::size_t>(node)];
        double largest = 0;
        for (std::int64_t i = 0; i < exact.count(); ++i) {
            largest = std::max(largest, std::isfinite(exact[i]) ? std::abs(exact[i]) : 0.0);
        }
        if (facts_.size() == model.graph.nodes.size()) {
            node_facts& f = facts_[static_cast<std::size_t>(node)];
            const std::vector<std::byte> stored = rounded(w.value(0, node));
            const error_bound of_fp16{.relative = std::max(how_.bound.relative, 0x1p-10)};
            f.largest = std::max(f.largest, largest);
            f.fits = f.fits && error_of(exact, {dtype::f16, stored}, of_fp16).beyond == 0;
        }
        if (!w.has_value(node)) {
            return;
        }
        const auto found = positions_.find({place.layer, place.part});
        if (found == positions_.end()) {
            positions_.emplace(std::pair(place.layer, place.part), report.errors.size());
            report.errors.push_back({.layer = place.layer, .part = place.part});
        }
        part_error& e = report.errors[positions_.at({place.layer, place.part})];
        const wide_error whole = error_of(exact, numbers_view(w.value(1, node)), how_.bound);
        const wide_error alone = error_of(exact, numbers_view(w.alone(node)), how_.bound);
        e.whole = std::max(e.whole, whole.relative);
        e.alone = std::max(e.alone, alone.relative);
        e.largest = std::max(e.largest, largest);
        e.overflows = e.overflows || alone.not_finite > 0;
        e.is_beyond_alone = e.is_beyond_alone || alone.beyond > 0;
        e.is_beyond = e.is_beyond || whole.beyond > 0;
        if (whole.beyond > 0 && (report.first < 0 || node < first_node_)) {
            first_node_ = node;
            report.first = static_cast<int>(positions_.at({place.layer, place.part}));
        }
    }

    /// Sets of parts for the host: the guide's, and those whose arithmetic moves the logits most, more and more of them.
    static std::vector<std::vector<decoder_part>> host_parts(const precision_report& report) {
        using enum decoder_part;
        std::vector<std::vector<decoder_part>> sets = {
            {residual}, {head}, {down}, {residual, head}, {value, output, down, residual}};
        std::vector<part_effect> worst;
        std::copy_if(report.parts.begin(), report.parts.end(), std::back_inserter(worst),
                     [](const part_effect& each) { return each.part != embedding && each.part != positions; });
        std::stable_sort(worst.begin(), worst.end(), [](const part_effect& a, const part_effect& b) {
            return std::pair(a.alone.not_finite, a.alone.mean_kl) > std::pair(b.alone.not_finite, b.alone.mean_kl);
        });
        constexpr std::size_t most = 6;
        std::vector<decoder_part> taken;
        for (std::size_t i = 0; i < std::min(most, worst.size()); ++i) {
            taken.push_back(worst[i].part);
            std::vector<decoder_part> sorted = taken;
            std::sort(sorted.begin(), sorted.end());
            if (std::find(sets.begin(), sets.end(), sorted) == sets.end()) {
                sets.push_back(sorted);
            }
        }
        return sets;
    }
    /// What the host does in a run, and which values go there and back.
    static void count_crossings(const text_model& model, const mixture& on_engine, precision_proposal& to) {
        const graph_view g = model.graph;
        const sequence<char> known = constant_nodes(g);
        std::vector<char> goes(g.nodes.size(), 0);
        to.host_operations = 0;
        const auto is_away = [&](int i) { return on_engine[static_cast<std::size_t>(i)] == 0; };
        for (int i = 0; i < g.size(); ++i) {
            if (is_source(g[i].kind) || known[static_cast<std::size_t>(i)] != 0) {
                continue;
            }
            to.host_operations += is_away(i) ? 1 : 0;
            for (const int operand : g.operands(i)) {
                const bool is_value = !is_source(g[operand].kind) && known[static_cast<std::size_t>(operand)] == 0;
                goes[static_cast<std::size_t>(operand)] |= is_value && is_away(operand) != is_away(i) ? 1 : 0;
            }
        }
        to.crossings = std::count(goes.begin(), goes.end(), 1);
    }
    static std::int64_t operations(const dynamic_graph& made) {
        const graph_view g = made;
        const sequence<char> known = constant_nodes(g);
        std::int64_t count = 0;
        for (int i = 0; i < g.size(); ++i) {
            count += is_source(g[i].kind) || known[static_cast<std::size_t>(i)] != 0 ? 0 : 1;
        }
        return count;
    }

    std::vector<changed_decoder> changed_decoders(const text_model& model) const {
        std::vector<changed_decoder> all;
        const graph_view g = model.graph;
        changed_graph paired = paired_residual(g, model.places);
        if (facts_.size() == g.nodes.size()) {
            sequence<int> same(g.nodes.size(), 0);
            std::vector<node_facts> facts = facts_;
            for (int i = 0; i < g.size(); ++i) {
                same[static_cast<std::size_t>(i)] = i;
                facts[static_cast<std::size_t>(i)].is_given = is_source(g[i].kind);
            }
            std::vector<std::vector<int>> powers;
            for (const int most : {14, 10, 6}) { // norms square what they read
                powers.push_back(powers_by_magnitude(g, facts, most));
            }
            if (std::all_of(powers[0].begin(), powers[0].end(), [](int each) { return each == 0; })) {
                powers = {powers_of_projections(g, model.places, 4), powers_of_projections(g, model.places, -4)};
            }
            for (const std::vector<int>& each : powers) {
                scaled_model scaled = scaled_sums(g, same, facts, each);
                all.push_back({precision_change::scaled_sums, std::move(scaled.made.graph), scaled.scaled});
                scaled = scaled_sums(paired.graph, paired.origins, facts, each);
                all.push_back({precision_change::scaled_pair, std::move(scaled.made.graph), scaled.scaled});
            }
        }
        all.push_back({precision_change::paired_residual, std::move(paired.graph), 0});
        return all;
    }
    static backend::cpu each_rounded(const backend::cpu& place) { return place.rounding(rounding::each_operation); }
    static const backend::oracle& each_rounded(const backend::oracle& place) { return place; }

    void run_changed(const changed_decoder& changed, const text_model& model,
                     const std::vector<typename walk::numbers>& inputs, const std::vector<double>& exact,
                     logit_error& to) const {
        const graph_view g = model.graph;
        const graph_view now = changed.graph;
        std::vector<std::vector<std::byte>> given;
        for (int i = 0; i < now.size(); ++i) {
            for (int k = 0; now[i].kind == op::input && k < g.size(); ++k) {
                if (g[k].kind == op::input && g.name(k) == now.name(i)) {
                    given.push_back(rounded(*inputs[static_cast<std::size_t>(k)]));
                }
            }
        }
        const std::vector<std::span<const std::byte>> spans(given.begin(), given.end());
        std::vector<half> logits(exact.size());
        const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(logits))};
        each_rounded(judged_).compile(changed.graph, model.weights).run(spans, outputs);
        const std::vector<double> got(logits.begin(), logits.end());
        compare_logits(exact, got, static_cast<std::size_t>(c_.vocabulary), to);
    }

    models::decoder_configuration c_;
    const weight_store& weights_;
    const Judged& judged_;
    const precision_options& how_;
    text_inputs inputs_;
    std::vector<node_facts> facts_;                                          ///< of the graph of the longest text
    int first_node_ = -1;                                                    ///< beyond the bound
    std::map<std::pair<std::int64_t, decoder_part>, std::size_t> positions_; ///< among the errors of the report
};

} // namespace ane::detail::inline ANEMONE_WAY
