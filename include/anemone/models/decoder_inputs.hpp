#ifndef ANEMONE_MODELS_DECODER_INPUTS_HPP
#define ANEMONE_MODELS_DECODER_INPUTS_HPP

#include "../base/way.hpp"
#include "decoder_form.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// The host's part of a decoder's run: what its ports beside activation and caches hold (decoder_graph.hpp). With a batch of
/// texts each function fills the part of one: parts of equal size stand one behind the other.
namespace ane::models::inline ANEMONE_WAY {

/// The tables of the positions from `first` on, row by row [positions, head width]: both halves of a row have the cosines
/// (sines) of position * frequency k. `length` is the longest context that is meant to be computed, on which the angles of
/// rope_kind::dynamic depend: 0, or a length within the original one, leaves them as they are. Throws `ane::error`
/// (errc::argument) for tables of another size.
ANEMONE_API_OF(anemone_models_decoder_inputs_hpp)
void rotary_tables(const rope& r, std::int64_t head_width, std::int64_t first, std::span<float> cosines,
                   std::span<float> sines, std::int64_t length = 0);

/// The frequency of each pair, [head width / 2]: radians for each position.
ANEMONE_API_OF(anemone_models_decoder_inputs_hpp)
std::vector<double> rotary_frequencies(const rope& r, std::int64_t head_width, std::int64_t length = 0);

/// The mask of a run, row by row, as its port has it: what no query may see is -40000. Position n of the text stands in
/// column n of the cache; `kept` positions are in it before the run, and the run adds the next ones. A query sees itself and
/// those before it, of these the last `window`, its own among them; 0: all. Rows and columns behind the real positions are
/// padding: no real query sees them. Throws `ane::error` (errc::argument) for a mask of another size, and for positions
/// that the cache has no room for.
ANEMONE_API_OF(anemone_models_decoder_inputs_hpp)
void causal_mask(const decoder_form& form, std::int64_t kept, std::int64_t window, std::span<float> mask);

/// The port `at` of caches as states, [capacity, positions]: the first `count` positions of a run are written behind the
/// `kept` ones, the others, padding, nowhere. Throws `ane::error` (errc::argument) as `causal_mask` does.
ANEMONE_API_OF(anemone_models_decoder_inputs_hpp)
void cache_places(const decoder_form& form, std::int64_t kept, std::int64_t count, std::span<float> at);

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "decoder_inputs.ipp"
#endif
