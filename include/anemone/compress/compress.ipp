#pragma once

#include "../backend/calibration.hpp"
#include "../backend/cpu/cpu.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../formats/mil_compressed.hpp"
#include "../ops/fault.hpp"
#include "../ops/quantization.hpp"
#include "../passes/cost.hpp"
#include "../passes/kernel_memory.hpp"
#include "../passes/lowering.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "../passes/weights_of.hpp"
#include "../rules/evaluate.hpp"
#include "../rules/phrases.hpp"
#include "../targets/table.hpp"
#include "../weights/convert.hpp"
#include "../weights/encode.hpp"
#include "../weights/verify.hpp"
#include "compress.hpp"
#include "error_feedback.hpp"
#include "form_text.hpp"
#include "moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace ane::compress::inline ANEMONE_WAY {

using forms_by_node = std::vector<std::optional<compression>>; ///< of the weights of a graph

/// The graph with some weights wrapped in a stored form. `renamed`, if any, gets the new number of each node.
ANEMONE_INLINE dynamic_graph with_forms(const graph_view& g, const forms_by_node& forms,
                                        std::vector<int>* renamed = nullptr) {
    dynamic_graph result;
    std::vector<int> reads(g.nodes.size(), -1);  // the node that stands for an old one where it is read,
    std::vector<int> stands(g.nodes.size(), -1); // and the node itself
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        node n = g[i];
        n.name = n.name.count > 0 ? result.intern(g.name(i)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = result.keep(g.values(g[i]));
        }
        std::vector<int> operands;
        for (const int operand : g.operands(i)) {
            operands.push_back(reads[static_cast<std::size_t>(operand)]);
        }
        reads[at] = stands[at] = result.append(n, operands);
        if (forms[at]) {
            node wrapped;
            wrapped.kind = op::compressed;
            wrapped.type = n.type;
            wrapped.shape = n.shape;
            wrapped.attributes = *forms[at];
            wrapped.where = n.where;
            const int weight[] = {stands[at]};
            reads[at] = result.append(wrapped, weight);
        }
    }
    for (const output_port& port : g.outputs) {
        result.add_output(reads[static_cast<std::size_t>(port.node)], g.name(port),
                          port.is_state() ? stands[static_cast<std::size_t>(port.state)] : -1);
    }
    if (renamed != nullptr) {
        *renamed = stands;
    }
    return result;
}

/// The store with other values for some weights.
ANEMONE_INLINE weight_store with_values(const weight_store& store,
                                        const std::vector<std::pair<std::string, const std::vector<half>*>>& values) {
    weight_store result;
    for (const stored_tensor& tensor : store) {
        const auto own =
            std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == tensor.name; });
        if (own == values.end()) {
            result.add(tensor);
        } else {
            result.add(tensor.name, tensor.shape, std::span<const half>(*own->second));
        }
    }
    result.set_metadata(store.metadata());
    return result;
}

ANEMONE_INLINE float element_as_float(dtype type, const std::byte* at) {
    const auto read = [at]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<float>(value);
    };
    switch (type) {
    case dtype::f16: {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, sizeof bits);
        return static_cast<float>(half::from_bits(bits));
    }
    case dtype::f32: return read(float{});
    case dtype::int8: return read(std::int8_t{});
    case dtype::int16: return read(std::int16_t{});
    case dtype::uint16: return read(std::uint16_t{});
    case dtype::int32: return read(std::int32_t{});
    case dtype::uint32: return read(std::uint32_t{});
    case dtype::int64: return read(std::int64_t{});
    case dtype::uint64: return read(std::uint64_t{});
    default: return read(std::uint8_t{});
    }
}

/// |a - b| / |b|
ANEMONE_INLINE double relative_distance(std::span<const half> a, std::span<const half> b) {
    double moved = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto w = static_cast<double>(b[i]);
        const double d = static_cast<double>(a[i]) - w;
        moved += d * d;
        size += w * w;
    }
    return moved == 0 ? 0 : std::sqrt(moved / size);
}

