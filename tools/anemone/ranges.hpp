#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/report/aside.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

/// Promises of the inputs of a model what `ranges` says: "x=-1,1" declares one, "data.npz" or "x=data.npy" measures those
/// that arrays are named after. `most` bounds the bytes of arrays. Observed are data that are not finite. Throws
/// `ane::error` (errc::argument) for a range that is none, a name that is no input, and data with no array of an input's
/// name.
std::vector<ane::aside> promise_inputs(ane::dynamic_graph& graph, const std::vector<std::string>& ranges,
                                       std::uint64_t most);

} // namespace command
