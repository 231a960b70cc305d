#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_decoder_precision_hpp);

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/thread_pool.hpp"
#include "../weights/verify.hpp"
#include "precision.hpp"
#include "precision_changes.hpp"
#include "precision_parts.hpp"
#include "precision_run.hpp"
#include "precision_trials.hpp"
#include "precision_walk.hpp"
#include "required_option.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// The texts in pieces of a context, at most so many positions of them; the longest first.
ANEMONE_INLINE std::vector<std::vector<token_id>> pieces_of(const models::decoder_configuration& c,
                                                            std::span<const std::vector<token_id>> texts,
                                                            const precision_options& how) {
    require_option(how.context >= 1, "context", how.context, "1 or above");
    require_option(how.positions >= 0, "positions", how.positions, "0 (all) or above");
    if (!(how.bound.relative >= 0) || std::isnan(how.bound.absolute)) {
        throw error(errc::argument, "bound", formatted("is {}, must be 0 or above", how.bound.relative));
    }
    std::int64_t left = how.positions == 0 ? std::int64_t{1} << 40 : how.positions;
    std::vector<std::vector<token_id>> pieces;
    for (std::size_t text = 0; text < texts.size(); ++text) {
        const std::vector<token_id>& all = texts[text];
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i] < 0 || all[i] >= c.vocabulary) {
                throw error(
                    errc::argument, formatted("token {} of text {}", i, text),
                    formatted("is {}, must be from 0 to {}, the last of the vocabulary", all[i], c.vocabulary - 1));
            }
        }
        for (std::size_t begin = 0; begin < all.size() && left > 0;) {
            const std::size_t size =
                std::min({all.size() - begin, static_cast<std::size_t>(how.context), static_cast<std::size_t>(left)});
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
            pieces.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
            begin += size;
            left -= static_cast<std::int64_t>(size);
        }
    }
    if (pieces.empty()) {
        throw error(errc::argument, "tokens", "there are none: precision is measured on a text");
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    const bool learns_positions = !models::names_of(c.kind).position_embedding.empty();
    if (const auto longest = static_cast<std::int64_t>(pieces.front().size());
        learns_positions && longest > c.positions) {
        throw error(errc::argument, "context",
                    formatted("is {}, and a text has {} tokens; the model has learned {} positions: give that or less",
                              how.context, longest, c.positions));
    }
    return pieces;
}

template <class Layers, class Judged>
precision_report precision_with(const models::decoder_configuration& c, const weight_store& weights,
                                std::span<const std::vector<token_id>> texts, const Judged& judged,
                                const precision_options& how) {
    const std::vector<std::vector<token_id>> pieces = pieces_of(c, texts, how);
    precision_trials<Layers, Judged> trials(c, weights, judged, how);
    precision_report report = trials.measured(pieces);
    if (how.proposals && (report.whole.flips > 0 || how.always_proposes)) {
        trials.propose(pieces, report);
    }
    if (how.progress) {
        how.progress(1);
    }
    return report;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF precision_report measure_precision(const models::decoder_configuration& model,
                                                   const weight_store& weights,
                                                   std::span<const std::vector<token_id>> texts,
                                                   const backend::cpu& judged, const precision_options& options) {
    return detail::precision_with<detail::cpu_layers>(model, weights, texts, judged, options);
}
ANEMONE_BODY_OF precision_report measure_precision(const models::decoder_configuration& model,
                                                   const weight_store& weights,
                                                   std::span<const std::vector<token_id>> texts,
                                                   const backend::oracle& judged, const precision_options& options) {
    return detail::precision_with<detail::oracle_layers>(model, weights, texts, judged, options);
}

} // namespace ane::inline ANEMONE_WAY
