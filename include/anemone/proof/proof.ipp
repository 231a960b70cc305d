#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_proof_proof_hpp);

#include "../backend/oracle/oracle.hpp"
#include "../backend/samples.hpp"
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

ANEMONE_INLINE output_difference difference_of(const model_results& first, const model_results& got) {
    output_difference d;
    const model_results want = mended(first, got, d.mended);
    d.relative = relative_error(want, got);
    for (std::size_t run = 0; run < want.size(); ++run) {
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            add_output(d, want[run][port], got[run][port]);
        }
    }
    return d;
}

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
        refuted = step.refuted;
        from = to;
        before = after.graph;
    }
    return proof;
}

} // namespace ane::inline ANEMONE_WAY
