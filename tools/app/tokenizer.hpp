#pragma once

#include <anemone/decoder/sampling.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace app {

/// The SentencePiece model of a folder, `tokenizer.model`: text to tokens and back. Where the library was not there when
/// this was built, no folder has one.
class tokenizer {
public:
    /// Throws `ane::error` (errc::file) for a file that is none.
    explicit tokenizer(const std::string& folder);

    explicit operator bool() const { return held_ != nullptr; }
    /// Throws `ane::error` (errc::argument) where the folder has no tokenizer, or this was built without the library: with the
    /// way out.
    void require() const;

    /// With the token that begins a text before it, where the model has one.
    std::vector<ane::token_id> tokens_of(const std::string& text) const;
    std::string text_of(std::span<const ane::token_id> tokens) const;
    /// The token that ends a text; below 0: there is none.
    ane::token_id end() const;

private:
    std::string folder_;
    std::shared_ptr<void> held_{};
};

} // namespace app
