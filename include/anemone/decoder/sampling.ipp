#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_decoder_sampling_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "required_option.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ane::detail::inline ANEMONE_WAY {

inline constexpr float removed_logit = -std::numeric_limits<float>::infinity();

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF void require_possible(const sampling_options& how) {
    detail::require_option(how.temperature >= 0 && std::isfinite(how.temperature), "temperature", how.temperature,
                           "0 (greedy) or above");
    detail::require_option(how.top_k >= 0, "top_k", how.top_k, "0 (all tokens) or above");
    detail::require_option(how.top_p >= 0 && how.top_p <= 1, "top_p", how.top_p, "from 0 to 1");
    detail::require_option(how.min_p >= 0 && how.min_p <= 1, "min_p", how.min_p, "from 0 to 1");
    detail::require_option(how.repetition_penalty > 0 && std::isfinite(how.repetition_penalty), "repetition_penalty",
                           how.repetition_penalty, "above 0");
}

ANEMONE_BODY_OF void penalize_repetition(std::span<float> logits, std::span<const token_id> tokens, double penalty) {
    if (penalty == 1) {
        return;
    }
    std::vector<char> was_there(logits.size(), 0);
    for (const token_id token : tokens) {
        const auto at = static_cast<std::size_t>(token);
        if (token < 0 || at >= logits.size() || was_there[at] != 0) {
            continue;
        }
        was_there[at] = 1;
        const double l = logits[at];
        logits[at] = static_cast<float>(l > 0 ? l / penalty : l * penalty);
    }
}

ANEMONE_BODY_OF void divide_by_temperature(std::span<float> logits, double temperature) {
    for (float& l : logits) {
        l = static_cast<float>(static_cast<double>(l) / temperature);
    }
}

ANEMONE_BODY_OF void keep_top_k(std::span<float> logits, std::int64_t k) {
    if (k <= 0 || static_cast<std::size_t>(k) >= logits.size()) {
        return;
    }
    std::vector<float> sorted(logits.begin(), logits.end());
    const auto last = sorted.begin() + (k - 1);
    std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
    for (float& l : logits) {
        l = l < *last ? detail::removed_logit : l;
    }
}

ANEMONE_BODY_OF void keep_top_p(std::span<float> logits, double p) {
    if (p >= 1) {
        return;
    }
    const std::vector<double> probabilities = probabilities_of(logits);
    std::vector<std::size_t> order(logits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
    double sum = 0;
    bool is_enough = false;
    for (const std::size_t at : order) {
        if (is_enough) {
            logits[at] = detail::removed_logit;
        }
        sum += probabilities[at];
        is_enough = is_enough || sum >= p;
    }
}

ANEMONE_BODY_OF void keep_min_p(std::span<float> logits, double p) {
    if (p <= 0 || logits.empty()) {
        return;
    }
    const double most = *std::max_element(logits.begin(), logits.end());
    for (float& l : logits) { // p(token) < p * p(most) is exp(l - most) < p
        l = std::exp(static_cast<double>(l) - most) < p ? detail::removed_logit : l;
    }
}

ANEMONE_BODY_OF std::vector<double> probabilities_of(std::span<const float> logits) {
    const auto most = static_cast<double>(logits[static_cast<std::size_t>(most_likely(logits))]);
    std::vector<double> all(logits.size());
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        all[i] = std::exp(static_cast<double>(logits[i]) - most);
        sum += all[i];
    }
    for (double& each : all) {
        each /= sum;
    }
    return all;
}

ANEMONE_BODY_OF token_id most_likely(std::span<const float> logits) {
    std::size_t best = logits.size();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const float l = logits[i];
        if (std::isnan(l) || l == std::numeric_limits<float>::infinity()) {
            throw error(errc::port, "logits",
                        formatted("that of token {} is {}: the model overflows fp16 with this input, which `diff "
                                  "--reference f64` locates",
                                  i, std::isnan(l) ? "NaN" : "+infinity"));
        }
        if (l > detail::removed_logit && (best == logits.size() || l > logits[best])) {
            best = i;
        }
    }
    if (best == logits.size()) {
        throw error(errc::port, "logits", formatted("none of {} is a finite number", logits.size()));
    }
    return static_cast<token_id>(best);
}

ANEMONE_BODY_OF token_id drawn_token(std::span<const double> probabilities, double number) {
    double sum = 0;
    token_id last = 0; // with a probability, should rounding leave the sum below the number
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        if (probabilities[i] <= 0) {
            continue;
        }
        sum += probabilities[i];
        last = static_cast<token_id>(i);
        if (number < sum) {
            break;
        }
    }
    return last;
}

ANEMONE_BODY_OF double drawn_number(std::uint64_t seed, std::int64_t position) {
    const auto mixed = [](std::uint64_t z) {
        z += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
        return z ^ z >> 31U;
    };
    const std::uint64_t bits = mixed(mixed(seed) ^ static_cast<std::uint64_t>(position));
    return static_cast<double>(bits >> 11U) * 0x1p-53;
}

ANEMONE_BODY_OF token_id next_token(std::span<const float> logits, std::span<const token_id> before,
                                    const sampling_options& how) {
    require_possible(how);
    const token_id greedy = most_likely(logits); // whatever follows: bad logits are found
    if (how.temperature == 0 && how.repetition_penalty == 1) {
        return greedy;
    }
    std::vector<float> left(logits.begin(), logits.end());
    penalize_repetition(left, before, how.repetition_penalty);
    if (how.temperature == 0) {
        return most_likely(left);
    }
    divide_by_temperature(left, how.temperature);
    keep_top_k(left, how.top_k);
    keep_top_p(left, how.top_p);
    keep_min_p(left, how.min_p);
    return drawn_token(probabilities_of(left), drawn_number(how.seed, static_cast<std::int64_t>(before.size())));
}

} // namespace ane::inline ANEMONE_WAY
