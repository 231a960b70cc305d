#pragma once

#include "../checkpoint_files.hpp"
#include "text_configurations.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// What the modules of sentence-transformers make of the tokens; their list is `modules.json`.
class sentence_modules {
public:
    ANEMONE_INLINE explicit sentence_modules(const checkpoint_files& files) : files_(files) {}

    /// The configuration with them; the same where the folder has none.
    ANEMONE_INLINE bert_configuration added_to(bert_configuration c) const {
        const std::string name = "modules.json";
        const std::optional<std::string> text = files_.configuration(name);
        if (!text) {
            return c;
        }
        const configuration_keys keys(*text, files_.shown(name), ane::detail::json_top::list);
        c.has_pooler = false;
        c.has_length_one = false;
        for (int i = 0; keys.has(std::to_string(i)); ++i) {
            const std::string at = std::to_string(i) + "/";
            keys.require(at + "type");
            const std::string type = keys.text(at + "type", "");
            const std::string last = type.substr(type.rfind('.') + 1);
            const bool is_behind_pooling = c.pooling != sentence_pooling::none;
            if (last == "Transformer" && i == 0) {
                add_length(keys.text(at + "path", ""), c);
            } else if (last == "Pooling" && i > 0 && !is_behind_pooling) {
                add_pooling(keys.text(at + "path", "1_Pooling"), c);
            } else if (last == "Normalize" && is_behind_pooling) {
                c.has_length_one = true;
            } else {
                keys.refuse(at + "type", "'" + error::shortened(type, 100) +
                                             "' is unknown at this place; known are Transformer, then Pooling, then "
                                             "Normalize");
            }
        }
        if (c.pooling == sentence_pooling::none) {
            keys.refuse("modules", "there is no Pooling, without which a text has no embedding");
        }
        return c;
    }

private:
    ANEMONE_INLINE void add_length(const std::string& folder, bert_configuration& c) const {
        if (!folder.empty()) {
            throw error(errc::file, files_.shown("modules.json"),
                        "the Transformer is in the folder '" + error::shortened(folder, 100) +
                            "': give that, or put its files beside modules.json");
        }
        const std::string name = "sentence_bert_config.json";
        const std::optional<std::string> text = files_.configuration(name);
        if (!text) {
            return;
        }
        const configuration_keys keys(*text, files_.shown(name));
        if (!keys.has("max_seq_length")) {
            return;
        }
        const std::int64_t most = keys.integer("max_seq_length");
        if (most < 1 || most > c.positions) {
            keys.refuse("max_seq_length", formatted("{} tokens: the network has {} positions", most, c.positions));
        }
        c.usual = most;
    }

    ANEMONE_INLINE void add_pooling(const std::string& folder, bert_configuration& c) const {
        const std::string name = folder + "/config.json";
        const std::optional<std::string> text = files_.configuration(name);
        if (!text) {
            throw error(errc::file, files_.shown(name), "cannot be found: modules.json names it");
        }
        const configuration_keys keys(*text, files_.shown(name));
        for (const char* const key : {"word_embedding_dimension", "embedding_dimension"}) {
            require_integer(keys, key, c.width);
        }
        if (keys.has("pooling_mode")) { // newer files say it in a word
            const std::size_t which = one_of(keys, "pooling_mode", "", {"mean", "cls"});
            c.pooling = which == 0 ? sentence_pooling::mean : sentence_pooling::first;
            return;
        }
        const bool mean = keys.truth("pooling_mode_mean_tokens", false);
        const bool first = keys.truth("pooling_mode_cls_token", false);
        for (const std::string& key : keys.beginning_with("pooling_mode_")) {
            if (key != "pooling_mode_mean_tokens" && key != "pooling_mode_cls_token" && keys.truth(key, false)) {
                keys.refuse(key, "is unknown; known are pooling_mode_mean_tokens and pooling_mode_cls_token");
            }
        }
        if (mean == first) {
            keys.refuse("pooling_mode_mean_tokens",
                        mean ? "and pooling_mode_cls_token are both true: known is one of them"
                             : "and pooling_mode_cls_token are false: known is one of them");
        }
        c.pooling = mean ? sentence_pooling::mean : sentence_pooling::first;
    }

    const checkpoint_files& files_;
};

} // namespace ane::models::inline ANEMONE_WAY
