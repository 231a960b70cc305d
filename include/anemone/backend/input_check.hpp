#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "backend.hpp"

#include <cstdint>

namespace ane {

/// Whether a run holds its inputs against the ranges that the model promises for them. Checks at build time rely on the
/// promises; a value outside makes their verdicts void, and may overflow where none was predicted.
enum class input_check : std::uint8_t {
    off,
    sampled, ///< up to 256 elements of each input, at equal distances
    full     ///< every element
};

} // namespace ane

namespace ane::inline ANEMONE_WAY {

/// Throws `error` (errc::port) for an element outside the declared range of its input, NaN among them, and for one from 2048
/// on of an fp16 input without a range that an operation takes for indices: fp16 may have made it of another. Buffers are in the
/// order of the inputs that callers bind. What `program::check_inputs` makes runs do, for graphs built at run time.
ANEMONE_API void check_inputs(const graph_view& model, input_buffers inputs, input_check how);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "input_check.ipp"
#endif
