#pragma once

#include "../base/formatted.hpp"
#include "../readers/unreadable.hpp"
#include "../weights/convert.hpp"
#include "../weights/store.hpp"
#include "checkpoint.hpp"
#include "decoder_graph.hpp"
#include "published_numbers.hpp"
#include "tensor_forms.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// Whose form tensors have: as they were published, or as ggml's converters write them: products [to, from] throughout,
/// normalizations of gemma 1 + w.
enum class tensor_source { published, gguf };

/// Puts the tensors of a published model under the names and into the forms of its graph.
class published_tensors {
public:
    ANEMONE_INLINE published_tensors(checkpoint& made, const checkpoint_options& options, const std::string& path,
                                     tensor_source source = tensor_source::published)
        : made_(made), options_(options), path_(path), c_(made.configuration),
          is_published_(source == tensor_source::published) {
        const dynamic_graph whole = decoder_graph(c_, {.positions = 1, .capacity = 0});
        const graph_view g = whole;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::weight) {
                wanted_.emplace(std::string(g.name(i)), g[i].shape);
            }
        }
        const published_names n = names_of(c_.kind);
        want(n.embedding, {c_.vocabulary, c_.width});
        if (!n.position_embedding.empty()) {
            want(n.position_embedding, {c_.positions, c_.width});
        }
    }

    /// Takes all of them; throws `unreadable` with these faults and its own.
    ANEMONE_INLINE void take(std::vector<stored_tensor> all, std::vector<read_fault> faults) {
        faults_ = std::move(faults);
        const bool has_any = !all.empty();
        for (stored_tensor& t : all) {
            take(std::move(t));
        }
        for (const auto& [name, shape] : wanted_) {
            if (!made_.weights.contains(name)) {
                made_.missing.push_back(name);
            }
        }
        if (has_any && !made_.missing.empty()) {
            refuse_joined();
        }
        if (!faults_.empty()) {
            throw unreadable(path_, std::move(faults_));
        }
    }

