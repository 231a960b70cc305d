#ifndef ANEMONE_DECODER_PRECISION_HPP
#define ANEMONE_DECODER_PRECISION_HPP

#include "../base/way.hpp"
#include "../diff/forward.hpp"
#include "../diff/wide_error.hpp"
#include "../models/configuration.hpp"
#include "../weights/store.hpp"
#include "sampling.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What fp16, or the engine's arithmetic, costs a language model: which parts and layers change the next token, and what
/// restores it, each measured.
namespace ane::inline ANEMONE_WAY {

/// A part of a decoder. Each node of its graph belongs to one.
enum class decoder_part : std::uint8_t {
    embedding, ///< the rows that the host gives, as fp16
    positions, ///< rotary tables, as fp16
    norms,     ///< all normalizations but the last
    query,     ///< projections
    key,
    value,
    rotation, ///< rotary positions of queries and keys, the scale of queries
    scores,   ///< queries times keys, mask and softmax
    mix,      ///< scores times values
    output,   ///< the projection behind it
    gate,     ///< the projections gate and up
    gating,   ///< the activation, and its product
    down,     ///< the projection behind it
    residual, ///< the sums of the residual stream
    head      ///< the last normalization and the logits
};
inline constexpr int decoder_part_count = 15;

constexpr std::string_view name(decoder_part part) noexcept {
    constexpr std::string_view names[] = {"embedding", "positions", "norms",  "query",    "key",
                                          "value",     "rotation",  "scores", "mix",      "output",
                                          "gate, up",  "gating",    "down",   "residual", "head"};
    return names[static_cast<std::size_t>(part)];
}

/// How far logits are from those in double precision, over all positions, each of which is given the true tokens before
/// it.
struct logit_error {
    std::int64_t positions = 0;
    std::int64_t flips = 0;      ///< positions at which another token is the most likely one
    std::int64_t not_finite = 0; ///< of these, those with a logit that is no finite number
    double mean_kl = 0;          ///< sum of p log(p / q) in nats, p exact, over the positions that are finite
    double worst_kl = 0;
    double least_cosine = 1; ///< of the logits of a position with the exact ones

    double equal() const { // share
        return positions == 0 ? 1 : 1 - static_cast<double>(flips) / static_cast<double>(positions);
    }
};

/// A part of a layer, by the worst of its nodes and texts. Errors are |got - exact| / |exact| (Frobenius norms).
struct part_error {
    std::int64_t layer = -1; ///< -1: of no layer
    decoder_part part{};
    double alone = 0;             ///< with exact operands, as fp16
    double whole = 0;             ///< with the errors of all that comes before it
    double largest = 0;           ///< magnitude of the exact values
    bool overflows = false;       ///< alone: something is not finite that should be
    bool is_beyond_alone = false; ///< an element is beyond the bound
    bool is_beyond = false;       ///< with the errors before it
};

/// The logits where only one part, or one layer, is in the arithmetic that is judged, and the others in double precision.
struct part_effect {
    std::int64_t layer = -1; ///< -1: in all layers
    decoder_part part{};     ///< -1 as a layer: which one; else of no meaning
    logit_error alone{};
};

/// What may restore the tokens.
enum class precision_change : std::uint8_t {
    scaled_sums,     ///< sums held times a power of two, which undoes itself
    paired_residual, ///< the residual stream as a sum of two fp16 numbers, by exact transformations (Knuth's two-sum)
    scaled_pair,     ///< both
    host             ///< parts on the host, in fp32 or wider; what goes back to the engine is rounded
};
constexpr std::string_view name(precision_change change) noexcept {
    constexpr std::string_view names[] = {"scaled sums", "paired residual stream", "scaled sums and paired stream",
                                          "on the host"};
    return names[static_cast<std::size_t>(change)];
}

/// A change of the model, which was made and run.
struct precision_proposal {
    precision_change kind{};
    std::vector<decoder_part> on_host{};
    logit_error after{};
    std::int64_t added_operations = 0; ///< of a run, beside those of the model
    std::int64_t scaled = 0;           ///< how many values are held times a power of two
    std::int64_t host_operations = 0;  ///< of a run
    std::int64_t crossings = 0;        ///< values of a run that go to the host or come back
};

struct precision_options {
    error_bound bound{}; ///< of the values of a layer
    std::int64_t context =
        512; ///< longer texts are cut into pieces of so many tokens, which know nothing of each other
    std::int64_t positions = 0;             ///< only so many of them, from the first text on; 0: all
    bool proposals = true;                  ///< whether they are tried where a token changes
    bool always_proposes = false;           ///< where none does, too
    bool each_layer = true;                 ///< whether each layer is run alone too
    std::function<void(double)> progress{}; ///< is told the share that is done
};

struct precision_report {
    std::string judged; ///< the arithmetic: "oracle h13", "cpu, fp16"
    error_bound bound;
    std::int64_t texts = 0;         ///< pieces
    logit_error whole;              ///< the model as it is
    std::vector<part_error> errors; ///< in the order of the model
    int first = -1;                 ///< of these the first one beyond the bound; -1: there is none
    std::vector<part_effect> parts; ///< those that the model has
    std::vector<part_effect> layers;
    std::vector<precision_proposal> proposals; ///< by what they cost, the least first
    int recommended = -1; ///< the first of these that restores every token, or else that with the fewest flips; -1: no
                          ///< change is needed, or none was tried

    bool is_restored() const {
        return recommended >= 0 && proposals[static_cast<std::size_t>(recommended)].after.flips == 0;
    }
};

/// Runs a decoder on texts in double precision, from embeddings and tables that are not rounded, beside the arithmetic that
/// is judged; then with only one part in that arithmetic, and only one layer; then with what may help. Nothing is estimated.
/// A run computes a whole text, without caches; values are held at eight bytes an element, those only that differ, and
/// weights at eight bytes one layer at a time, or all where they take less than 1 GiB.
///
/// Throws `error`: (errc::argument) for no tokens, for ids that are not in the vocabulary, for a text of more positions than
/// the model has where those are learned, and for options out of their range; (errc::weights) for what is missing.
ANEMONE_API_OF(anemone_decoder_precision_hpp)
precision_report measure_precision(const models::decoder_configuration& model, const weight_store& weights,
                                   std::span<const std::vector<token_id>> texts, const backend::cpu& judged,
                                   const precision_options& options = {});
ANEMONE_API_OF(anemone_decoder_precision_hpp)
precision_report measure_precision(const models::decoder_configuration& model, const weight_store& weights,
                                   std::span<const std::vector<token_id>> texts, const backend::oracle& judged,
                                   const precision_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "precision.ipp"
#endif
