#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_wide_diff_hpp);

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../backend/ports.hpp"
#include "../backend/wide/wide.hpp"
#include "../base/formatted.hpp"
#include "../passes/validate.hpp"
#include "../weights/verify.hpp"
#include "wide_cause.hpp"
#include "wide_diff.hpp"
#include "wide_walk.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Values of weights in double precision that are kept between samples, at most.
inline constexpr std::int64_t most_kept_bytes = std::int64_t{1} << 30;

/// What the constants of a model take in double precision.
ANEMONE_INLINE std::int64_t constant_bytes(const graph_view& g) {
    std::int64_t total = 0;
    for (const node& n : g.nodes) {
        total += n.kind == op::weight || n.kind == op::constant || n.kind == op::compressed ? 8 * n.shape.count() : 0;
    }
    return total;
}

ANEMONE_INLINE void require_comparison(const graph_view& model, const model_samples& samples,
                                       const wide_diff_options& options) {
    if (samples.empty()) {
        throw error(errc::argument, "diff", "no samples were given");
    }
    if (!(options.bound.relative >= 0) || std::isnan(options.bound.absolute)) {
        throw error(errc::argument, "diff",
                    formatted("the bounds, relative {} and absolute {}, must be finite and not negative",
                              options.bound.relative, options.bound.absolute));
    }
    for (const int node : options.on_host) {
        if (node < 0 || node >= model.size()) {
            throw error(errc::argument, "diff", formatted("node {} is not among {}", node, model.size()));
        }
    }
}

