#ifndef ANEMONE_WEIGHTS_PROMISES_HPP
#define ANEMONE_WEIGHTS_PROMISES_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/contract.hpp"
#include "store.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Contracts from data: what the values of weights are, written into a graph as what it promises of them, so that every
/// rule about ranges and digits applies to a model that came without promises, as those from files do.
namespace ane::inline ANEMONE_WAY {

/// What rounding to fp16 does to the elements of one weight.
struct lost_digits {
    std::string weight;
    std::int64_t elements = 0;
    std::int64_t vanished = 0;  ///< not 0 in the file, 0 as fp16: below 2^-25
    std::int64_t subnormal = 0; ///< below 2^-14: fewer digits than 11, and 0 in products of A13 and older (R156)
    std::string fault{};        ///< why there is no promise: an element that is not finite or that fp16 does not hold
};

/// Promises of every weight that the store holds in the graph's shape what its values are (`bounded_by` of their
/// statistics as fp16), beside what was promised already. An entry for each weight that has elements to tell of, in the
/// order of the graph. A weight with an element that is not finite keeps the promises that it had; one
/// that cannot be read from its file throws `error` (errc::file).
ANEMONE_API_OF(anemone_weights_promises_hpp)
std::vector<lost_digits> promise_statistics(dynamic_graph& g, const weight_store& store);

/// Makes constants of the parameters of batch norms that the store holds, so that `ranges` has the scale and the offset of
/// each channel: what is promised of a weight holds for all of its elements, and the largest gamma meets the smallest variance
/// there. For graphs that are judged; weights that something else reads, or with an element that fp16 does not hold, stay.
ANEMONE_API_OF(anemone_weights_promises_hpp)
void hold_norm_parameters(dynamic_graph& g, const weight_store& store);

/// Promises that an input stays within a range, as `within(low, high)` in its declaration would, and has a root mean
/// square where it is known. Throws `error`: errc::port where there is no such input, errc::graph where the range is none of
/// fp16 and the input is.
ANEMONE_API_OF(anemone_weights_promises_hpp)
void promise_input(dynamic_graph& g, std::string_view input, const contract& promise);
/// The same of an input by the number of its node; errc::port where it is none.
ANEMONE_API_OF(anemone_weights_promises_hpp)
void promise_input(dynamic_graph& g, int index, const contract& promise);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "promises.ipp"
#endif
