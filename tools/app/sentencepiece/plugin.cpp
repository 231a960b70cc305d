#include "plugin.hpp"

#include <memory>
#include <sentencepiece_processor.h>
#include <string>
#include <vector>

// The library, behind functions of C: it has a Protocol Buffers of its own, whose symbols are those of ONNX's with other
// meanings. So it is loaded apart, and sees its own ones first.

namespace {

using sentencepiece::SentencePieceProcessor;

SentencePieceProcessor& held(void* by) { return *static_cast<SentencePieceProcessor*>(by); }

void* open_file(const char* file, void* to, app::sentencepiece_text* tell) {
    try {
        auto made = std::make_unique<SentencePieceProcessor>();
        const auto status = made->Load(file);
        if (!status.ok()) {
            const std::string said(status.message());
            tell(to, said.data(), said.size());
            return nullptr;
        }
        return made.release();
    } catch (...) {
        tell(to, "there is not enough memory", 26);
        return nullptr;
    }
}

void close_file(void* by) { delete &held(by); }

bool encode(void* by, const char* text, std::size_t size, void* to, app::sentencepiece_token* give) {
    try {
        std::vector<int> ids;
        if (!held(by).Encode({text, size}, &ids).ok()) {
            return false;
        }
        for (const int each : ids) {
            give(to, each);
        }
        return true;
    } catch (...) {
        return false;
    }
}

bool decode(void* by, const int* tokens, std::size_t count, void* to, app::sentencepiece_text* give) {
    try {
        std::string text;
        if (!held(by).Decode(std::vector<int>(tokens, tokens + count), &text).ok()) {
            return false;
        }
        give(to, text.data(), text.size());
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

extern "C" __attribute__((visibility("default")))
const app::sentencepiece_functions anemone_sentencepiece{open_file,
                                                         close_file,
                                                         encode,
                                                         decode,
                                                         [](void* by) { return held(by).GetPieceSize(); },
                                                         [](void* by) { return held(by).bos_id(); },
                                                         [](void* by) { return held(by).eos_id(); }};