/// The comparison of a model, sample by sample.
template <class Layers> class wide_comparison {
public:
    wide_comparison(const graph_view& model, const weight_store& weights, Layers& layers, int threads,
                    const wide_diff_options& options, bool keeps_constants)
        : model_(model), layers_(layers), options_(options),
          walk_(model, weights, layers, threads, keeps_constants, options), positions_(model.nodes.size(), -1),
          beyond_(model.nodes.size(), 0) {
        result_.judged = layers.name();
        result_.bound = options.bound;
        for (int i = 0; i < model.size(); ++i) {
            if (walk_.has_value(i)) {
                positions_[static_cast<std::size_t>(i)] = static_cast<int>(result_.layers.size());
                layer_error& layer = result_.layers.emplace_back();
                layer.node = i;
            }
        }
        for (const output_port& port : model.outputs) {
            if (!port.is_state()) {
                result_.outputs.push_back(positions_[static_cast<std::size_t>(port.node)]);
            }
        }
    }

    void add(input_buffers inputs) {
        std::fill(beyond_.begin(), beyond_.end(), 0);
        walk_.begin(inputs);
        double worst_layer = 0;
        double worst_output = 0;
        for (int i = 0; i < model_.size(); ++i) {
            walk_.compute(i);
            const int position = positions_[static_cast<std::size_t>(i)];
            if (position >= 0) {
                const double excess = judge(result_.layers[static_cast<std::size_t>(position)]);
                worst_layer = std::max(worst_layer, excess);
                const bool returned =
                    std::find(result_.outputs.begin(), result_.outputs.end(), position) != result_.outputs.end();
                worst_output = returned ? std::max(worst_output, excess) : worst_output;
            }
            walk_.release_after(i);
        }
        walk_.end();
        result_.affected += worst_output > 1 ? 1 : 0;
        result_.broken += worst_layer > 1 ? 1 : 0;
        if (result_.samples == 0 || std::pair(worst_output, worst_layer) > worst_) {
            worst_ = {worst_output, worst_layer};
            result_.worst_sample = result_.samples;
        }
        ++result_.samples;
    }

    wide_difference result() && {
        for (std::size_t i = 0; i < result_.layers.size() && result_.first < 0; ++i) {
            result_.first = result_.layers[i].is_beyond() ? static_cast<int>(i) : -1;
        }
        result_.work = walk_.work;
        return std::move(result_);
    }

private:
    /// Compares a layer of the sample that runs; by how much it is beyond the bound.
    double judge(layer_error& layer) {
        const int node = layer.node;
        const numbers_view exact = walk_.expected(node);
        const value_sizes sizes = sizes_of(exact);
        const wide_error whole = error_of(exact, walk_.got(node), sizes, options_.bound);
        beyond_[static_cast<std::size_t>(node)] = whole.beyond > 0 ? 1 : 0;
        layer.samples += whole.beyond > 0 ? 1 : 0;
        if (result_.samples == 0 || whole.excess > layer.whole.excess) {
            layer.whole = whole;
            layer.worst_sample = result_.samples;
        }
        layer.fits = layer.fits && fits(node, sizes);
        layer.largest = std::max(layer.largest, sizes.largest);
        const bool arises = whole.beyond > 0 && !reads_what_is_beyond(node);
        if (!walk_.is_on_host(node) && (options_.every_layer_alone || arises)) {
            judge_alone(layer, arises);
        }
        return whole.excess;
    }

    void judge_alone(layer_error& layer, bool arises) {
        const std::vector<std::byte> got = walk_.alone(layer.node);
        const wide_error alone = error_of(walk_.expected(layer.node), {model_[layer.node].type, got}, options_.bound);
        const bool is_beyond = alone.beyond > 0;
        const difference_cause cause =
            is_beyond ? cause_of_layer(model_, layer.node, walk_, layers_, got, alone, options_.bound)
                      : difference_cause::none;
        const bool is_own = cause != difference_cause::none;
        if (arises && is_own) {
            ++layer.sources;
            keep_part(layer.node);
        }
        // A sample in which the layer is to blame tells more than one in which its operands are.
        const bool is_worse = is_own == layer.is_source() ? alone.excess > layer.alone.excess : is_own;
        if (layer.alone.count == 0 || is_worse) {
            layer.alone = alone;
            layer.cause = cause;
        }
    }

    bool fits(int node, const value_sizes& sizes) const {
        if (model_[node].type != dtype::f16) {
            return true;
        }
        const error_bound of_fp16{.relative = std::max(options_.bound.relative, 0x1p-10)}; // its digits are no fault
        constexpr double most_of_fp16 = 65504;
        if (sizes.is_finite && sizes.largest <= most_of_fp16 && absolute_bound(sizes, of_fp16) >= 0x1p-25) {
            return true; // rounded it is off by 2^-11 of itself, or by half the least number
        }
        return error_of(walk_.expected(node), {dtype::f16, walk_.rounded_operands().bytes(node)}, sizes, of_fp16)
                   .beyond == 0;
    }

    /// Keeps the nodes from here on as a model, unless one before it was kept.
    void keep_part(int node) {
        if (options_.part_nodes == 0 || (kept_from_ >= 0 && kept_from_ <= node)) {
            return;
        }
        kept_from_ = node;
        result_.part = walk_.part(node, std::min(model_.size(), node + options_.part_nodes));
    }

    /// Whether a value that a node reads, through nodes without a value of their own too, is beyond the bound.
    bool reads_what_is_beyond(int node) const {
        const auto operands = model_.operands(node);
        return std::any_of(operands.begin(), operands.end(), [this](int operand) {
            const bool passes = positions_[static_cast<std::size_t>(operand)] < 0 && !is_source(model_[operand].kind);
            return passes ? reads_what_is_beyond(operand) : beyond_[static_cast<std::size_t>(operand)] != 0;
        });
    }

    graph_view model_;
    Layers& layers_;
    const wide_diff_options& options_;
    wide_walk<Layers> walk_;
    std::vector<int> positions_; ///< by node, among the layers
    std::vector<char> beyond_;   ///< by node, in the sample that runs
    std::pair<double, double> worst_{0, 0};
    int kept_from_ = -1; ///< the first node of the part
    wide_difference result_;
};

template <class Layers, class Judged>
wide_difference wide_diff_with(const graph_view& model, const Judged& judged, const backend::wide& reference,
                               const weight_store& weights, const model_samples& samples,
                               const wide_diff_options& options) {
    require_comparison(validated(model), samples, options);
    verify_weight_names(model, weights); // their values when they are read
    const bool keeps = samples.size() > 1 && constant_bytes(model) <= most_kept_bytes;
    Layers layers(model, weights, judged, keeps);
    wide_comparison<Layers> comparison(model, weights, layers, reference.threads(), options, keeps);
    const port_table ports(model);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::vector<std::span<const std::byte>> inputs = samples.inputs(i);
        ports.check_inputs(inputs);
        comparison.add(inputs);
    }
    return std::move(comparison).result();
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF wide_difference diff(const graph_view& model, const backend::cpu& judged,
                                     const backend::wide& reference, const weight_store& weights,
                                     const model_samples& samples, const wide_diff_options& options) {
    return detail::wide_diff_with<detail::cpu_layers>(model, judged, reference, weights, samples, options);
}
ANEMONE_BODY_OF wide_difference diff(const graph_view& model, const backend::oracle& judged,
                                     const backend::wide& reference, const weight_store& weights,
                                     const model_samples& samples, const wide_diff_options& options) {
    return detail::wide_diff_with<detail::oracle_layers>(model, judged, reference, weights, samples, options);
}

} // namespace ane::inline ANEMONE_WAY
