#pragma once

#include "../backend/oracle/oracle.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/validate.hpp"
#include "proof.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY output_difference difference_between(const graph_view& a, const graph_view& b, const weight_store& weights,
                                                  const model_samples& samples, const backend::any& place) {
    const model_results want = run_samples(a, weights, samples, place);
    const model_results got = run_samples(b, weights, samples, place);
    const auto require_equal = [](const char* what, std::size_t left, std::size_t right) {
        if (left != right) {
            throw error(errc::argument, "difference_between",
                        formatted("{} of the models: {} and {}", what, left, right));
        }
    };
    output_difference d;
    d.relative = relative_error(want, got);
    for (std::size_t run = 0; run < want.size(); ++run) {
        require_equal("outputs", want[run].size(), got[run].size());
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            const std::vector<float>& left = want[run][port];
            const std::vector<float>& right = got[run][port];
            require_equal("values of an output", left.size(), right.size());
            double size = 0;
            double moved = 0;
            for (std::size_t i = 0; i < left.size(); ++i) {
                ++d.values;
                if (std::bit_cast<std::uint32_t>(left[i]) == std::bit_cast<std::uint32_t>(right[i])) {
                    size = std::isfinite(left[i]) ? std::max(size, std::abs(static_cast<double>(left[i]))) : size;
                    continue;
                }
                ++d.differing;
                const double by = std::abs(static_cast<double>(left[i]) - static_cast<double>(right[i]));
                moved = std::isfinite(by) ? std::max(moved, by) : std::numeric_limits<double>::infinity();
                size = std::isfinite(left[i]) ? std::max(size, std::abs(static_cast<double>(left[i]))) : size;
            }
            const double part = moved == 0 ? 0 : size > 0 ? moved / size : std::numeric_limits<double>::infinity();
            d.largest = std::max(d.largest, part);
        }
    }
    return d;
}

ANEMONE_BODY bool rewrite_proof::holds() const {
    bool bits = true;
    for (const step_proof& s : steps) {
        bits = bits && s.step.record().kept == rewrite_exactness::bits;
    }
    return std::all_of(steps.begin(), steps.end(), [](const step_proof& s) { return s.holds(); }) &&
           (!bits || whole.differing == 0);
}

ANEMONE_BODY rewrite_proof prove(const graph_view& model, const optimized& found, const weight_store& weights, target t,
                                 const proof_options& options) {
    validate(model);
    validate(found.graph);
    const backend::any place = options.place != nullptr ? *options.place : backend::any(backend::oracle{t});
    const model_samples samples =
        options.samples != nullptr ? *options.samples : random_samples(model, options.runs, options.seed);
    rewrite_proof proof;
    proof.whole = difference_between(model, found.graph, weights, samples, place);
    dynamic_graph before = prune(model);
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
        const bool last = i + 1 == found.steps.size();
        proof.steps.push_back({step,
                               difference_between(before, last ? graph_view(found.graph) : graph_view(after.graph),
                                                  weights, samples, place),
                               options.most_relative});
        before = after.graph;
    }
    return proof;
}

} // namespace ane::inline ANEMONE_WAY
