#ifndef ANEMONE_MODELS_GGUF_CONFIGURATION_HPP
#define ANEMONE_MODELS_GGUF_CONFIGURATION_HPP

#include "../base/way.hpp"
#include "../weights/gguf.hpp"
#include "configuration.hpp"

#include <string>
#include <string_view>

/// Language models in GGUF files: what the metadata say of them, and what their tensors are called where they were published.
namespace ane::models::inline ANEMONE_WAY {

/// The configuration that the metadata say: `general.architecture` is llama (Mistral's models too), qwen2, qwen3, gemma2,
/// gemma3 or gpt2, and the other keys begin with it ("llama.block_count"). Whether the head is the embedding and whether
/// queries have biases is known by the tensors; of Llama 3 the scaling of positions by the factors in `rope_freqs.weight`.
/// What the format leaves to programs is as ggml's own has it: Gemma's windows (every second layer sees all, of Gemma 3 every
/// sixth, whose other layers turn by base 10000) and the scale of its queries. Throws `ane::error` (errc::file), naming key,
/// value and what is known.
ANEMONE_API_OF(anemone_models_gguf_configuration_hpp)
decoder_configuration read_gguf_configuration(const gguf_file& file);

/// The name that a tensor has where the family was published: "model.layers.0.self_attn.q_proj.weight" for
/// "blk.0.attn_q.weight". Empty for one that the family has not.
ANEMONE_API_OF(anemone_models_gguf_configuration_hpp)
std::string published_name(const decoder_configuration& c, std::string_view gguf_name);

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "gguf_configuration.ipp"
#endif
