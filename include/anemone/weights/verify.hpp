#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/contract.hpp"
#include "../values/half.hpp"
#include "store.hpp"

#include <span>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// How far the root mean square of a weight may exceed the declared deviation: a deviation is an estimate, for expected
/// errors, of which the second digit is rarely known.
inline constexpr double deviation_slack = 0.01;

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// Checks the values of a weight against everything that its contract promises.
ANEMONE_API void verify_promise(const std::string& name, const contract& promise, const extents& shape,
                                std::span<const half> values);

/// `verify_weights` for a graph that was validated, as every constant is.
ANEMONE_API void verify_weights_of_valid(const graph_view& g, const weight_store& store);
/// Its first half: names and shapes, no values.
ANEMONE_API void verify_weight_names(const graph_view& g, const weight_store& store);

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// The values of one weight of a model, as fp16, after all that the model says of it was checked: it is in the store,
/// it has the declared shape, every element is finite in fp16 (R006), and it keeps its contract: bounds of elements, of
/// the sum of magnitudes of each row and column, deviation. Throws `error` (errc::weights) that names the tensor, the
/// element, row or column, the value and the limit.
ANEMONE_API std::vector<half> verified_weight(const graph_view& g, int index, const weight_store& store);

/// Checks that a store holds the weights of a model and nothing else. Throws `error` (errc::weights), which tells all
/// that is missing, misshapen or unknown to the model, and what would help: a prefix to strip, a tensor to transpose.
/// After that for the first element that is not finite, and for the first promise that is not kept.
ANEMONE_API void verify_weights(const graph_view& g, const weight_store& store);

/// The tensors of a store that are weights of a model: what a larger file has beside them is left out. Throws like
/// `verify_weights` for what is missing or misshapen. A store that is moved in is not copied.
ANEMONE_API weight_store weights_for(const graph_view& g, const weight_store& store);
ANEMONE_API weight_store weights_for(const graph_view& g, weight_store&& store);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "verify.ipp"
#endif
