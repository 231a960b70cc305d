#include "tokenizer.hpp"

#include "sentencepiece/plugin.hpp"
#include <anemone/base/error.hpp>

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <system_error>

#if !defined(ANEMONE_APP_SENTENCEPIECE)
#define ANEMONE_APP_SENTENCEPIECE "" // the name of the plug-in's file
#define ANEMONE_APP_PLUGINS ""       // the folder that it is installed to
#endif
#if !defined(RTLD_DEEPBIND) // where each library sees its own symbols first anyway
#define RTLD_DEEPBIND 0
#endif

namespace app {

namespace {

bool is_there(const std::string& file) {
    std::error_code none;
    return std::filesystem::is_regular_file(file, none);
}

/// Where the plug-in may be: beside Python's module, the C library or the program that this is part of, as a build and an
/// installation have it wherever they are moved to; and where it was to be installed.
std::vector<std::filesystem::path> places() {
    const std::filesystem::path file = ANEMONE_APP_SENTENCEPIECE;
    std::vector<std::filesystem::path> all;
    static const char here = 0;
    if (Dl_info image{}; ::dladdr(&here, &image) != 0 && image.dli_fname != nullptr) {
        std::error_code none;
        const std::filesystem::path of = std::filesystem::canonical(image.dli_fname, none).parent_path();
        if (!of.empty()) {
            all = {of / file, of / "anemone" / file, of.parent_path() / "lib" / "anemone" / file};
        }
    }
    all.push_back(std::filesystem::path(ANEMONE_APP_PLUGINS) / file);
    return all;
}

/// The plug-in's functions; null where there is none. It stays loaded.
const sentencepiece_functions* functions() {
    static const sentencepiece_functions* const found = [] {
        for (const std::filesystem::path& each : places()) {
            if (!each.is_absolute() || !is_there(each.string())) {
                continue;
            }
            if (void* const plugin = ::dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
                return static_cast<const sentencepiece_functions*>(::dlsym(plugin, "anemone_sentencepiece"));
            }
        }
        return static_cast<const sentencepiece_functions*>(nullptr);
    }();
    return found;
}

void keep_text(void* to, const char* text, std::size_t size) { static_cast<std::string*>(to)->assign(text, size); }
void keep_token(void* to, int token) { static_cast<std::vector<ane::token_id>*>(to)->push_back(token); }

} // namespace

tokenizer::tokenizer(const std::string& folder) : folder_(folder) {
    const std::string file = folder + "/tokenizer.model";
    if (!is_there(file) || functions() == nullptr) {
        return;
    }
    std::string said;
    void* const made = functions()->open(file.c_str(), &said, &keep_text);
    if (made == nullptr) {
        throw ane::error(ane::errc::file, file, "is no SentencePiece model: " + said);
    }
    held_ = std::shared_ptr<void>(made, functions()->close);
}

std::vector<ane::token_id> tokenizer::tokens_of(const std::string& text) const {
    require();
    std::vector<ane::token_id> tokens;
    if (const int begin = functions()->begin(held_.get()); begin >= 0) {
        tokens.push_back(begin);
    }
    if (!functions()->encode(held_.get(), text.data(), text.size(), &tokens, &keep_token)) {
        throw ane::error(ane::errc::argument, "text", "is not understood by the tokenizer of " + folder_);
    }
    return tokens;
}

std::string tokenizer::text_of(std::span<const ane::token_id> tokens) const {
    require();
    std::vector<int> known; // the vocabulary of a model may be larger
    const int count = functions()->size(held_.get());
    std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(known),
                 [&](int id) { return id >= 0 && id < count; });
    std::string text;
    if (!functions()->decode(held_.get(), known.data(), known.size(), &text, &keep_text)) {
        throw ane::error(ane::errc::argument, "tokens", "are not understood by the tokenizer of " + folder_);
    }
    return text;
}

ane::token_id tokenizer::end() const { return held_ == nullptr ? -1 : functions()->end(held_.get()); }

void tokenizer::require() const {
    if (held_ != nullptr) {
        return;
    }
    if (!is_there(folder_ + "/tokenizer.model")) {
        throw ane::error(ane::errc::argument, "text",
                         folder_ +
                             " has no tokenizer.model of SentencePiece; other tokenizers are not read: give tokens");
    }
    throw ane::error(ane::errc::argument, "text",
                     "this was built without SentencePiece, or its plug-in (lib/anemone) was left behind: install "
                     "libsentencepiece-dev and build again, or give tokens");
}

} // namespace app
