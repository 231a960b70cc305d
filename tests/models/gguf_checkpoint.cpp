// Models in GGUF files: the weights of each family as converters write them, and what is wrong with some.

#include "../from_environment.hpp"
#include "../weights/gguf_writer.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/checkpoint.hpp>
#include <anemone/readers/unreadable.hpp>
#include <anemone/weights/convert.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ane;
using gguf_files::little_endian;

namespace gguf_checkpoint_tests {
namespace {

/// Rows of numbers.
struct matrix {
    std::size_t rows = 1, columns = 1;
    std::vector<float> values = {};

    std::vector<float> row(std::size_t i) const {
        return {values.begin() + static_cast<std::ptrdiff_t>(i * columns),
                values.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns)};
    }
};

/// A file of one layer, tensor by tensor, and what the graph's weights are to be.
class one_layer {
public:
    one_layer(const std::string& architecture, const std::string& epsilon) : architecture_(architecture) {
        file.keys.push_back(gguf_files::key("general.architecture", 8, gguf_files::text(architecture)));
        number("block_count", 1);
        number("embedding_length", width);
        number("feed_forward_length", inner);
        number("attention.head_count", heads);
        number("attention.head_count_kv", kept);
        number("context_length", 16);
        file.keys.push_back(gguf_files::key(architecture + ".attention." + epsilon, 6, little_endian(1e-5F)));
    }
    void number(const std::string& key, std::uint32_t value) {
        file.keys.push_back(gguf_files::key(architecture_ + "." + key, 4, little_endian(value)));
    }
    matrix drawn(std::size_t rows, std::size_t columns) {
        matrix m{rows, columns};
        for (std::size_t i = 0; i < rows * columns; ++i) {
            m.values.push_back(static_cast<float>(draw_() % 4096) / 1024 - 2);
        }
        return m;
    }
    /// A tensor of the file; vectors have one row.
    void put(const std::string& name, const matrix& m) {
        std::vector<std::uint64_t> shape = {m.columns};
        if (m.rows > 1) {
            shape.push_back(m.rows);
        }
        file.tensors.push_back({name, shape, 0, file.data.size()});
        for (const float v : m.values) {
            file.data += little_endian(v);
        }
        file.data.resize((file.data.size() + 31) / 32 * 32, '\0');
    }
    /// The same in the graph.
    void same(const std::string& name, const std::string& graph_name, std::size_t rows, std::size_t columns) {
        const matrix m = drawn(rows, columns);
        put(name, m);
        wanted[graph_name] = m.values;
    }
    /// Rows of heads as ggml's llama turns them: pair j of a head is row 2 j and 2 j + 1, where it was published as rows j and
    /// j + width / 2.
    void in_pairs(const std::string& name, const std::string& graph_name, std::size_t rows, std::size_t columns) {
        const matrix published = drawn(rows, columns);
        matrix stored{rows, columns};
        for (std::size_t head = 0; head < rows; head += head_width) {
            for (std::size_t j = 0; j < head_width / 2; ++j) {
                for (const std::size_t from : {head + j, head + j + head_width / 2}) {
                    const std::vector<float> row = published.row(from);
                    stored.values.insert(stored.values.end(), row.begin(), row.end());
                }
            }
        }
        put(name, stored);
        wanted[graph_name] = published.values;
    }
    models::checkpoint read() const {
        const gguf_files::written on_disk(file);
        return models::read_checkpoint(on_disk.path());
    }
    void check(const models::checkpoint& c) const {
        CHECK(c.missing.empty());
        CHECK(c.left_over.empty());
        CHECK(c.weights.size() == wanted.size());
        for (const auto& each : wanted) {
            CAPTURE(each.first);
            REQUIRE(c.weights.contains(each.first));
            CHECK(to_float(c.weights.at(each.first)) == each.second);
        }
    }

    static constexpr std::uint32_t width = 16, inner = 24, heads = 4, kept = 2, head_width = 4, vocabulary = 10;
    gguf_files::file file;
    std::map<std::string, std::vector<float>> wanted;

private:
    std::string architecture_;
    std::mt19937 draw_{from_environment::seed()};
};

/// What llama, qwen and gemma have alike.
one_layer like_llama(const std::string& architecture) {
    one_layer f(architecture, "layer_norm_rms_epsilon");
    const bool turns = architecture == "llama";
    const auto product = [&](const std::string& part, const std::string& graph, std::size_t rows, std::size_t columns,
                             bool turned = false) {
        const std::string name = "blk.0." + part + ".weight";
        const std::string in_graph = "model_layers_0_" + graph + "_weight";
        turned ? f.in_pairs(name, in_graph, rows, columns) : f.same(name, in_graph, rows, columns);
    };
    const std::size_t w = one_layer::width, kept = one_layer::kept * one_layer::head_width;
    f.same("token_embd.weight", "model_embed_tokens_weight", one_layer::vocabulary, w);
    f.same("output_norm.weight", "model_norm_weight", 1, w);
    product("attn_norm", "input_layernorm", 1, w);
    product("attn_q", "self_attn_q_proj", w, w, turns);
    product("attn_k", "self_attn_k_proj", kept, w, turns);
    product("attn_v", "self_attn_v_proj", kept, w);
    product("attn_output", "self_attn_o_proj", w, w);
    product("ffn_gate", "mlp_gate_proj", one_layer::inner, w);
    product("ffn_up", "mlp_up_proj", one_layer::inner, w);
    product("ffn_down", "mlp_down_proj", w, one_layer::inner);
    if (architecture.starts_with("gemma")) {
        product("post_attention_norm", "post_attention_layernorm", 1, w);
        product("ffn_norm", "pre_feedforward_layernorm", 1, w);
        product("post_ffw_norm", "post_feedforward_layernorm", 1, w);
    } else {
        product("ffn_norm", "post_attention_layernorm", 1, w);
    }
    if (architecture == "qwen3" || architecture == "gemma3") {
        product("attn_q_norm", "self_attn_q_norm", 1, one_layer::head_width);
        product("attn_k_norm", "self_attn_k_norm", 1, one_layer::head_width);
    }
    return f;
}

} // namespace

