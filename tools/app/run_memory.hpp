#pragma once

#include "front_end.hpp"
#include <anemone/graph/graph.hpp>

#include <cstdint>

namespace app {

/// Which values of a model a run keeps.
enum class kept_values {
    live, ///< those that are still read: on the CPU
    all,  ///< of every node: in the oracle, in the engine's stand-in
    twice ///< of every node on two backends, to compare them
};

/// Bytes that a run takes beside the weights, at least: values, constants that are computed when it is compiled, and the
/// arrays for the ports as numbers.
double run_memory(const ane::graph_view& model, kept_values kept);

/// Throws `ane::error` (errc::argument) where a run takes more than `most` bytes, the caller's `max_memory`: before
/// anything is allocated.
void require_run_memory(const ane::graph_view& model, kept_values kept, std::uint64_t most, const caller& who);

} // namespace app