/// The blocks of a form as a weight can have them: of the largest size that divides its rows, not above the wanted one.
ANEMONE_INLINE compression fitted(compression form, const extents& shape) {
    const std::int64_t row = shape.rank > 0 && shape[0] > 0 ? shape.count() / shape[0] : 0;
    while (form.block > 1 && row % form.block != 0) {
        --form.block;
    }
    return form;
}

/// What compression looks for, with everything that it knows so far.
class compression_search {
public:
    ANEMONE_INLINE compression_search(const graph_view& g, const weight_store& weights, const target_description& t,
                                      const model_samples& samples, const compression_options& options)
        : graph_(g), store_(weights), target_(t), samples_(samples), options_(options),
          place_(options.place != nullptr ? *options.place : backend::any(backend::cpu{})), goal_(options.goal) {
        bool has_states = false;
        for (const output_port& port : g.outputs) {
            has_states = has_states || port.is_state();
        }
        const bool split = options.calibration == nullptr && !has_states && samples.size() > 1;
        for (std::size_t run = 0; run < samples.size(); ++run) {
            const auto inputs = samples.inputs(run);
            if (!split || run % 2 == 1) {
                gate_.add(inputs);
            }
            if (options.calibration == nullptr && (!split || run % 2 == 0)) {
                calibration_.add(inputs);
            }
        }
        for (std::size_t run = 0; options.calibration != nullptr && run < options.calibration->size(); ++run) {
            calibration_.add(options.calibration->inputs(run));
        }
    }

    ANEMONE_INLINE compression_plan run() && {
        check_arguments();
        plan_.target = std::string(target_.runtime);
        plan_.goal = goal_;
        plan_.most_loss = options_.most_loss;
        for (const violation& v : violations(graph_, target_)) {
            broken_.emplace(v.rule, v.node);
        }
        find_weights();
        reference_ = results_of(graph_, store_);
        plan_.before = measured("fp16", std::vector<std::size_t>(plan_.weights.size(), 0));
        const double loss = plan_.before.loss;
        if (!(loss <= options_.most_loss)) {
            throw error(
                errc::argument, "compression",
                formatted("the loss of the uncompressed model is {}, the limit is {}", loss, options_.most_loss));
        }
        take_moments();
        for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
            find_candidates(w);
        }
        moments_.clear();
        descend();
        measure_uniform();
        for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
            plan_.weights[w].chosen = plan_.after.chosen[w];
        }
        plan_.model = with_forms(graph_, forms_by_node(graph_.nodes.size()));
        plan_.store = store_;
        return std::move(plan_);
    }

