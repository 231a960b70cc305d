#include <anemone/base/error.hpp>
#include <anemone/models/configuration.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace ane;
using models::activation;
using models::decoder_configuration;
using models::read_configuration;
using models::rope_kind;

namespace {

// The configurations as they are published, but for keys that say nothing of the graph.
constexpr const char* gpt2_small = R"({"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"],
  "attn_pdrop": 0.1, "bos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gpt2",
  "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "summary_use_proj": true,
  "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}}, "vocab_size": 50257})";
constexpr const char* tiny_llama =
    R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 1,
  "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 5632, "max_position_embeddings": 2048,
  "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 22, "num_key_value_heads": 4, "pretraining_tp": 1,
  "rms_norm_eps": 1e-05, "rope_scaling": null, "rope_theta": 10000.0, "tie_word_embeddings": false,
  "torch_dtype": "bfloat16", "vocab_size": 32000})";
constexpr const char* smol = R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false, "hidden_act": "silu",
  "hidden_size": 576, "intermediate_size": 1536, "max_position_embeddings": 2048, "model_type": "llama",
  "num_attention_heads": 9, "num_hidden_layers": 30, "num_key_value_heads": 3, "rms_norm_eps": 1e-05, "rope_scaling": null,
  "rope_theta": 10000.0, "tie_word_embeddings": true, "vocab_size": 49152})";
constexpr const char* llama_32 = R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false, "head_dim": 64,
  "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 8192, "max_position_embeddings": 131072, "mlp_bias": false,
  "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8,
  "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
  "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0, "tie_word_embeddings": true,
  "vocab_size": 128256})";
constexpr const char* qwen_25 = R"({"architectures": ["Qwen2ForCausalLM"], "hidden_act": "silu", "hidden_size": 896,
  "intermediate_size": 4864, "max_position_embeddings": 32768, "max_window_layers": 24, "model_type": "qwen2",
  "num_attention_heads": 14, "num_hidden_layers": 24, "num_key_value_heads": 2, "rms_norm_eps": 1e-06,
  "rope_theta": 1000000.0, "sliding_window": 32768, "tie_word_embeddings": true, "use_sliding_window": false,
  "vocab_size": 151936})";
constexpr const char* qwen3_4b = R"({"architectures": ["Qwen3ForCausalLM"], "attention_bias": false, "head_dim": 128,
  "hidden_act": "silu", "hidden_size": 2560, "intermediate_size": 9728, "max_position_embeddings": 40960,
  "max_window_layers": 36, "model_type": "qwen3", "num_attention_heads": 32, "num_hidden_layers": 36,
  "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 1000000, "sliding_window": null,
  "tie_word_embeddings": true, "use_sliding_window": false, "vocab_size": 151936})";
constexpr const char* mistral_7b =
    R"({"architectures": ["MistralForCausalLM"], "hidden_act": "silu", "hidden_size": 4096,
  "intermediate_size": 14336, "max_position_embeddings": 32768, "model_type": "mistral", "num_attention_heads": 32,
  "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096,
  "tie_word_embeddings": false, "vocab_size": 32000})";
constexpr const char* gemma2_2b = R"({"architectures": ["Gemma2ForCausalLM"], "attention_bias": false,
  "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh",
  "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304, "intermediate_size": 9216,
  "max_position_embeddings": 8192, "model_type": "gemma2", "num_attention_heads": 8, "num_hidden_layers": 26,
  "num_key_value_heads": 4, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
  "sliding_window": 4096, "vocab_size": 256000})";
constexpr const char* gemma3_1b = R"({"architectures": ["Gemma3ForCausalLM"], "attention_bias": false,
  "attn_logit_softcapping": null, "final_logit_softcapping": null, "head_dim": 256,
  "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152, "intermediate_size": 6912,
  "max_position_embeddings": 32768, "model_type": "gemma3_text", "num_attention_heads": 4, "num_hidden_layers": 26,
  "num_key_value_heads": 1, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000,
  "rope_scaling": null, "rope_theta": 1000000, "sliding_window": 512, "sliding_window_pattern": 6, "vocab_size": 262144})";
constexpr const char* gemma3_4b = R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
  "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
  "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024},
  "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model", "num_hidden_layers": 27}})";

/// What is said of a text that is refused.
std::string refusal_of(const std::string& text) {
    try {
        return "read: " + print(read_configuration(text, "config.json"));
    } catch (const error& e) {
        CHECK(e.code() == errc::file);
        return e.what();
    }
}
/// A published text with other words in it.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

