#pragma once

#include "front_end.hpp"
#include "generate_options.hpp"
#include "tokenizer.hpp"
#include <anemone/decoder/generation.hpp>
#include <anemone/io/json.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace app {

/// A language model of a folder, opened to decode. Any number of generations may go on at once, each with a stream of its
/// own; one that begins like a former one goes on from what that left.
class language_model {
public:
    /// Throws what `ane::models::read_checkpoint` and `ane::decoder` throw, and `ane::error` (errc::argument) for options out
    /// of their range, an unknown backend, weights that are missing, a draft of another vocabulary, and for keys and values
    /// that take more memory than they may.
    language_model(const std::string& path, const decoding_options& how, const caller& who);

    const std::string& path() const { return path_; }
    std::int64_t vocabulary() const { return decoder_.configuration().vocabulary; }
    const ane::models::decoder_configuration& configuration() const { return decoder_.configuration(); }
    const decoding_options& how() const { return how_; }
    const tokenizer& texts() const { return texts_; }
    /// What the reader remarks, a sentence each.
    const std::vector<std::string>& notes() const { return notes_; }

private:
    friend class generating;

    /// The streams that a generation has while it lives.
    struct streams {
        ane::decoder_stream text;
        std::optional<ane::decoder_stream> draft;
    };
    std::unique_ptr<streams> taken(std::span<const ane::token_id> prompt);
    void give_back(std::unique_ptr<streams> used);

    std::string path_;
    decoding_options how_;
    std::vector<std::string> notes_{};
    ane::decoder decoder_;
    std::optional<ane::decoder> draft_{};
    tokenizer texts_;
    std::mutex turn_{};
    std::vector<std::unique_ptr<streams>> free_{};
};

/// A text that goes on, token by token. It keeps its model alive. One call at a time.
class generating {
public:
    /// Throws what `ane::text_generation` throws, and `ane::error` (errc::argument) for options out of their range.
    generating(std::shared_ptr<language_model> by, std::span<const ane::token_id> prompt, const generate_options& how,
               const caller& who);
    generating(const generating&) = delete;
    generating& operator=(const generating&) = delete;
    ~generating();

    /// Throws what `ane::text_generation::next` throws, and `ane::error` (errc::argument) while another thread calls it.
    std::optional<ane::token_id> next();

    const language_model& model() const { return *by_; }
    /// The tokens that were given.
    std::span<const ane::token_id> tokens() const;
    const ane::generation_figures& figures() const { return state_->figures(); }
    ane::generation_end ended() const { return state_->ended(); }

private:
    std::shared_ptr<language_model> by_;
    std::unique_ptr<language_model::streams> streams_;
    std::optional<ane::text_generation> state_{};
    std::mutex busy_{};
};

/// "1,2,3", or with spaces or lines between them. Throws `ane::error` (errc::argument) for what is no number.
std::vector<ane::token_id> tokens_in(const std::string& text, const std::string& name);

/// A line: tokens, seconds to the first one, tokens in a second.
std::string figures_text(const generating& g);
/// Tokens, text where there is a tokenizer, why it ended, the figures.
std::string json(const generating& g);

} // namespace app