private:
    ANEMONE_INLINE void check_arguments() {
        validate(graph_);
        verify_weights(graph_, store_);
        if (samples_.empty()) {
            throw error(errc::argument, "samples", "there are none: at least 1 run tells what compression costs");
        }
        if (!(options_.most_loss >= 0) || !std::isfinite(options_.most_loss)) {
            throw error(errc::argument, "most_loss",
                        formatted("is {}, the limit is a finite number from 0 on", options_.most_loss));
        }
        std::set<std::string_view> seen;
        for (const required_form& r : options_.required) {
            if (!seen.insert(r.weight).second) {
                throw error(errc::argument, r.weight, "has 2 required forms, the limit is 1");
            }
            if (graph_.find(op::weight, r.weight) < 0) {
                throw error(errc::argument, r.weight, "has a required form, but is no weight of the model");
            }
        }
        base_seconds_ = seconds_of(graph_);
        if (goal_ == compression_goal::time && !base_seconds_) {
            throw error(errc::argument, "goal",
                        formatted("is time, and the rates of {} are not known: choose by size", target_.runtime));
        }
    }

    ANEMONE_INLINE std::optional<double> seconds_of(const graph_view& g) const {
        return estimate(lower(g).graph, target_).seconds;
    }

    ANEMONE_INLINE model_results results_of(const graph_view& g, const weight_store& store) {
        ++plan_.runs;
        return run_samples(g, store, gate_, place_);
    }

    static std::int64_t dense_bytes(const extents& shape) { return 2 * shape.count(); }

    /// Those that every reader takes as a weight, and what the others take.
    ANEMONE_INLINE void find_weights() {
        for (const wanted_weight& w : weights_of(graph_)) {
            const bool read_as_weight =
                !w.readers.empty() && std::all_of(w.readers.begin(), w.readers.end(), [&](int reader) {
                    const auto operands = graph_.operands(reader);
                    const auto count = std::count(operands.begin(), operands.end(), w.node);
                    return count == 1 && operands.size() > 1 && operands[1] == w.node &&
                           is_contraction(graph_[reader].kind);
                });
            const bool is_output = std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                                               [&](const output_port& port) { return port.node == w.node; });
            const auto required = requirement_of(w.name);
            if (w.is_compressed || is_output || !read_as_weight || graph_[w.node].type != dtype::f16) {
                if (required && required->form) {
                    throw error(errc::argument, std::string(w.name),
                                w.is_compressed
                                    ? formatted("has a required form, but is stored as {} by the model itself",
                                                form_text(w.form))
                                    : std::string("has a required form, but not every operation that reads it is a "
                                                  "convolution or product that takes it as its second operand"));
                }
                plan_.other_bytes +=
                    w.is_compressed
                        ? static_cast<std::int64_t>(
                              encode_weight(verified_weight(graph_, w.node, store_), w.shape, w.form).bytes())
                        : dense_bytes(w.shape);
                continue;
            }
            weight_choice choice;
            choice.name = std::string(w.name);
            choice.shape = w.shape;
            stored_candidate plain;
            plain.bytes = dense_bytes(w.shape);
            plain.layer_error = 0;
            choice.candidates.push_back(plain);
            plan_.weights.push_back(choice);
            nodes_.push_back(w.node);
            readers_.push_back(w.readers);
        }
    }

    ANEMONE_INLINE const required_form* requirement_of(std::string_view weight) const {
        for (const required_form& r : options_.required) {
            if (r.weight == weight) {
                return &r;
            }
        }
        return nullptr;
    }

    /// Runs the calibration data once and sums what every weight meets.
    ANEMONE_INLINE void take_moments() {
        moments_.resize(plan_.weights.size());
        layouts_.resize(plan_.weights.size());
        bases_.resize(plan_.weights.size());
        bool any = false;
        for (std::size_t w = 0; options_.error_feedback && w < plan_.weights.size(); ++w) {
            if (readers_[w].size() != 1) {
                continue;
            }
            layouts_[w] = matrix_of(graph_, readers_[w][0]);
            if (layouts_[w].known() && layouts_[w].columns <= options_.most_feedback_columns) {
                moments_[w] = no_moments(layouts_[w]);
                any = true;
            }
        }
        if (!any) {
            return;
        }
        calibration<backend::any> observed(place_, graph_, store_);
        for (std::size_t run = 0; run < calibration_.size(); ++run) {
            const auto inputs = calibration_.inputs(run);
            observed.run(inputs);
            for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
                if (!moments_[w].known()) {
                    continue;
                }
                const int reader = readers_[w][0];
                const int from = graph_.operands(reader)[0];
                std::vector<half> own;
                std::span<const half> values = observed.values(from);
                if (const int port = input_port(from); port >= 0 && graph_[from].type == dtype::f16) {
                    own.resize(inputs[static_cast<std::size_t>(port)].size() / sizeof(half));
                    std::memcpy(own.data(), inputs[static_cast<std::size_t>(port)].data(), own.size() * sizeof(half));
                    values = own;
                }
                add_moments(moments_[w], graph_, reader, values);
            }
        }
        ++plan_.runs;
        for (moments& m : moments_) {
            if (m.known()) {
                complete(m);
            }
        }
    }
    ANEMONE_INLINE int input_port(int node) const {
        int position = 0;
        for (int i = 0; i < graph_.size(); ++i) {
            if (ane::detail::is_bound(graph_, i)) {
                if (i == node) {
                    return position;
                }
                ++position;
            }
        }
        return -1;
    }

    ANEMONE_INLINE std::string refusal(std::size_t w, const compression& form) {
        const int weight = nodes_[w];
        const extents& shape = plan_.weights[w].shape;
        if (const inferred r = shape_rule(form, shape); !r.ok()) {
            return formatted("{} (got {}, limit {})", sentence(r.broken), r.got, r.want);
        }
        if (form.block == 1) {
            return formatted("blocks of 1 element: no larger size divides rows of {}", shape.count() / shape[0]);
        }
        forms_by_node forms(graph_.nodes.size());
        forms[static_cast<std::size_t>(weight)] = form;
        std::vector<int> renamed;
        const dynamic_graph trial = with_forms(graph_, forms, &renamed);
        for (const violation& v : violations(trial, target_)) {
            const auto old = std::find(renamed.begin(), renamed.end(), v.node);
            const bool known =
                old != renamed.end() && broken_.contains({v.rule, static_cast<int>(old - renamed.begin())});
            if (v.is_error && !known) {
                return formatted("{} on {} [{}]", ane::detail::sentence_of(v), ane::detail::target_phrase(target_),
                                 record_of(v.rule).fact);
            }
        }
        if (options_.file == weight_file::netplist) {
            return formatted("a netplist holds weights of 16 bits alone, not of {}", form.bits);
        }
        if (options_.file == weight_file::any) {
            return {};
        }
        const bool every = options_.file == weight_file::mil_every_form;
        const lowered_graph lowered = lower(trial);
        const graph_view lowered_view = lowered.graph;
        const std::vector<formats::stored_place> places = formats::stored_in_mil(lowered_view, every);
        for (int i = 0; i < lowered_view.size(); ++i) {
            if (lowered_view[i].kind != op::compressed ||
                lowered_view.name(lowered_view.operands(i)[0]) != plan_.weights[w].name) {
                continue;
            }
            if (places[static_cast<std::size_t>(i)] != formats::stored_place::nowhere) {
                return {};
            }
            if (every) {
                return formatted("MIL has no form for {} of {}", form_text(form), print(shape));
            }
            return formats::was_run_as_a_weight(form)
                       ? std::string(
                             "MIL text holds it as fp16: it is not read by convolutions and as the right operand "
                             "of products alone, where a source has run stored forms")
                       : std::string("MIL text holds it as fp16: no source has run it; mil_options::every_stored_form "
                                     "writes it");
        }
        return "the weight is folded into others before it is written";
    }

    /// Whether a form's bytes cross the memory as stored, where this weight is read.
    ANEMONE_INLINE bool streams(std::size_t w, const compression& form) const {
        forms_by_node forms(graph_.nodes.size());
        forms[static_cast<std::size_t>(nodes_[w])] = form;
        const lowered_graph lowered = lower(with_forms(graph_, forms));
        const graph_view g = lowered.graph;
        for (int i = 0; i < g.size(); ++i) {
            const kernel_use use = kernel_use_of(g, i, target_);
            if (use.any() && use.streamed && g.operand(g[i], 1).kind == op::compressed &&
                g.name(g.operands(g.operands(g[i])[1])[0]) == plan_.weights[w].name) {
                return true;
            }
        }
        return false;
    }

    ANEMONE_INLINE double layer_error(std::size_t w, std::span<const half> exact, std::span<const half> stored) const {
        if (!moments_[w].known()) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        std::vector<double> whole;
        std::vector<double> lost;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            whole.push_back(static_cast<double>(exact[i]));
            lost.push_back(static_cast<double>(stored[i]) - static_cast<double>(exact[i]));
        }
        const std::int64_t stride = (layouts_[w].rows + most_judged_rows - 1) / most_judged_rows;
        const double size = output_energy(moments_[w], layouts_[w], whole, stride);
        const double moved = output_energy(moments_[w], layouts_[w], lost, stride);
        return moved == 0 ? 0 : size > 0 ? std::sqrt(moved / size) : std::numeric_limits<double>::infinity();
    }

    ANEMONE_INLINE void set_values(std::size_t w, std::span<const half> exact, std::vector<half> values,
                                   stored_candidate& to) const {
        const std::vector<half> stored = stored_values(values, plan_.weights[w].shape, *to.form);
        to.weight_error = relative_distance(stored, exact);
        to.layer_error = layer_error(w, exact, stored);
        to.values = std::move(values);
    }

    /// Rounds a weight to the nearest values that a form has.
    ANEMONE_INLINE void round_to_nearest(std::size_t w, std::span<const half> exact, stored_candidate& to) const {
        set_values(w, exact, std::vector<half>(exact.begin(), exact.end()), to);
        if (has_optimal_table(*to.form) && to.weight_error > 0) {
            stored_candidate other = to;
            set_values(w, exact, nearest_entries(exact, optimal_table(exact, to.form->bits)), other);
            if (other.weight_error < to.weight_error) {
                to = std::move(other);
            }
        }
    }
    static bool has_optimal_table(const compression& form) {
        return form.form == weight_form::palette && form.vector == 1 && form.bits <= most_optimal_bits;
    }

    /// The same weight in the same form, rounded with error feedback, if that can be.
    ANEMONE_INLINE std::optional<stored_candidate> fed_back(std::size_t w, std::span<const half> exact,
                                                            const stored_candidate& nearest) {
        if (!moments_[w].known() || nearest.weight_error == 0 || !options_.error_feedback) {
            return std::nullopt;
        }
        if (!bases_[w].known()) {
            bases_[w] = feedback_basis_of(moments_[w]);
        }
        std::vector<half> table;
        if (has_optimal_table(*nearest.form)) {
            table = optimal_table(exact, nearest.form->bits);
        }
        auto values = with_error_feedback(exact, plan_.weights[w].shape, *nearest.form, layouts_[w], bases_[w], table);
        if (!values) {
            return std::nullopt;
        }
        stored_candidate result = nearest;
        set_values(w, exact, std::move(*values), result);
        result.fed_back = true;
        return result;
    }

    ANEMONE_INLINE void find_candidates(std::size_t w) {
        weight_choice& choice = plan_.weights[w];
        const std::vector<half> exact = verified_weight(graph_, nodes_[w], store_);
        const required_form* const required = requirement_of(choice.name);
        std::vector<compression> forms = options_.forms.empty() ? usual_forms() : options_.forms;
        if (required != nullptr) {
            forms.clear();
            if (required->form) {
                forms.push_back(*required->form);
            }
        }
        std::int64_t zeros = 0;
        for (const half h : exact) {
            zeros += static_cast<double>(h) == 0 ? 1 : 0;
        }
        const double share = static_cast<double>(zeros) / static_cast<double>(std::max<std::size_t>(exact.size(), 1));
        for (const compression& wanted : forms) {
            compression form = required != nullptr ? wanted : fitted(wanted, choice.shape);
            const bool masked = form.form == weight_form::sparse || form.form == weight_form::sparse_palette ||
                                form.form == weight_form::sparse_blockwise;
            form.zeros = masked ? static_cast<float>(share) : 0;
            if (form.form == weight_form::sparse) {
                form.bits = 16;
            }
            stored_candidate c;
            c.form = form;
            c.refused = refusal(w, form);
            if (!c.refused.empty()) {
                if (required != nullptr) {
                    throw error(errc::argument, choice.name,
                                formatted("cannot be stored as {}: {}", form_text(form), c.refused));
                }
                c.form = wanted;
                choice.candidates.push_back(std::move(c));
                continue;
            }
            c.streams = streams(w, form);
            round_to_nearest(w, exact, c);
            c.bytes = static_cast<std::int64_t>(encode_weight(c.values, choice.shape, form).bytes());
            if (masked && share < least_zeros && required == nullptr) {
                c.passed_over =
                    formatted("{:.0f} % of it are zeros, a mask pays from {:.0f} % on", 100 * share, 100 * least_zeros);
            } else if (c.bytes >= choice.candidates[0].bytes && required == nullptr) {
                c.passed_over = formatted("takes {} bytes, fp16 takes {}", c.bytes, choice.candidates[0].bytes);
            }
            choice.candidates.push_back(std::move(c));
            const std::size_t position = choice.candidates.size() - 1;
            if (choice.candidates[position].usable()) {
                try_alone(w, position, exact);
            }
        }
        bases_[w] = {};
        if (required != nullptr) {
            start_.resize(plan_.weights.size(), 0);
            start_[w] = required->form ? 1 : 0;
            fixed_.insert(w);
        }
    }

    ANEMONE_INLINE void try_alone(std::size_t w, std::size_t position, std::span<const half> exact) {
        std::vector<std::size_t> chosen(plan_.weights.size(), 0);
        chosen[w] = position;
        const dynamic_graph trial = graph_of(chosen);
        stored_candidate& c = plan_.weights[w].candidates[position];
        if (base_seconds_) {
            c.saved_seconds = *base_seconds_ - *seconds_of(trial);
        }
        if (goal_ == compression_goal::time && !(*c.saved_seconds > 1e-9 * *base_seconds_) &&
            requirement_of(plan_.weights[w].name) == nullptr) {
            c.passed_over = c.streams
                                ? formatted("saves no time on {}: its layer does not wait for it", target_.runtime)
                                : formatted("is expanded to fp16 before it runs on {}: saves no time", target_.runtime);
            return;
        }
        c.nearest_error = c.output_error = relative_error(reference_, results_of(trial, store_of(chosen)));
        if (std::optional<stored_candidate> fed = fed_back(w, exact, c)) {
            std::swap(c, *fed);
            c.output_error = relative_error(reference_, results_of(trial, store_of(chosen)));
            if (!(c.output_error < c.nearest_error)) {
                std::swap(c, *fed);
            }
        }
    }

    ANEMONE_INLINE dynamic_graph graph_of(const std::vector<std::size_t>& chosen) const {
        forms_by_node forms(graph_.nodes.size());
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            forms[static_cast<std::size_t>(nodes_[w])] = plan_.weights[w].candidates[chosen[w]].form;
        }
        return with_forms(graph_, forms);
    }
    ANEMONE_INLINE weight_store store_of(const std::vector<std::size_t>& chosen) const {
        std::vector<std::pair<std::string, const std::vector<half>*>> values;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            if (chosen[w] > 0) {
                values.emplace_back(plan_.weights[w].name, &plan_.weights[w].candidates[chosen[w]].values);
            }
        }
        return with_values(store_, values);
    }

    /// Runs the model in these forms.
    ANEMONE_INLINE compression_point measured(std::string label, const std::vector<std::size_t>& chosen) {
        compression_point point;
        point.label = std::move(label);
        point.chosen = chosen;
        point.bytes = plan_.other_bytes;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            point.bytes += plan_.weights[w].candidates[chosen[w]].bytes;
        }
        const dynamic_graph trial = graph_of(chosen);
        point.seconds = seconds_of(trial);
        const bool same = std::all_of(chosen.begin(), chosen.end(), [](std::size_t c) { return c == 0; });
        const model_results results = same ? reference_ : results_of(trial, store_of(chosen));
        point.output_error = relative_error(reference_, results);
        point.loss = options_.loss.is_relative_error() ? point.output_error : options_.loss(reference_, results);
        return point;
    }

    bool passes(const compression_point& point) const { return point.loss <= options_.most_loss; } // not NaN

    double cost(std::size_t w, std::size_t c) const {
        const stored_candidate& candidate = plan_.weights[w].candidates[c];
        return goal_ == compression_goal::size ? static_cast<double>(candidate.bytes)
                                               : -candidate.saved_seconds.value_or(0);
    }
    double squared_error(std::size_t w, std::size_t c) const {
        const double e = plan_.weights[w].candidates[c].output_error;
        return e * e;
    }

    struct move {
        std::size_t weight = 0;
        std::size_t candidate = 0;
        double gain = 0; ///< cost saved for each squared error
    };
    /// What could come next, the best first; equal ones in the order of the weights.
    ANEMONE_INLINE std::vector<move> moves_from(const std::vector<std::size_t>& chosen) const {
        std::vector<move> moves;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            const auto& candidates = plan_.weights[w].candidates;
            for (std::size_t c = 1; c < candidates.size() && !fixed_.contains(w); ++c) {
                const double saved = cost(w, chosen[w]) - cost(w, c);
                if (candidates[c].usable() && saved > 0 && std::isfinite(candidates[c].output_error)) {
                    const double more = squared_error(w, c) - squared_error(w, chosen[w]);
                    moves.push_back({w, c, saved / std::max(more, 1e-30)});
                }
            }
        }
        std::stable_sort(moves.begin(), moves.end(), [](const move& a, const move& b) { return a.gain > b.gain; });
        return moves;
    }

    ANEMONE_INLINE double cost_of(const std::vector<std::size_t>& chosen) const {
        double total = 0;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            total += cost(w, chosen[w]);
        }
        return total;
    }
    ANEMONE_INLINE std::string label_of(const move& m) const {
        return formatted("{}: {}", plan_.weights[m.weight].name,
                         form_text(*plan_.weights[m.weight].candidates[m.candidate].form));
    }

    ANEMONE_INLINE void descend() {
        start_.resize(plan_.weights.size(), 0);
        compression_point at = plan_.before;
        if (start_ != plan_.before.chosen) {
            at = measured("required forms", start_);
            if (!passes(at)) {
                throw error(errc::argument, "required forms",
                            formatted("the loss is {}, the limit is {}", at.loss, options_.most_loss));
            }
        }
        plan_.path.push_back(plan_.before);
        if (at.chosen != plan_.before.chosen) {
            plan_.path.push_back(at);
        }
        plan_.after = at;
        for (auto moves = moves_from(at.chosen); !moves.empty(); moves = moves_from(at.chosen)) {
            std::vector<std::size_t> chosen = at.chosen;
            chosen[moves[0].weight] = moves[0].candidate;
            at = measured(label_of(moves[0]), chosen);
            plan_.path.push_back(at);
            if (passes(at)) {
                plan_.after = at; // each step costs less than the one before
            }
        }
        // What else the gate leaves room for, one change at a time, the best first.
        std::set<std::pair<std::size_t, std::size_t>> failed;
        for (bool changed = true; changed;) {
            changed = false;
            for (const move& m : moves_from(plan_.after.chosen)) {
                if (failed.contains({m.weight, m.candidate})) {
                    continue;
                }
                std::vector<std::size_t> chosen = plan_.after.chosen;
                chosen[m.weight] = m.candidate;
                const compression_point tried = measured(label_of(m), chosen);
                if (passes(tried)) {
                    plan_.after = tried;
                    changed = true;
                    break;
                }
                failed.emplace(m.weight, m.candidate);
            }
        }
        plan_.after.label = "plan";
    }

    ANEMONE_INLINE void measure_uniform() {
        std::vector<compression> forms;
        for (const weight_choice& w : plan_.weights) {
            for (const stored_candidate& c : w.candidates) {
                if (!c.form || !c.usable()) {
                    continue;
                }
                const std::size_t position = position_of(forms, *c.form);
                if (position == forms.size()) {
                    forms.push_back(*c.form);
                }
                forms[position].block = std::max(forms[position].block, c.form->block); // the label's
            }
        }
        for (const compression& form : forms) {
            std::vector<std::size_t> chosen = start_;
            for (std::size_t w = 0; w < chosen.size(); ++w) {
                const auto& candidates = plan_.weights[w].candidates;
                for (std::size_t c = 1; c < candidates.size() && !fixed_.contains(w); ++c) {
                    if (candidates[c].usable() && same_kind(*candidates[c].form, form)) {
                        chosen[w] = c;
                        break;
                    }
                }
            }
            plan_.uniform.push_back(measured(form_text(form), chosen));
        }
    }
    /// Whether two forms differ in nothing but what the weight decides.
    static bool same_kind(const compression& a, const compression& b) {
        return a.form == b.form && a.bits == b.bits && a.vector == b.vector && a.zero_point == b.zero_point &&
               (a.block > 0) == (b.block > 0);
    }
    static std::size_t position_of(const std::vector<compression>& forms, const compression& form) {
        std::size_t i = 0;
        while (i < forms.size() && !same_kind(forms[i], form)) {
            ++i;
        }
        return i;
    }

    static constexpr double least_zeros = 0.5;            ///< R142
    static constexpr std::int64_t most_judged_rows = 128; ///< of a layer, for the error of its sums
    static constexpr int most_optimal_bits = 6;           ///< beyond, the steps and the memory outgrow what is won

    const graph_view graph_;
    const weight_store& store_;
    const target_description& target_;
    const model_samples& samples_;
    model_samples calibration_;
    model_samples gate_;
    const compression_options& options_;
    backend::any place_;
    compression_goal goal_;
    compression_plan plan_;
    std::set<std::pair<rule, int>> broken_; ///< by the model as it is
    std::vector<int> nodes_;                ///< of the weights of the plan, and what reads them
    std::vector<std::vector<int>> readers_;
    std::vector<weight_matrix> layouts_;
    std::vector<moments> moments_;
    std::vector<feedback_basis> bases_;
    model_results reference_;
    std::optional<double> base_seconds_;
    std::vector<std::size_t> start_; ///< fp16, or what is required
    std::set<std::size_t> fixed_;    ///< weights that the caller decided on
};

} // namespace ane::compress::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<compression> usual_forms() {
    return {affine_int8,      blockwise<32>, palette<8>, palette<6>,    palette<4>,
            blockwise<32, 4>, palette<3>,    palette<2>, palette<4, 2>, sparse};
}

