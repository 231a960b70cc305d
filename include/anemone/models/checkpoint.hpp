#ifndef ANEMONE_MODELS_CHECKPOINT_HPP
#define ANEMONE_MODELS_CHECKPOINT_HPP

#include "../base/way.hpp"
#include "../readers/read_model.hpp"
#include "../weights/store.hpp"
#include "decoder_form.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ane {
inline namespace ANEMONE_WAY {
class opened_files;
}
} // namespace ane

/// Published language models as files: a folder with `config.json` and safetensors, whole or in shards; GGUF.
namespace ane::models::inline ANEMONE_WAY {

struct checkpoint_options {
    /// Bytes that tensors may take which have to be changed while they are read: GPT-2's are transposed. Others of 64 KiB
    /// and more stay in their files until somebody looks at them.
    std::uint64_t max_memory = std::uint64_t{8} << 30U;
    /// Whether weights may be missing: to be judged, or with others. `read_checkpoint` lists them either way.
    bool allows_missing = false;
    /// Whether all numbers are looked at, for those that fp16 cannot hold.
    bool counts_beyond_half = true;
    opened_files* opened = nullptr; ///< is told what is opened
};

/// A model as it is published, and its weights under the names that graphs have for them.
struct checkpoint {
    decoder_configuration configuration;
    /// As `decoder_graph` calls them, in rows, with the whole head; and the embedding: "model_embed_tokens_weight", or
    /// "wte_weight" and "wpe_weight".
    weight_store weights;
    /// What the caller should know, a sentence each: what was changed; numbers beyond fp16, by tensor.
    std::vector<std::string> notes = {};
    std::vector<std::string> missing = {};   ///< of the graph's weights and the embedding
    std::vector<std::string> left_over = {}; ///< tensors that the model does not have, as the file calls them
};

/// Reads a folder, or a file whose name ends in .gguf. The configuration alone is enough: then all weights are missing. The
/// files of shards are those that `model.safetensors.index.json` names; no path leads out of the folder. Of a GGUF file, rows
/// of Llama's queries and keys, which ggml turns in pairs, come as they were published, and blocks are decoded to fp16 when
/// somebody looks at them.
///
/// Throws `ane::error` (errc::file) for what `read_configuration` refuses and for files that cannot be read, and
/// `ane::unreadable` with all that is wrong with the tensors: other shapes than the configuration says, types that are not
/// fp32, fp16 or bf16, tensors that are in another file than the index says or in two, weights that are joined into one.
ANEMONE_API_OF(anemone_models_checkpoint_hpp)
checkpoint read_checkpoint(const std::string& path, const checkpoint_options& options = {});

/// The configuration in a folder alone. Throws `ane::error` (errc::file) as `read_checkpoint` does.
ANEMONE_API_OF(anemone_models_checkpoint_hpp)
decoder_configuration read_checkpoint_configuration(const std::string& path);

/// Whether the place of a model has tensors beside its configuration, or says that it has. Throws `error` (errc::file).
ANEMONE_API_OF(anemone_models_checkpoint_hpp) bool has_tensors(const std::string& path);

/// A sentence for each tensor with numbers that fp16 cannot hold. Reads all of them, part by part.
ANEMONE_API_OF(anemone_models_checkpoint_hpp) std::vector<std::string> numbers_beyond_half(const weight_store& weights);

/// The weights of a form of the model: its names and shapes, in parts of the head too. Those that are missing are left out.
ANEMONE_API_OF(anemone_models_checkpoint_hpp) weight_store weights_of(const checkpoint& c, const decoder_form& form);

/// The graph of a form and its weights, as every reader gives them. Throws `ane::error` (errc::graph) for a form that the
/// decoder does not have, and `ane::unreadable` where weights are missing that may not be.
ANEMONE_API_OF(anemone_models_checkpoint_hpp)
read_model model_of(checkpoint c, const decoder_form& form, const std::string& path, bool allows_missing = false);
ANEMONE_API_OF(anemone_models_checkpoint_hpp)
read_model read_checkpoint_model(const std::string& path, const decoder_form& form = {},
                                 const checkpoint_options& options = {});

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "checkpoint.ipp"
#endif
