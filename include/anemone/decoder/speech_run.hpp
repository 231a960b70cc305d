#pragma once

#include "../models/decoder_inputs.hpp"
#include "../models/networks/network_checkpoint.hpp"
#include "../models/token_rows.hpp"
#include "layer_program.hpp"
#include "sampling.hpp"
#include "speech_options.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The programs of a network of speech, and the caches of the text that is decoded. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

struct speech_state {
    ANEMONE_INLINE speech_state(const models::whisper_configuration& model, const weight_store& tensors,
                                const speech_options& how, const backend::any& place)
        : configuration(model), how_(how), encoder_(part(models::network_part::encoder, tensors, place)),
          cross_(part(models::network_part::cross, tensors, place)),
          step_(part(models::network_part::step, tensors, place)), tables_(models::host_tables_among(model, tensors)),
          words_(tables_, "decoder.embed_tokens", model.vocabulary, model.width),
          places_(tables_, "decoder.embed_positions", model.text_positions, model.width),
          x_(static_cast<std::size_t>(how.rows * model.width)), logits_(static_cast<std::size_t>(model.vocabulary)) {
        const auto size = static_cast<std::size_t>(model.text_positions * model.width);
        keys_.assign(static_cast<std::size_t>(model.decoder_layers), std::vector<half>(size));
        values_ = keys_;
        mask_.resize(static_cast<std::size_t>(how.rows * (model.text_positions + how.rows)));
        bind_step();
    }

    /// Throws as `speech_model::hear`.
    ANEMONE_INLINE void hear(std::span<const float> mel) {
        const auto wanted = static_cast<std::size_t>(configuration.mels * 2 * configuration.positions);
        if (mel.size() != wanted) {
            throw error(errc::argument, "mel",
                        formatted("has {} numbers, must have {}: {} bands of {} spectra", mel.size(), wanted,
                                  configuration.mels, 2 * configuration.positions));
        }
        std::vector<half> sound(mel.size());
        std::ranges::transform(mel, sound.begin(), [](float each) { return half(each); });
        has_heard_ = false;
        encoder_.bind(0, sound);
        encoder_.run();
        cross_.bind(0, encoder_.output(0));
        cross_.run();
        for (std::size_t i = 0; i < cross_.outputs().size(); ++i) {
            require_finite(cross_.outputs()[i].is, cross_.output(i));
        }
        has_heard_ = true;
    }

    /// A new text.
    ANEMONE_INLINE void begin() {
        if (!has_heard_) {
            throw error(errc::argument, "model", "has heard nothing: give it spectra first");
        }
        kept_ = 0;
    }

    /// Goes on with tokens; gives the logits behind the last one, until the next call.
    ANEMONE_INLINE std::span<float> feed(std::span<const token_id> tokens) {
        while (!tokens.empty()) {
            const std::size_t count = std::min(tokens.size(), static_cast<std::size_t>(how_.rows));
            run(tokens.first(count));
            tokens = tokens.subspan(count);
            if (tokens.empty()) {
                take_logits(count - 1);
            }
        }
        return logits_;
    }

    models::whisper_configuration configuration;

private:
    ANEMONE_INLINE layer_program part(models::network_part which, const weight_store& tensors,
                                      const backend::any& place) const {
        models::network_form form{.layout = how_.layout, .part = which};
        form.positions = which == models::network_part::step ? how_.rows : 0;
        const read_model made = models::network_model(configuration, tensors, "tensors", {.form = form});
        return {made.graph, made.weights, place};
    }
    bool is_rows() const { return how_.layout == models::activation_layout::rows; }

    /// The step reads the caches and what was heard where they stand.
    ANEMONE_INLINE void bind_step() {
        for (std::size_t i = 0; i < step_.inputs().size(); ++i) {
            const numbered_name& is = step_.inputs()[i].is;
            const auto layer = static_cast<std::size_t>(std::max<std::int64_t>(is.number, 0));
            if (is.name == "x" || is.name == "mask") {
                step_.bind(i, is.name == "x" ? x_ : mask_);
            } else if (is.name == "keys" || is.name == "values") {
                step_.bind(i, (is.name == "keys" ? keys_ : values_)[layer]);
            } else {
                for (std::size_t k = 0; k < cross_.outputs().size(); ++k) {
                    const numbered_name& from = cross_.outputs()[k].is;
                    if (from.name == is.name && from.number == is.number) {
                        step_.bind(i, cross_.output(k));
                    }
                }
            }
        }
    }