ANEMONE_BODY model_results run_samples(const graph_view& g, const weight_store& weights, const model_samples& samples,
                                       const backend::any& place) {
    any_program program = place.compile(g, weights);
    std::vector<std::vector<std::byte>> memory;
    std::vector<int> nodes;
    for (const output_port& port : g.outputs) {
        if (!port.is_state()) {
            const node& n = g[port.node];
            memory.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
            nodes.push_back(port.node);
        }
    }
    const std::vector<std::span<std::byte>> outputs(memory.begin(), memory.end());
    model_results results;
    for (std::size_t run = 0; run < samples.size(); ++run) {
        program.run(samples.inputs(run), outputs);
        std::vector<std::vector<float>>& ports = results.emplace_back();
        for (std::size_t port = 0; port < memory.size(); ++port) {
            const node& n = g[nodes[port]];
            const auto size = static_cast<std::size_t>(bytes(n.type, 1));
            std::vector<float>& values = ports.emplace_back();
            for (std::size_t at = 0; at + size <= memory[port].size(); at += size) {
                values.push_back(compress::element_as_float(n.type, memory[port].data() + at));
            }
        }
    }
    return results;
}

ANEMONE_BODY compression_plan choose_compression(const graph_view& g, const weight_store& weights,
                                                 const target_description& t, const model_samples& samples,
                                                 const compression_options& options) {
    return compress::compression_search(g, weights, t, samples, options).run();
}

