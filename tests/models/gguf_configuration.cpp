// Configurations in the metadata of GGUF files, beside the published texts of the same models; and the names of tensors.

#include "../weights/gguf_writer.hpp"
#include <anemone/models/gguf_configuration.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace gguf_configuration_tests {

using gguf_files::little_endian;
using models::decoder_configuration;
using models::family;

namespace {

/// Metadata of an architecture as ggml's converters write them: integers as uint32, other numbers as float32.
struct metadata {
    explicit metadata(const std::string& architecture) : of(architecture) {
        file.keys.push_back(gguf_files::key("general.architecture", 8, gguf_files::text(architecture)));
    }
    metadata& with(const std::string& key, std::uint32_t value) {
        file.keys.push_back(gguf_files::key(of + "." + key, 4, little_endian(value)));
        return *this;
    }
    metadata& with(const std::string& key, float value) {
        file.keys.push_back(gguf_files::key(of + "." + key, 6, little_endian(value)));
        return *this;
    }
    metadata& with(const std::string& key, const std::string& value) {
        file.keys.push_back(gguf_files::key(of + "." + key, 8, gguf_files::text(value)));
        return *this;
    }
    metadata& sizes(std::uint32_t layers, std::uint32_t width, std::uint32_t inner, std::uint32_t heads,
                    std::uint32_t kept, std::uint32_t positions, std::uint32_t vocabulary) {
        return with("block_count", layers)
            .with("embedding_length", width)
            .with("feed_forward_length", inner)
            .with("attention.head_count", heads)
            .with("attention.head_count_kv", kept)
            .with("context_length", positions)
            .with("vocab_size", vocabulary);
    }
    /// A tensor of so many fp32 numbers.
    metadata& tensor(const std::string& name, const std::vector<float>& values = {0}) {
        file.tensors.push_back({name, {values.size()}, 0, file.data.size()});
        for (const float v : values) {
            file.data += little_endian(v);
        }
        file.data.resize((file.data.size() + 31) / 32 * 32, '\0');
        return *this;
    }
    decoder_configuration read() const {
        const gguf_files::written on_disk(file);
        return models::read_gguf_configuration(gguf_file(on_disk.path()));
    }
    std::string refusal() const {
        try {
            return "read: " + print(read());
        } catch (const error& e) {
            CHECK(e.code() == errc::file);
            return e.what();
        }
    }

    std::string of;
    gguf_files::file file;
};

metadata tiny_llama_file() {
    metadata m("llama");
    m.sizes(22, 2048, 5632, 32, 4, 2048, 32000)
        .with("attention.layer_norm_rms_epsilon", 1e-5F)
        .with("rope.dimension_count", 64U)
        .tensor("output.weight");
    return m;
}

/// The factors that converters write for Llama 3.
std::vector<float> llama_3_factors(double factor) {
    std::vector<float> all;
    for (int pair = 0; pair < 32; ++pair) {
        const double length = 2 * std::numbers::pi * std::pow(500000.0, pair / 32.0);
        const double smooth = (8192 / length - 1) / (4 - 1);
        all.push_back(static_cast<float>(length < 8192.0 / 4 ? 1
                                         : length > 8192     ? factor
                                                             : 1 / ((1 - smooth) / factor + smooth)));
    }
    return all;
}

} // namespace