template <decoder_configuration C> constexpr std::int64_t width_of = C.width; // a value for templates

} // namespace

TEST_CASE("published configurations are read") {
    const decoder_configuration gpt2 = read_configuration(gpt2_small);
    CHECK(gpt2 == decoder_configuration{.kind = models::family::gpt2,
                                        .layers = 12,
                                        .width = 768,
                                        .heads = 12,
                                        .kept_heads = 12,
                                        .head_width = 64,
                                        .inner = 3072,
                                        .vocabulary = 50257,
                                        .positions = 1024,
                                        .norm_epsilon = 1e-5,
                                        .act = activation::gelu_tanh,
                                        .ties_embeddings = true,
                                        .query_bias = true,
                                        .output_bias = true,
                                        .mlp_bias = true,
                                        .query_scale = 0.125});

    const decoder_configuration tiny = read_configuration(tiny_llama);
    CHECK(tiny == decoder_configuration{.layers = 22,
                                        .width = 2048,
                                        .heads = 32,
                                        .kept_heads = 4,
                                        .head_width = 64,
                                        .inner = 5632,
                                        .vocabulary = 32000,
                                        .positions = 2048,
                                        .norm_epsilon = 1e-5,
                                        .rotary = {.kind = rope_kind::plain},
                                        .local_rotary = {.kind = rope_kind::plain},
                                        .query_scale = 0.125});
    CHECK(read_configuration(smol).ties_embeddings);
    CHECK(read_configuration(smol).head_width == 64);

    const decoder_configuration llama = read_configuration(llama_32);
    CHECK(llama.rotary ==
          models::rope{.kind = rope_kind::llama3, .base = 500000, .factor = 32, .original_positions = 8192});

    const decoder_configuration qwen2 = read_configuration(qwen_25);
    CHECK(qwen2.query_bias);
    CHECK_FALSE(qwen2.output_bias);
    CHECK_FALSE(has_windows(qwen2));
    const decoder_configuration qwen3 = read_configuration(qwen3_4b);
    CHECK(qwen3.query_norm);
    CHECK(qwen3.head_width == 128);
    CHECK_FALSE(qwen3.query_bias);
    CHECK(qwen3.query_scale == doctest::Approx(1 / std::sqrt(128.0)));

    const decoder_configuration mistral = read_configuration(mistral_7b);
    CHECK(mistral.window == 4096);
    CHECK(mistral.window_pattern == 0); // each layer has a window
    CHECK_FALSE(has_local_rotary(mistral));

    const decoder_configuration gemma2 = read_configuration(gemma2_2b);
    CHECK(gemma2.attention_softcap == 50);
    CHECK(gemma2.logit_softcap == 30);
    CHECK(gemma2.embedding_scale == 48);
    CHECK(gemma2.query_scale == 0.0625);
    CHECK(gemma2.ties_embeddings);
    CHECK(has_window(gemma2, 0));
    CHECK_FALSE(has_window(gemma2, 1));
    CHECK_FALSE(has_local_rotary(gemma2));

    const decoder_configuration gemma3 = read_configuration(gemma3_1b);
    CHECK(gemma3.attention_softcap == 0);
    CHECK(gemma3.query_norm);
    CHECK(gemma3.rotary.base == 1e6);
    CHECK(gemma3.local_rotary.base == 1e4);
    CHECK(has_window(gemma3, 4));
    CHECK_FALSE(has_window(gemma3, 5));
    CHECK(has_local_rotary(gemma3));

    const decoder_configuration nested = read_configuration(gemma3_4b); // the defaults of the family for the rest
    CHECK(nested.heads == 8);
    CHECK(nested.kept_heads == 4);
    CHECK(nested.vocabulary == 262208);
    CHECK(nested.rotary.kind == rope_kind::linear);
    CHECK(nested.rotary.factor == 8);
    CHECK(nested.local_rotary.kind == rope_kind::plain);
}