ANEMONE_BODY compression_plan choose_compression(const graph_view& g, const weight_store& weights, target t,
                                                 const model_samples& samples, const compression_options& options) {
    return choose_compression(g, weights, describe(t), samples, options);
}

ANEMONE_BODY compressed_model apply(const compression_plan& plan) {
    const graph_view g = plan.model;
    compress::forms_by_node forms(g.nodes.size());
    std::vector<std::pair<std::string, const std::vector<half>*>> values;
    for (const weight_choice& w : plan.weights) {
        if (w.chosen >= w.candidates.size()) {
            throw error(errc::argument, w.name,
                        formatted("candidate {} is chosen, there are {}", w.chosen, w.candidates.size()));
        }
        const stored_candidate& c = w.form();
        if (!c.refused.empty()) {
            throw error(errc::argument, w.name,
                        formatted("cannot be stored as {}: {}", compress::form_text(*c.form), c.refused));
        }
        const int node = g.find(op::weight, w.name);
        if (node < 0) {
            throw error(errc::argument, w.name, "is no weight of the plan's model");
        }
        if (c.form) {
            forms[static_cast<std::size_t>(node)] = c.form;
            values.emplace_back(w.name, &c.values);
        }
    }
    return {compress::with_forms(g, forms), compress::with_values(plan.store, values)};
}

} // namespace ane::inline ANEMONE_WAY
