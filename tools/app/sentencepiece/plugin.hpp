#pragma once

#include <cstddef>

namespace app {

using sentencepiece_text = void(void* to, const char* text, std::size_t size);
using sentencepiece_token = void(void* to, int token);

/// What the plug-in `anemone_sentencepiece` has under that name. Nothing is thrown.
struct sentencepiece_functions {
    void* (*open)(const char* file, void* to, sentencepiece_text* tell); ///< null: it is told why
    void (*close)(void* by);
    bool (*encode)(void* by, const char* text, std::size_t size, void* to, sentencepiece_token* give);
    bool (*decode)(void* by, const int* tokens, std::size_t count, void* to, sentencepiece_text* give);
    int (*size)(void* by);
    int (*begin)(void* by); ///< the token that begins a text; below 0: there is none
    int (*end)(void* by);
};

} // namespace app
