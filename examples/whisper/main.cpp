/// A sound to tokens: log-mel spectra, Whisper's encoder, and its decoder token by token with its caches
/// (docs/speech_networks.md). Without arguments a small network with random weights hears a tone, in both layouts. With the
/// folder of a published Whisper, a sound (WAV, 16 bits, mono, 16 kHz, no longer than the encoder hears) and the tokens of a
/// prompt, such as 50258 50259 50359: the tokens that follow, times among them; without a prompt the spectra, a line a band.
#include <anemone/anemone.hpp>
#include <anemone/decoder/transcription.hpp>
#include <anemone/models/network.hpp>
#include <anemone/models/network_checkpoint.hpp>
#include <anemone/models/speech/log_mel.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/safetensors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace ane::models;

constexpr network_form tiny_encoder{.layout = activation_layout::channels, .part = network_part::encoder};
static_assert(ane::conforms<image_network<whisper_tiny, tiny_encoder>, ane::macs>);

/// Half a second, and 24 tokens of 96 words.
constexpr whisper_configuration small{.width = 32,
                                      .encoder_layers = 2,
                                      .encoder_heads = 2,
                                      .encoder_inner = 64,
                                      .decoder_layers = 2,
                                      .decoder_heads = 4,
                                      .decoder_inner = 64,
                                      .positions = 25,
                                      .text_positions = 24,
                                      .vocabulary = 96};

/// A number of a file's bytes, least significant byte first.
std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < size; ++i) {
        found |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    return found;
}

/// The samples of a WAV file. Throws `ane::error` (errc::file) for another kind of sound.
std::vector<float> read_sound(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto refuse = [&](const std::string& why) { throw ane::error(ane::errc::file, path, why); };
    if (!bytes.starts_with("RIFF") || bytes.size() < 12 || bytes.compare(8, 4, "WAVE") != 0) {
        refuse("is no WAV file");
    }
    bool has_format = false;
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
        const std::string_view kind(bytes.data() + at, 4);
        const std::size_t size = number(bytes, at + 4, 4);
        at += 8;
        if (size > bytes.size() - at) {
            refuse(fmt::format("ends within its part '{}'", kind));
        }
        if (kind == "fmt " && size >= 16) {
            const auto coding = number(bytes, at, 2);
            const auto channels = number(bytes, at + 2, 2);
            const auto rate = number(bytes, at + 4, 4);
            const auto bits = number(bytes, at + 14, 2);
            if (coding != 1 || channels != 1 || rate != speech_rate || bits != 16) {
                refuse(fmt::format(
                    "has coding {}, {} channels, {} samples a second of {} bits: known is coding 1 (PCM), 1 "
                    "channel, {} samples of 16 bits",
                    coding, channels, rate, bits, speech_rate));
            }
            has_format = true;
        } else if (kind == "data" && has_format) {
            std::vector<float> sound;
            for (std::size_t i = 0; i + 2 <= size; i += 2) {
                const auto sample = static_cast<std::int16_t>(number(bytes, at + i, 2));
                sound.push_back(static_cast<float>(sample) / 32768);
            }
            return sound;
        }
        at += size + size % 2;
    }
    refuse("has no sound behind its format");
    return {};
}

/// What the tokens behind the words mean, as all multilingual networks have it: the end at 50257, and times in the last 1501.
ane::transcription_options options_of(const whisper_configuration& c, std::vector<ane::token_id> prompt) {
    ane::transcription_options how{.prompt = std::move(prompt)};
    constexpr std::int64_t multilingual = 51865;
    if (c.vocabulary >= multilingual) {
        const auto first = static_cast<ane::token_id>(c.vocabulary - 1501);
        how.end = 50257;
        how.times = ane::timestamp_tokens{.first = first, .end = 50257, .none = first - 1};
    }
    return how;
}

int transcribe(const std::string& folder, const std::string& path, const std::vector<ane::token_id>& prompt) {
    const network found = network_in_folder(folder);
    const auto* const c = std::get_if<whisper_configuration>(&found);
    if (c == nullptr) {
        throw ane::error(ane::errc::file, folder, "is no Whisper");
    }
    const std::vector<float> mel = log_mel(read_sound(path), c->mels, 2 * c->positions);
    if (prompt.empty()) {
        const auto spectra = static_cast<std::size_t>(2 * c->positions);
        for (std::size_t begin = 0; begin < mel.size(); begin += spectra) {
            fmt::print("{}\n", fmt::join(std::span(mel).subspan(begin, spectra), " "));
        }
        return 0;
    }
    ane::speech_model model(*c, ane::load_safetensors(folder + "/model.safetensors"), {}, ane::backend::cpu{});
    model.hear(mel);
    fmt::print("{}\n", fmt::join(model.transcribe(options_of(*c, prompt)), " "));
    return 0;
}

ane::weight_store random_tensors() {
    ane::weight_store all = ane::random_weights(network_graph(small, {.part = network_part::encoder}), 3);
    for (ane::stored_tensor each : ane::random_weights(network_graph(small, {.part = network_part::decoder}), 4)) {
        all.add(std::move(each));
    }
    const auto size = static_cast<std::size_t>(small.text_positions * small.width);
    std::vector<float> places(size);
    for (std::size_t i = 0; i < size; ++i) {
        places[i] = std::sin(0.7F * static_cast<float>(i));
    }
    all.add("decoder.embed_positions.weight", {small.text_positions, small.width}, std::span<const float>(places));
    return all;
}

int hear_a_tone() {
    std::vector<float> tone(8000);
    for (std::size_t i = 0; i < tone.size(); ++i) {
        tone[i] = 0.5F * std::sin(0.17F * static_cast<float>(i)); // 433 Hz
    }
    const std::vector<float> mel = log_mel(tone, small.mels, 2 * small.positions);
    const ane::weight_store tensors = random_tensors();
    std::vector<std::vector<ane::token_id>> texts;
    for (const activation_layout layout : {activation_layout::rows, activation_layout::channels}) {
        ane::speech_model model(small, tensors, {.layout = layout}, ane::backend::cpu{});
        model.hear(mel);
        texts.push_back(model.transcribe({.prompt = {1, 2, 3, 4, 5}, .max_tokens = 12}));
    }
    fmt::print("{} bands of {} spectra; tokens {}; in the engine's layout {}\n", small.mels, 2 * small.positions,
               fmt::join(texts[0], " "), texts[0] == texts[1] ? "the same" : "others");
    return texts[0] == texts[1] && texts[0].size() == 12 ? 0 : 1;
}

int main(int count, char** arguments) {
    try {
        if (count == 1) {
            return hear_a_tone();
        }
        std::vector<ane::token_id> prompt;
        for (int i = 3; i < count; ++i) {
            const std::string_view text = arguments[i];
            ane::token_id token = 0;
            const auto read = std::from_chars(text.data(), text.data() + text.size(), token);
            if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
                throw ane::error(ane::errc::argument, std::string(text), "is not the number of a token");
            }
            prompt.push_back(token);
        }
        if (count == 2) {
            fmt::print("usage: whisper [FOLDER SOUND.wav [TOKEN...]]\n");
            return 2;
        }
        return transcribe(arguments[1], arguments[2], prompt);
    } catch (const ane::error& e) {
        fmt::print("{}\n", e.what());
        return 1;
    }
}