TEST_CASE("the weights of a GGUF file of each family are those of the graph") {
    for (const std::string architecture : {"llama", "qwen3", "gemma2", "gemma3"}) {
        CAPTURE(architecture);
        one_layer f = like_llama(architecture);
        if (architecture == "llama") { // a head of its own
            f.same("output.weight", "lm_head_weight", one_layer::vocabulary, one_layer::width);
        }
        const models::checkpoint c = f.read();
        CHECK(c.configuration.ties_embeddings == (architecture != "llama"));
        f.check(c);
    }
    one_layer qwen2 = like_llama("qwen2");
    qwen2.same("blk.0.attn_q.bias", "model_layers_0_self_attn_q_proj_bias", 1, 16);
    qwen2.same("blk.0.attn_k.bias", "model_layers_0_self_attn_k_proj_bias", 1, 8);
    qwen2.same("blk.0.attn_v.bias", "model_layers_0_self_attn_v_proj_bias", 1, 8);
    qwen2.check(qwen2.read());

    one_layer gpt2("gpt2", "layer_norm_epsilon");
    gpt2.file.keys.erase(gpt2.file.keys.begin() + 5); // every head has keys of its own
    gpt2.same("token_embd.weight", "wte_weight", 10, 16);
    gpt2.same("position_embd.weight", "wpe_weight", 16, 16);
    for (const auto& [part, graph, rows, columns] :
         {std::tuple("attn_norm", "h_0_ln_1", 1, 16), std::tuple("attn_output", "h_0_attn_c_proj", 16, 16),
          std::tuple("ffn_norm", "h_0_ln_2", 1, 16), std::tuple("ffn_up", "h_0_mlp_c_fc", 24, 16),
          std::tuple("ffn_down", "h_0_mlp_c_proj", 16, 24)}) {
        const auto out = static_cast<std::size_t>(rows == 1 ? columns : rows);
        gpt2.same(std::string("blk.0.") + part + ".weight", std::string(graph) + "_weight",
                  static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
        gpt2.same(std::string("blk.0.") + part + ".bias", std::string(graph) + "_bias", 1, out);
    }
    gpt2.same("output_norm.weight", "ln_f_weight", 1, 16);
    gpt2.same("output_norm.bias", "ln_f_bias", 1, 16);
    const matrix joined = gpt2.drawn(48, 16);
    const matrix bias = gpt2.drawn(1, 48);
    gpt2.put("blk.0.attn_qkv.weight", joined);
    gpt2.put("blk.0.attn_qkv.bias", bias);
    for (std::size_t k = 0; k < 3; ++k) {
        const std::string part = std::string("h_0_attn_") + "qkv"[k] + "_attn";
        const auto begin = [&](const matrix& m, std::size_t size) {
            const auto at = m.values.begin() + static_cast<std::ptrdiff_t>(k * size);
            return std::vector<float>(at, at + static_cast<std::ptrdiff_t>(size));
        };
        gpt2.wanted[part + "_weight"] = begin(joined, 256);
        gpt2.wanted[part + "_bias"] = begin(bias, 16);
    }
    gpt2.check(gpt2.read());
}

TEST_CASE("a GGUF file is a model with a graph; what is missing, left over and misshapen is named") {
    one_layer f = like_llama("qwen3");
    {
        const gguf_files::written on_disk(f.file);
        const read_model model = models::read_checkpoint_model(on_disk.path(), {.positions = 2, .capacity = 8});
        CHECK(model.missing.empty());
        CHECK(model.graph.view().find(op::input, "keys_0") >= 0);
    }
    f.put("blk.0.attn_z.weight", f.drawn(2, 2));
    CHECK(f.read().left_over == std::vector<std::string>{"blk.0.attn_z.weight"});
    one_layer short_one = like_llama("qwen3");
    short_one.file.tensors.erase(short_one.file.tensors.begin() + 3);
    CHECK(short_one.read().missing == std::vector<std::string>{"model_layers_0_self_attn_q_proj_weight"});
    one_layer narrow = like_llama("llama");
    narrow.file.tensors[3].extents = {15, 16}; // attn_q
    try {
        static_cast<void>(narrow.read());
        CHECK(false);
    } catch (const unreadable& e) {
        REQUIRE(e.faults().size() == 1);
        CHECK(e.faults()[0].operation == "model.layers.0.self_attn.q_proj.weight");
        CHECK(e.faults()[0].reason.find("the configuration says") != std::string::npos);
    }
    one_layer large = like_llama("qwen3");
    large.file.data.replace(0, 4, little_endian(1e6F));
    const models::checkpoint counted = large.read();
    REQUIRE(counted.notes.size() == 1);
    CHECK(counted.notes[0].find("model_embed_tokens_weight: fp16 cannot hold 1 of 160 numbers") == 0);
    one_layer none = like_llama("qwen3");
    none.file.tensors.clear();
    none.number("vocab_size", 10);
    CHECK(none.read().missing.size() == none.wanted.size());
}

} // namespace gguf_checkpoint_tests