    ANEMONE_INLINE void run(std::span<const token_id> tokens) {
        const auto rows = static_cast<std::size_t>(how_.rows);
        const auto width = static_cast<std::size_t>(configuration.width);
        std::ranges::fill(x_, half(0.0F));
        std::vector<float> word;
        std::vector<float> place;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            words_.read(tokens[i], word);
            places_.read(kept_ + static_cast<std::int64_t>(i), place);
            for (std::size_t k = 0; k < width; ++k) {
                const double sum = static_cast<double>(word[k]) + static_cast<double>(place[k]);
                x_[is_rows() ? i * width + k : k * rows + i] = half(sum);
            }
        }
        std::vector<float> mask(mask_.size());
        models::causal_mask({.positions = how_.rows, .capacity = configuration.text_positions}, kept_, 0, mask);
        std::ranges::transform(mask, mask_.begin(), [](float each) { return half(each); });
        step_.run();
        for (std::size_t i = 0; i < step_.outputs().size(); ++i) {
            const numbered_name& is = step_.outputs()[i].is;
            if (is.name == "new_keys" || is.name == "new_values") {
                require_finite(is, step_.output(i));
                auto& caches = is.name == "new_keys" ? keys_ : values_;
                append(caches[static_cast<std::size_t>(is.number)], step_.output(i), tokens.size());
            }
        }
        kept_ += static_cast<std::int64_t>(tokens.size());
    }

    /// The first `count` rows of new keys or values behind those of a cache.
    ANEMONE_INLINE void append(std::vector<half>& cache, std::span<const half> fresh, std::size_t count) const {
        const auto rows = static_cast<std::size_t>(how_.rows);
        const auto capacity = static_cast<std::size_t>(configuration.text_positions);
        const auto heads = static_cast<std::size_t>(configuration.decoder_heads);
        const auto width = static_cast<std::size_t>(configuration.width) / heads;
        const auto kept = static_cast<std::size_t>(kept_);
        for (std::size_t head = 0; head < heads; ++head) {
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t k = 0; k < width; ++k) {
                    const std::size_t from = is_rows() ? (head * rows + i) * width + k : (head * width + k) * rows + i;
                    const std::size_t to =
                        is_rows() ? (head * capacity + kept + i) * width + k : (head * width + k) * capacity + kept + i;
                    cache[to] = fresh[from];
                }
            }
        }
    }

    /// Of a row of the last run.
    ANEMONE_INLINE void take_logits(std::size_t row) {
        const auto rows = static_cast<std::size_t>(how_.rows);
        std::size_t begin = 0;
        for (std::size_t i = 0; i < step_.outputs().size(); ++i) {
            if (step_.outputs()[i].is.name != "logits") {
                continue;
            }
            const std::span<const half> from = step_.output(i);
            const std::size_t size = from.size() / rows;
            for (std::size_t k = 0; k < size; ++k) {
                const half logit = from[is_rows() ? row * size + k : k * rows + row];
                if (!is_finite(logit)) {
                    throw error(errc::port, "logits",
                                formatted("at position {} that of token {} is {}: the model leaves the range of fp16",
                                          kept_ - 1, begin + k, static_cast<float>(logit)));
                }
                logits_[begin + k] = static_cast<float>(logit);
            }
            begin += size;
        }
    }

    ANEMONE_INLINE static void require_finite(const numbered_name& port, std::span<const half> values) {
        const auto bad = std::ranges::find_if(values, [](half each) { return !is_finite(each); });
        if (bad != values.end()) {
            throw error(errc::port, formatted("{}_{}", port.name, port.number),
                        formatted("has {} at {}: the model leaves the range of fp16", static_cast<float>(*bad),
                                  bad - values.begin()));
        }
    }

    speech_options how_;
    layer_program encoder_;
    layer_program cross_;
    layer_program step_;
    weight_store tables_; ///< of the host
    token_rows words_;
    token_rows places_;
    std::vector<std::vector<half>> keys_{}; ///< of each layer, for all positions
    std::vector<std::vector<half>> values_{};
    std::vector<half> x_;
    std::vector<half> mask_{};
    std::vector<float> logits_;
    std::int64_t kept_ = 0; ///< positions in the caches
    bool has_heard_ = false;
};

} // namespace ane::detail::inline ANEMONE_WAY