TEST_CASE("a GGUF file says the configuration that was published") {
    CHECK(tiny_llama_file().read() == models::read_configuration(
                                          R"({"hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 5632,
  "max_position_embeddings": 2048, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 22,
  "num_key_value_heads": 4, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "tie_word_embeddings": false,
  "vocab_size": 32000})"));

    metadata llama_3("llama");
    llama_3.sizes(16, 2048, 8192, 32, 8, 131072, 128256)
        .with("attention.layer_norm_rms_epsilon", 1e-5F)
        .with("attention.key_length", 64U)
        .with("attention.value_length", 64U)
        .with("rope.freq_base", 500000.0F)
        .tensor("rope_freqs.weight", llama_3_factors(32));
    CHECK(llama_3.read() ==
          models::read_configuration(
              R"({"head_dim": 64, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 8192,
  "max_position_embeddings": 131072, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 16,
  "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0,
  "low_freq_factor": 1.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0,
  "tie_word_embeddings": true, "vocab_size": 128256})"));

    metadata qwen_2("qwen2");
    qwen_2.sizes(24, 896, 4864, 14, 2, 32768, 151936)
        .with("attention.layer_norm_rms_epsilon", 1e-6F)
        .with("rope.freq_base", 1e6F)
        .tensor("blk.0.attn_q.bias");
    CHECK(qwen_2.read() == models::read_configuration(
                               R"({"hidden_act": "silu", "hidden_size": 896, "intermediate_size": 4864,
  "max_position_embeddings": 32768, "model_type": "qwen2", "num_attention_heads": 14, "num_hidden_layers": 24,
  "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": true,
  "vocab_size": 151936})"));

    metadata qwen_3("qwen3");
    qwen_3.sizes(36, 2560, 9728, 32, 8, 40960, 151936)
        .with("attention.layer_norm_rms_epsilon", 1e-6F)
        .with("attention.key_length", 128U)
        .with("attention.value_length", 128U)
        .with("rope.freq_base", 1e6F)
        .with("rope.scaling.type", "yarn")
        .with("rope.scaling.factor", 4.0F)
        .with("rope.scaling.original_context_length", 32768U);
    CHECK(qwen_3.read() ==
          models::read_configuration(
              R"({"head_dim": 128, "hidden_act": "silu", "hidden_size": 2560, "intermediate_size": 9728,
  "max_position_embeddings": 40960, "model_type": "qwen3", "num_attention_heads": 32, "num_hidden_layers": 36,
  "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
  "original_max_position_embeddings": 32768}, "rope_theta": 1000000, "tie_word_embeddings": true, "vocab_size": 151936})"));

    metadata gemma_2("gemma2");
    gemma_2.sizes(26, 2304, 9216, 8, 4, 8192, 256000)
        .with("attention.layer_norm_rms_epsilon", 1e-6F)
        .with("attention.key_length", 256U)
        .with("attention.value_length", 256U)
        .with("attn_logit_softcapping", 50.0F)
        .with("final_logit_softcapping", 30.0F)
        .with("attention.sliding_window", 4096U);
    CHECK(gemma_2.read() == models::read_configuration(
                                R"({"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "head_dim": 256,
  "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304, "intermediate_size": 9216,
  "max_position_embeddings": 8192, "model_type": "gemma2", "num_attention_heads": 8, "num_hidden_layers": 26,
  "num_key_value_heads": 4, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
  "sliding_window": 4096, "vocab_size": 256000})"));

    metadata gemma_3("gemma3");
    gemma_3.sizes(34, 2560, 10240, 8, 4, 131072, 262208)
        .with("attention.layer_norm_rms_epsilon", 1e-6F)
        .with("attention.key_length", 256U)
        .with("attention.value_length", 256U)
        .with("rope.freq_base", 1e6F)
        .with("rope.scaling.type", "linear")
        .with("rope.scaling.factor", 8.0F)
        .with("attention.sliding_window", 1024U);
    const decoder_configuration published = models::read_configuration(
        R"({"model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
  "model_type": "gemma3_text", "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
  "sliding_window": 1024}})");
    CHECK(gemma_3.read() == published);

    metadata gpt_2("gpt2");
    gpt_2.with("block_count", 12U)
        .with("embedding_length", 768U)
        .with("feed_forward_length", 3072U)
        .with("attention.head_count", 12U)
        .with("context_length", 1024U)
        .with("vocab_size", 50257U)
        .with("attention.layer_norm_epsilon", 1e-5F);
    CHECK(gpt_2.read() == models::read_configuration(
                              R"({"activation_function": "gelu_new", "layer_norm_epsilon": 1e-05, "model_type": "gpt2",
  "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257})"));
}

TEST_CASE("the largest models of Gemma scale queries by the width of the stream over the heads") {
    metadata large("gemma2"); // 27B: query_pre_attn_scalar is 144
    large.sizes(46, 4608, 36864, 32, 16, 8192, 256000)
        .with("attention.layer_norm_rms_epsilon", 1e-6F)
        .with("attention.key_length", 128U)
        .with("attention.value_length", 128U);
    CHECK(large.read().query_scale == 1 / std::sqrt(144.0));
}

