#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_proof_proof_hpp);

#include "../backend/oracle/oracle.hpp"
#include "../backend/samples.hpp"
#include "../backend/wide/wide.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/validate.hpp"
#include "proof.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void require_equal(const char* what, std::size_t left, std::size_t right) {
    if (left != right) {
        throw error(errc::argument, "difference_between", formatted("{} of the models: {} and {}", what, left, right));
    }
}

/// What was wanted, with what is finite only in the other results as it is there.
ANEMONE_INLINE model_results mended(model_results want, const model_results& got, std::int64_t& count) {
    for (std::size_t run = 0; run < want.size(); ++run) {
        require_equal("outputs", want[run].size(), got[run].size());
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            std::vector<float>& values = want[run][port];
            require_equal("values of an output", values.size(), got[run][port].size());
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!std::isfinite(values[i]) && std::isfinite(got[run][port][i])) {
                    values[i] = got[run][port][i];
                    ++count;
                }
            }
        }
    }
    return want;
}

/// Adds one output of one run.
ANEMONE_INLINE void add_output(output_difference& d, const std::vector<float>& want, const std::vector<float>& got) {
    double size = 0;
    double moved = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const auto left = static_cast<double>(want[i]);
        size = std::isfinite(left) ? std::max(size, std::abs(left)) : size;
        if (std::bit_cast<std::uint32_t>(want[i]) != std::bit_cast<std::uint32_t>(got[i])) {
            ++d.differing;
            const double by = std::abs(left - static_cast<double>(got[i]));
            moved = std::isfinite(by) ? std::max(moved, by) : std::numeric_limits<double>::infinity();
        }
    }
    d.values += static_cast<std::int64_t>(want.size());
    d.largest = std::max(d.largest, moved == 0 ? 0 : size > 0 ? moved / size : std::numeric_limits<double>::infinity());
}

/// `relative_error` of one output alone. What is not finite in `want` is left out where it is not `counted`.
ANEMONE_INLINE double error_of_output(const model_results& want, const model_results& got, std::size_t port,
                                      bool counted = true) {
    model_results from(want.size());
    model_results to(want.size());
    for (std::size_t run = 0; run < want.size(); ++run) {
        from[run].push_back(want[run][port]);
        to[run].push_back(got[run][port]);
        for (std::size_t i = 0; !counted && i < from[run][0].size(); ++i) {
            if (!std::isfinite(from[run][0][i]) || !std::isfinite(to[run][0][i])) {
                from[run][0][i] = to[run][0][i] = 0;
            }
        }
    }
    return relative_error(from, to);
}

ANEMONE_INLINE output_difference difference_of(const model_results& first, const model_results& got) {
    output_difference d;
    const model_results want = mended(first, got, d.mended);
    for (std::size_t port = 0; !want.empty() && port < want[0].size(); ++port) {
        d.relative = std::max(d.relative, error_of_output(want, got, port));
    }
    for (std::size_t run = 0; run < want.size(); ++run) {
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            add_output(d, want[run][port], got[run][port]);
        }
    }
    return d;
}

/// What the bounds of steps rest on where the model has lost digits of its own: its outputs in double precision, which
/// are computed where a step asks for them.
class digits_of_outputs {
public:
    digits_of_outputs(const graph_view& model, const weight_store& weights, const model_samples& samples)
        : model_(model), weights_(weights), samples_(samples) {}

    /// Replaces difference and bound of a step by those of the output that is nearest to its bound, or beyond it most.
    ANEMONE_INLINE void bound(step_proof& s, const model_results& before, const model_results& after) {
        if (s.step.record().kept == rewrite_exactness::bits || !(s.difference.relative > s.most_relative)) {
            return;
        }
        if (exact_.empty()) {
            exact_ = run_samples(model_, weights_, samples_, backend::any(backend::wide{}));
        }
        std::int64_t finite_after = 0;
        const model_results want = mended(before, after, finite_after);
        double beyond = -1;
        const double asked = s.most_relative;
        for (std::size_t port = 0; port < want[0].size(); ++port) {
            const double own = step_proof::own_errors * error_of_output(exact_, before, port, false);
            const double allowed =
                own > step_proof::few_roundings ? std::max(asked, std::min(own, step_proof::least_digits)) : asked;
            const double relative = error_of_output(want, after, port);
            if (relative > beyond * allowed) {
                beyond = relative / allowed;
                s.most_relative = allowed;
                s.difference.relative = relative;
            }
        }
    }

private:
    const graph_view& model_;
    const weight_store& weights_;
    const model_samples& samples_;
    model_results exact_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF output_difference difference_between(const graph_view& a, const graph_view& b,
                                                     const weight_store& weights, const model_samples& samples,
                                                     const backend::any& place) {
    return detail::difference_of(run_samples(a, weights, samples, place), run_samples(b, weights, samples, place));
}

ANEMONE_BODY_OF bool rewrite_proof::holds() const {
    bool bits = true;
    for (const step_proof& s : steps) {
        bits = bits && s.step.record().kept == rewrite_exactness::bits;
    }
    return std::all_of(steps.begin(), steps.end(), [](const step_proof& s) { return s.holds(); }) &&
           (!bits || whole.differing == 0) && (!steps.empty() || whole.mended == 0);
}

ANEMONE_BODY_OF rewrite_proof prove(const graph_view& model, const optimized& found, const weight_store& weights,
                                    target t, const proof_options& options) {
    validate(model);
    validate(found.graph);
    const backend::any place = options.place != nullptr ? *options.place : backend::any(backend::oracle{t});
    const model_samples samples =
        options.samples != nullptr ? *options.samples : random_samples(model, options.runs, options.seed);
    const model_results first = run_samples(model, weights, samples, place);
    const model_results last = run_samples(found.graph, weights, samples, place);
    rewrite_proof proof;
    proof.whole = detail::difference_of(first, last);
    dynamic_graph before = prune(model);
    model_results from = first;
    detail::digits_of_outputs digits(model, weights, samples);
    int refuted = found.refuted_before;
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
        const rewrite_step& step = found.steps[i];
        if (step.rewrite < 0 || step.rewrite >= static_cast<int>(std::size(rewrite_table))) {
            throw error(errc::argument, formatted("step {}", i),
                        formatted("is rewrite {}, there are {}", step.rewrite, std::size(rewrite_table)));
        }
        const rewritten after = step.record().apply(before, describe(t));
        if (after.places != step.places) {
            throw error(
                errc::argument, step.record().id,
                formatted("applies at {} places of this model, at {} in the search", after.places, step.places));
        }
        const model_results to = i + 1 == found.steps.size() ? last : run_samples(after.graph, weights, samples, place);
        proof.steps.push_back({step, detail::difference_of(from, to), options.most_relative, step.refuted < refuted});
        digits.bound(proof.steps.back(), from, to);
        refuted = step.refuted;
        from = to;
        before = after.graph;
    }
    return proof;
}

} // namespace ane::inline ANEMONE_WAY
