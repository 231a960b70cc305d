#ifndef ANEMONE_DIFF_TRACE_HPP
#define ANEMONE_DIFF_TRACE_HPP

#include "../backend/backend.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"
#include "forward.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The value of every node of a model in one run: dense, row-major, fp16 or one byte an element.
struct trace {
    std::vector<std::vector<std::byte>> values; ///< by node of the model; empty where a node has no value of its own

    bool known(int node) const { return !values[static_cast<std::size_t>(node)].empty(); }
    ANEMONE_API_OF(anemone_diff_trace_hpp) std::span<const std::byte> bytes(int node) const;
    /// The value of an fp16 node.
    ANEMONE_API_OF(anemone_diff_trace_hpp) std::span<const half> halves(int node) const;
};

/// Runs a model once on the CPU backend, its states at zero, and keeps every node's value. Throws `error` as `compile`
/// and `run` do.
ANEMONE_API_OF(anemone_diff_trace_hpp)
trace trace_of(const graph_view& model, const backend::cpu& place, const weight_store& weights, input_buffers inputs);

/// The same of what has memory when the model runs as it is: the last node of each layer, with the bits of that run.
ANEMONE_API_OF(anemone_diff_trace_hpp)
trace layer_trace_of(const graph_view& model, const backend::cpu& place, const weight_store& weights,
                     input_buffers inputs);

/// As `trace_of`, on the oracle. A node that the engine computes together with a later one has no value.
ANEMONE_API_OF(anemone_diff_trace_hpp)
trace trace_of(const graph_view& model, const backend::oracle& place, const weight_store& weights,
               input_buffers inputs);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "trace.ipp"
#endif