private:
    ANEMONE_INLINE void want(std::string_view published, const extents& shape) {
        wanted_.emplace(graph_name(std::string(published) + ".weight"), shape);
    }
    ANEMONE_INLINE static std::string graph_name(std::string_view published) {
        const sequence<char> name = weight_name(published);
        return {name.data(), name.size()};
    }
    ANEMONE_INLINE void fault(const std::string& tensor, const std::string& why) {
        faults_.push_back({path_, 0, 0, tensor, why});
    }

    /// The name without what wrappers of the model put before it.
    ANEMONE_INLINE std::string bare(const std::string& name) const {
        for (const auto& [before, instead] : {std::pair<std::string_view, std::string_view>{"transformer.", ""},
                                              {"language_model.model.", "model."},
                                              {"language_model.lm_head.", "lm_head."},
                                              {"model.language_model.", "model."}}) {
            const bool is_gpt2 = c_.kind == family::gpt2;
            if (name.starts_with(before) && is_gpt2 == (before == "transformer.")) {
                return std::string(instead) + name.substr(before.size());
            }
        }
        return name;
    }
    /// Tables that older files carry and that follow from the configuration.
    ANEMONE_INLINE bool is_table(const std::string& name) const {
        return name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".attn.masked_bias") ||
               (c_.kind == family::gpt2 && name.ends_with(".attn.bias")) ||
               (c_.ties_embeddings && name == "lm_head.weight");
    }

    ANEMONE_INLINE void take(stored_tensor t) {
        const std::string published = t.name;
        const std::string name = bare(published);
        if (is_table(name)) {
            return;
        }
        if (c_.kind == family::gpt2 && name.find(".attn.c_attn.") != std::string::npos) {
            split_attention(std::move(t), name);
            return;
        }
        const auto known = wanted_.find(graph_name(name));
        if (known == wanted_.end()) {
            made_.left_over.push_back(published);
            return;
        }
        if (!has_known_type(t)) {
            return;
        }
        const bool is_turned = is_published_ && c_.kind == family::gpt2 && t.shape.rank == 2 &&
                               known->second.rank == 2 && !name.starts_with("w") && name != "lm_head.weight";
        extents stored = known->second;
        if (is_turned) {
            std::swap(stored[0], stored[1]);
        }
        if (t.shape != stored) {
            fault(published, fault_of_shape(t.shape, stored));
            return;
        }
        add(std::move(t), known->first, is_turned);
    }

    ANEMONE_INLINE bool has_known_type(const stored_tensor& t) {
        const std::optional<std::string> wrong = fault_of_type(t);
        if (wrong) {
            fault(t.name, *wrong);
        }
        return !wrong;
    }

    /// c_attn has queries, keys and values beside each other: [width, 3 width], its bias [3 width].
    ANEMONE_INLINE void split_attention(stored_tensor t, const std::string& name) {
        const bool is_weight = name.ends_with(".weight");
        const extents stored = !is_weight      ? extents{3 * c_.width}
                               : is_published_ ? extents{c_.width, 3 * c_.width}
                                               : extents{3 * c_.width, c_.width};
        if (!has_known_type(t)) {
            return;
        }
        if (t.shape != stored) {
            fault(t.name, fault_of_shape(t.shape, stored));
            return;
        }
        if (is_weight && is_published_) {
            require_memory(t.name, t.bytes.size());
            t = turned(std::move(t));
        }
        const std::size_t part = t.bytes.size() / 3;
        const std::size_t at = name.find("c_attn");
        for (std::size_t k = 0; k < 3; ++k) {
            std::string of = name;
            of.replace(at, 6, std::string(1, "qkv"[k]) + "_attn");
            const auto known = wanted_.find(graph_name(of));
            if (known == wanted_.end()) { // of a layer that there is none of
                made_.left_over.push_back(t.name);
                return;
            }
            put({known->first, t.type, known->second, t.bytes.part(k * part, part)}, t.name);
        }
    }

    ANEMONE_INLINE void require_memory(const std::string& name, std::size_t size) {
        if (size > options_.max_memory - std::min(taken_, options_.max_memory)) {
            throw error(
                errc::file, path_,
                formatted("tensor '{}' has to be turned while it is read, with those before it that takes more than "
                          "the {} bytes that are allowed",
                          name, options_.max_memory));
        }
        taken_ += size;
    }

    ANEMONE_INLINE void add(stored_tensor t, const std::string& name, bool is_turned) {
        const std::string published = std::exchange(t.name, name);
        if (is_turned) {
            require_memory(published, t.bytes.size());
            t = turned(std::move(t));
        } else if (is_published_ && is_gemma(c_.kind) && t.shape.rank == 1 && name.ends_with("norm_weight")) {
            std::vector<float> values = to_float(t);
            for (float& each : values) {
                each += 1; // of w, the family multiplies by 1 + w
            }
            t = with_values(t, values);
        }
        put(std::move(t), published);
    }

    ANEMONE_INLINE void put(stored_tensor t, const std::string& published) {
        if (made_.weights.contains(t.name)) {
            fault(published, "stands there twice, with another prefix");
            return;
        }
        made_.weights.add(std::move(t));
    }

    /// Weights that others keep joined, where the model's own are missing.
    ANEMONE_INLINE void refuse_joined() {
        for (const std::string& name : made_.left_over) {
            for (const std::string_view joined : {"qkv_proj", "gate_up_proj", "W_pack", "query_key_value", "in_proj"}) {
                if (name.find(joined) != std::string::npos) {
                    fault(name, formatted("is several weights in one, which {} does not have: they are read apart",
                                          ane::models::name(c_.kind)));
                    return;
                }
            }
        }
    }

    checkpoint& made_;
    const checkpoint_options& options_;
    std::string path_;
    const decoder_configuration& c_;
    bool is_published_;
    std::map<std::string, extents> wanted_;
    std::vector<read_fault> faults_;
    std::uint64_t taken_ = 0;
};

} // namespace ane::models::inline ANEMONE_WAY
