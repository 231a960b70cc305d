#ifndef ANEMONE_FORMATS_MIL_HPP
#define ANEMONE_FORMATS_MIL_HPP

#include "../base/way.hpp"
#include "../targets/system.hpp"
#include "../weights/fold_constants.hpp"
#include "blob.hpp"

#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A program for the engine's MIL route: the text and the weight blob that the text refers to as
/// `@model_path/weights.bin`.
struct mil_program {
    std::string text;
    blob_writer weights;
    /// What the ports are called in the text, in the order of the graph: as in the model, or otherwise where that is a
    /// word of the grammar (mil_words.hpp) or no identifier (mil_names.hpp).
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};

/// What is written where there is a choice.
struct mil_options {
    /// Compressed weights in every form that MIL has, and wherever they are read. False: only forms that a source has
    /// run, where it has run them; the others as the fp16 values that they stand for (docs/compression.md).
    bool every_stored_form = false;
    /// States as Core ML has them, `state<tensor<...>>` with read_state and write_state, instead of an input and an
    /// output each: for files that go to Core ML. The direct route compiles no such file (facts: engine-runtime 4).
    bool core_ml_states = false;
    /// The oldest system that is to load the file: its opset stands in the text. Throws `error` (errc::lowering) for what that
    /// has not. `any`: the text of ios18, which is what sources have run on the direct route.
    operating_system system = operating_system::any;
};

/// Writes a lowered graph as MIL text with its weight blob, deterministically. Facts: mil-ops sections 1 to 7. Throws
/// `error` (errc::lowering) for an operation that the text cannot hold, exactly where `mil_faults` (forms/mil_faults.hpp)
/// finds one or where states as Core ML has them leave no output, and errc::weights for a zero point of a weight that is
/// no integer. Never run on Apple silicon by this
/// project.
ANEMONE_API_OF(anemone_formats_mil_hpp)
mil_program emit_mil(const graph_view& lowered, const folded_constants& constants, const mil_options& options = {});

/// Writes `model.mil` and `weights.bin` into a directory, which is made where it is missing; returns the path of the
/// text. Throws `error` (errc::file).
ANEMONE_API_OF(anemone_formats_mil_hpp) std::string write_mil(const mil_program& program, const std::string& directory);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "mil.ipp"
#endif
