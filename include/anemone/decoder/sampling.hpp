#ifndef ANEMONE_DECODER_SAMPLING_HPP
#define ANEMONE_DECODER_SAMPLING_HPP

#include "../base/way.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// How the next token is chosen from the logits of a language model: filters in the order of the `transformers` library
/// (repetition penalty, temperature, top-k, top-p, min-p), then the most likely token or a draw. Each is a function over
/// logits and may be used alone. A filter that removes a token makes its logit -infinity.
namespace ane::inline ANEMONE_WAY {

/// The number of a token in a vocabulary.
using token_id = std::int32_t;

/// How a token is chosen. The default is greedy: the most likely one, and of equal ones the first.
struct sampling_options {
    double temperature = 0;        ///< 0: greedy; else logits are divided by it, and a token is drawn
    std::int64_t top_k = 0;        ///< only the k most likely tokens; 0: all
    double top_p = 1;              ///< only the most likely tokens that together have this probability
    double min_p = 0;              ///< only tokens with this part of the probability of the most likely one
    double repetition_penalty = 1; ///< logits of tokens that were there are divided by it, negative ones multiplied
    std::uint64_t seed = 0;        ///< of the draws

    friend bool operator==(const sampling_options&, const sampling_options&) = default;
};

/// Throws `error` (errc::argument) that names the option, its value and its limits: a temperature below 0, top_k below 0,
/// top_p outside of 0..1, min_p outside of 0..1, a penalty that is not above 0, NaN.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) void require_possible(const sampling_options& how);

/// The logit of each token that is among `tokens`, once: l / penalty for l > 0, l * penalty otherwise (CTRL, Keskar 2019).
ANEMONE_API_OF(anemone_decoder_sampling_hpp)
void penalize_repetition(std::span<float> logits, std::span<const token_id> tokens, double penalty);
/// l / temperature.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) void divide_by_temperature(std::span<float> logits, double temperature);
/// Removes those below the k-th largest. Tokens that are equal to it stay, so that more than k may be left.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) void keep_top_k(std::span<float> logits, std::int64_t k);
/// Keeps the fewest of the most likely tokens whose probabilities sum up to p or more: one at least. Of equal ones the first
/// stay (nucleus sampling, Holtzman 2020).
ANEMONE_API_OF(anemone_decoder_sampling_hpp) void keep_top_p(std::span<float> logits, double p);
/// Removes tokens whose probability is below p times that of the most likely one.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) void keep_min_p(std::span<float> logits, double p);

/// softmax: exp(l - max) / sum, in double precision; 0 for removed tokens.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) std::vector<double> probabilities_of(std::span<const float> logits);
/// The position of the largest, of equal ones the first. Throws `error` (errc::port) for logits among which is a NaN or
/// +infinity, or no finite number, and says where.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) token_id most_likely(std::span<const float> logits);
/// The token whose interval of the summed probabilities holds `number`, from 0 to below 1.
ANEMONE_API_OF(anemone_decoder_sampling_hpp)
token_id drawn_token(std::span<const double> probabilities, double number);
/// The number of draw `position` for a seed, from 0 to below 1, by SplitMix64 (Steele, Lea, Flood 2014): a function of both
/// alone, so that a generation that is repeated, or checks what was proposed to it, draws the same.
ANEMONE_API_OF(anemone_decoder_sampling_hpp) double drawn_number(std::uint64_t seed, std::int64_t position);

/// All of it: the token that follows `before`. Its draw is that of its position, `before.size()`. Throws as `most_likely`.
ANEMONE_API_OF(anemone_decoder_sampling_hpp)
token_id next_token(std::span<const float> logits, std::span<const token_id> before, const sampling_options& how);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "sampling.ipp"
#endif
