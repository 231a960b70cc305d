#ifndef ANEMONE_MODELS_NETWORKS_TEXT_INPUTS_HPP
#define ANEMONE_MODELS_NETWORKS_TEXT_INPUTS_HPP

#include "../../base/way.hpp"
#include "../../weights/store.hpp"
#include "network.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The host's part of a run of a network of texts: what tokens give its ports (bert.hpp, clip.hpp).
namespace ane::models::inline ANEMONE_WAY {

/// The ports of one text.
struct text_values {
    std::vector<float> x;    ///< the rows of tokens, positions and token types, added up, in the layout of the form
    std::vector<float> mark; ///< `mask` or `end`, [1, tokens of the run]
};

/// "mask", or "end".
constexpr std::string_view mark_port(const text_ports& p) noexcept { return p.mark == text_mark::end ? "end" : "mask"; }

/// How many tokens a run of a form computes. Throws `ane::error` (errc::graph) for more than there are positions.
constexpr std::int64_t tokens_of_run(const text_ports& p, const network_form& f) {
    return detail::tokens_in(f, p, "text");
}

/// The ports of a text of one token and more, with those that the tokenizer puts around it ([CLS], the token that ends a text);
/// what is left of a run is padded. `types` is the type of each token; empty: 0 throughout. `tables` are those of
/// `read_host_tables`. Throws `ane::error`: errc::argument for a network that takes no text, for a text without tokens, with
/// more than a run computes, with a token or a type that has no row, and, of a network that asks where a text ends, one without
/// the token that ends it; errc::graph for a network or a form that cannot be; errc::weights for tables that are missing or of
/// another shape.
ANEMONE_API_OF(anemone_models_networks_text_inputs_hpp)
text_values text_inputs(const network& n, const weight_store& tables, std::span<const std::int64_t> tokens,
                        const network_form& form = {}, std::span<const std::int64_t> types = {});

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "text_inputs.ipp"
#endif