TEST_CASE("metadata that no known decoder has are refused by name") {
    const auto refused = [](const metadata& m, const std::string& part) {
        const std::string said = m.refusal();
        INFO(said);
        INFO(part);
        CHECK(said.find(part) != std::string::npos);
    };
    refused(metadata("mamba"), "general.architecture: 'mamba' is unknown; known are llama, qwen2");
    refused(metadata("llama"), "llama.block_count: is not there, and has no default");
    const auto changed = [](const auto& change) {
        metadata m = tiny_llama_file();
        change(m);
        return m;
    };
    refused(changed([](metadata& m) { m.with("attention.key_length", 32U); }),
            "llama.rope.dimension_count: 64 is not the width of a head, 32");
    refused(changed([](metadata& m) { m.with("attention.value_length", 32U); }), "llama.attention.value_length");
    refused(changed([](metadata& m) { m.with("rope.scaling.type", "longrope"); }),
            "'longrope' is unknown; known are none, linear and yarn");
    refused(changed([](metadata& m) { m.with("rope.scaling.type", "linear"); }),
            "llama.rope.scaling.factor: is not there");
    refused(changed([](metadata& m) { m.with("rope.scaling.type", "linear").with("rope.scaling.factor", 0.5F); }),
            "0.5 is below 1");
    refused(changed([](metadata& m) { m.with("rope.freq_base", std::numeric_limits<float>::infinity()); }),
            "inf is not a number from 0 to 1e30");
    refused(changed([](metadata& m) { m.with("rope.freq_base", 0.0F); }), "0 is not above 0");
    refused(changed([](metadata& m) { m.tensor("rope_freqs.weight", std::vector<float>(32, 2)); }),
            "tensor rope_freqs.weight: its 32 factors");
    refused(changed([](metadata& m) {
                m.tensor("rope_freqs.weight", {1, 2});
            }),
            "tensor rope_freqs.weight: its 2 factors");
    metadata other("qwen3");
    other.sizes(1, 100, 4, 3, 1, 1, 1).with("attention.layer_norm_rms_epsilon", 1e-6F);
    refused(other, "qwen3.attention.key_length: is not there");
    metadata none("qwen3");
    none.sizes(1, 100, 4, 0, 1, 1, 1);
    refused(none, "qwen3.attention.head_count: 0 is below 1");
    metadata uneven("qwen3");
    uneven.sizes(1, 96, 4, 3, 2, 1, 1).with("attention.layer_norm_rms_epsilon", 1e-6F);
    refused(uneven, "multiple");
    metadata many("qwen3");
    many.sizes(4'000'000'000, 96, 4, 3, 1, 1, 1).with("attention.layer_norm_rms_epsilon", 1e-6F);
    refused(many, "layers");
}

TEST_CASE("tensors of GGUF files have their published names") {
    const auto name_in = [](family f, const std::string& gguf) {
        return models::published_name({.kind = f, .layers = 12}, gguf);
    };
    for (const auto& [gguf, published] : std::initializer_list<std::pair<std::string, std::string>>{
             {"token_embd.weight", "model.embed_tokens.weight"},
             {"output_norm.weight", "model.norm.weight"},
             {"output.weight", "lm_head.weight"},
             {"blk.0.attn_norm.weight", "model.layers.0.input_layernorm.weight"},
             {"blk.11.attn_q.weight", "model.layers.11.self_attn.q_proj.weight"},
             {"blk.1.attn_k.bias", "model.layers.1.self_attn.k_proj.bias"},
             {"blk.1.attn_output.weight", "model.layers.1.self_attn.o_proj.weight"},
             {"blk.2.attn_q_norm.weight", "model.layers.2.self_attn.q_norm.weight"},
             {"blk.2.ffn_norm.weight", "model.layers.2.post_attention_layernorm.weight"},
             {"blk.2.ffn_gate.weight", "model.layers.2.mlp.gate_proj.weight"},
             {"blk.12.attn_q.weight", ""},
             {"blk.01.attn_q.weight", ""},
             {"blk.-1.attn_q.weight", ""},
             {"blk.1", ""},
             {"blk.1.", ""},
             {"blk..attn_q.weight", ""},
             {"blk.1attn_q.weight", ""},
             {"blk.1.post_ffw_norm.weight", ""},
             {"position_embd.weight", ""},
             {"rope_freqs.weight", ""},
             {"", ""}}) {
        CHECK(name_in(family::llama, gguf) == published);
    }
    CHECK(name_in(family::gemma3, "blk.3.ffn_norm.weight") == "model.layers.3.pre_feedforward_layernorm.weight");
    CHECK(name_in(family::gemma3, "blk.3.post_attention_norm.weight") ==
          "model.layers.3.post_attention_layernorm.weight");
    CHECK(name_in(family::gemma2, "blk.3.post_ffw_norm.weight") == "model.layers.3.post_feedforward_layernorm.weight");
    CHECK(name_in(family::gpt2, "token_embd.weight") == "wte.weight");
    CHECK(name_in(family::gpt2, "position_embd.weight") == "wpe.weight");
    CHECK(name_in(family::gpt2, "blk.3.attn_qkv.bias") == "h.3.attn.c_attn.bias");
    CHECK(name_in(family::gpt2, "blk.3.ffn_down.weight") == "h.3.mlp.c_proj.weight");
    CHECK(name_in(family::gpt2, "output_norm.bias") == "ln_f.bias");
    CHECK(name_in(family::gpt2, "blk.3.attn_q.weight") == "");
}

} // namespace gguf_configuration_tests
