#pragma once

#include "../base/way.hpp"
#include "publisher.hpp"
#include "weight_name.hpp"

#include <string>
#include <string_view>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE std::string graph_name(std::string_view published) {
    const sequence<char> name = weight_name(published);
    return {name.data(), name.size()};
}

/// Whether a tensor follows from the rest of a model: counts of training steps, numbers from 0 on, masks and indices of windows.
ANEMONE_INLINE bool follows_from_the_rest(std::string_view published) {
    for (const std::string_view end :
         {".num_batches_tracked", "embeddings.position_ids", ".relative_position_index", ".attn_mask"}) {
        if (published.ends_with(end)) {
            return true;
        }
    }
    return false;
}

/// A name that a library had for a tensor before, behind `before`, and the one that it has today.
struct older_name {
    publisher source;
    std::string_view before, older, newer;
};
inline constexpr older_name older_names[] = {
    {publisher::torchvision, "_mlp_", "linear_1_", "0_"}, // of an inner layer
    {publisher::torchvision, "_mlp_", "linear_2_", "3_"},
    {publisher::transformers, "_LayerNorm_", "gamma", "weight"}, // of BERT before PyTorch
    {publisher::transformers, "_LayerNorm_", "beta", "bias"},
    {publisher::diffusers, "_attentions_0_", "query_", "to_q_"},
    {publisher::diffusers, "_attentions_0_", "key_", "to_k_"},
    {publisher::diffusers, "_attentions_0_", "value_", "to_v_"},
    {publisher::diffusers, "_attentions_0_", "proj_attn_", "to_out_0_"}};

/// The name that the graph has for a published tensor. transformers puts the name of the model before that of its body.
ANEMONE_INLINE std::string name_in_graph(std::string_view published, publisher source) {
    if (source == publisher::transformers) {
        for (const std::string_view body :
             {"resnet.", "convnext.", "vit.", "swin.", "bert.", "roberta.", "distilbert.", "model."}) {
            if (published.starts_with(body)) {
                published.remove_prefix(body.size());
                break;
            }
        }
    }
    std::string name = graph_name(published);
    for (const older_name& each : older_names) {
        const std::string whole = std::string(each.before) + std::string(each.older);
        const std::size_t at = each.source == source ? name.find(whole) : std::string::npos;
        if (at != std::string::npos) {
            name.replace(at + each.before.size(), each.older.size(), each.newer);
        }
    }
    return name;
}

} // namespace ane::models::inline ANEMONE_WAY