TEST_CASE("newer spellings say the same") {
    const std::string newer =
        replaced(replaced(tiny_llama, R"("rope_scaling": null, "rope_theta": 10000.0,)",
                          R"("rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},)"),
                 R"("torch_dtype")", R"("dtype")");
    CHECK(read_configuration(newer) == read_configuration(tiny_llama));
    std::string types;
    for (int i = 0; i < 26; ++i) {
        types += std::string(i == 0 ? "" : ", ") + ((i + 1) % 6 == 0 ? "\"full_attention\"" : "\"sliding_attention\"");
    }
    const std::string listed =
        replaced(gemma3_1b, R"("vocab_size")", "\"layer_types\": [" + types + "], \"vocab_size\"");
    CHECK(read_configuration(listed) == read_configuration(gemma3_1b));
    CHECK(
        refusal_of(replaced(listed, "\"full_attention\"", "\"sliding_attention\"")) ==
        "file: config.json: \"layer_types/5\": 'sliding_attention' is not full_attention, which the other keys say of it");
    const std::string yarn = replaced(qwen3_4b, R"("rope_scaling": null)",
                                      R"("rope_scaling": {"rope_type": "yarn", "factor": 4.0,
                                          "original_max_position_embeddings": 32768})");
    CHECK(read_configuration(yarn).rotary.attention_factor == doctest::Approx(1 + 0.1 * std::log(4.0)));
    CHECK(read_configuration(replaced(gemma2_2b, R"("attn_logit_softcapping": 50.0,)", "")).attention_softcap == 50);
    CHECK(read_configuration(
              replaced(gemma2_2b, R"("attn_logit_softcapping": 50.0)", R"("attn_logit_softcapping": null)"))
              .attention_softcap == 0);
}

TEST_CASE("what is unknown in a configuration is refused by name") {
    CHECK(
        refusal_of(replaced(tiny_llama, "\"llama\"", "\"mamba\"")) ==
        "file: config.json: \"model_type\": 'mamba' is unknown; known are gpt2, llama, qwen2, qwen3, mistral, gemma2, gemma3 "
        "and gemma3_text");
    CHECK(refusal_of(replaced(tiny_llama, R"("model_type": "llama",)", "")).find("\"model_type\": is not there") !=
          std::string::npos);
    CHECK(refusal_of(replaced(llama_32, "\"llama3\"", "\"longrope\"")).find("\"rope_scaling/rope_type\": 'longrope'") !=
          std::string::npos);
    CHECK(refusal_of(replaced(tiny_llama, R"("hidden_size": 2048)", R"("hidden_size": "2048")")) ==
          "file: config.json: \"hidden_size\": '2048' is not an integer from 0 on");
    CHECK(refusal_of(replaced(tiny_llama, R"("hidden_size": 2048,)", "")) ==
          "file: config.json: \"hidden_size\": is not there, and has no default");
    CHECK(refusal_of(replaced(tiny_llama, R"("hidden_act": "silu")", R"("hidden_act": "xielu")"))
              .find("\"hidden_act\": 'xielu'") != std::string::npos);
    CHECK(
        refusal_of(
            replaced(tiny_llama, R"("rope_scaling": null)", R"("quantization_config": {"quant_method": "gptq"})")) ==
        "file: config.json: \"quantization_config\": weights in the form 'gptq' are not read; known are fp32, fp16 and bf16");
    CHECK(refusal_of(
              replaced(tiny_llama, R"("rope_scaling": null)", R"("quantization": {"group_size": 64, "bits": 4})")) ==
          "file: config.json: \"quantization\": weights in the form 'mlx' are not read; known are fp32, fp16 and bf16");
    CHECK(refusal_of(replaced(tiny_llama, R"("num_hidden_layers": 22)", R"("num_hidden_layers": 9000000000000000000)"))
              .find("from 1 to 16777216") != std::string::npos);
    CHECK(refusal_of(replaced(tiny_llama, R"("num_key_value_heads": 4)", R"("num_key_value_heads": 5)"))
              .find("must be a multiple") != std::string::npos);
    CHECK(refusal_of(replaced(gpt2_small, R"("n_head": 12)", R"("n_head": 0)")).find("\"n_embd\"") !=
          std::string::npos);
}

TEST_CASE("hostile texts are refused") {
    CHECK(refusal_of("") == "file: config.json: is not JSON: byte 0: The document is empty.");
    CHECK(refusal_of("[]") == "file: config.json: is not a JSON object");
    CHECK(refusal_of(std::string(1000, '[')).find("nests deeper than 64") != std::string::npos);
    CHECK(refusal_of(R"({"model_type": "llama", "model_type": "gpt2"})") ==
          "file: config.json: has the key 'model_type' twice");
    CHECK(refusal_of(std::string("{\0}", 3)) == "file: config.json: has a zero byte");
    const std::string whole = gpt2_small;
    for (std::size_t size = 0; size < whole.size(); ++size) { // no prefix is a configuration
        CHECK(refusal_of(whole.substr(0, size)).starts_with("file: config.json: is not JSON"));
    }
}

TEST_CASE("a configuration is an argument of templates") {
    constexpr decoder_configuration small{.layers = 2, .width = 64};
    static_assert(width_of<small> == 64);
    CHECK(width_of<small> == 64);
}
