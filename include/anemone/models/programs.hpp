#pragma once

#include "../segments/limits.hpp"
#include "decoder_form.hpp"

#include <cstdint>
#include <vector>

/// A decoder in programs that each hold as many layers as the engine takes, and a head whose parts fit.
namespace ane::models {

/// The widest row that all Macs take (R015, M1 to M3).
inline constexpr std::int64_t widest_row = 16384;

/// The fewest parts of the head of which each is a row that all Macs take.
constexpr int head_parts_of(const decoder_configuration& c) noexcept {
    return static_cast<int>((c.vocabulary + widest_row - 1) / widest_row);
}

/// The bytes of a layer's matrices in fp16.
constexpr std::int64_t layer_bytes(const decoder_configuration& c) noexcept {
    const std::int64_t attention = 2 * c.width * c.head_width * (c.heads + c.kept_heads);
    const std::int64_t inner = (c.kind == family::gpt2 ? 2 : 3) * c.width * c.inner;
    return 2 * (attention + inner);
}

/// How many programs hold the layers of a decoder, each with as many as the limits allow.
constexpr std::int64_t program_count(const decoder_configuration& c, const segment_limits& limits = {}) noexcept {
    const std::int64_t by_weight = limits.weight_bytes > 0 ? limits.weight_bytes / layer_bytes(c) : c.layers;
    const std::int64_t by_layers = limits.decoder_layers > 0 ? limits.decoder_layers : c.layers;
    const std::int64_t most = by_weight < by_layers ? by_weight : by_layers;
    return most < 1 ? c.layers : (c.layers + most - 1) / most;
}

/// The forms of the programs of a decoder, in the order in which they run: as many layers each as the limits allow, spread
/// evenly, and the head in parts. It belongs to the last program if its weights have room there, else it is one of its own.
inline std::vector<decoder_form> programs_of(const decoder_configuration& c, decoder_form form = {},
                                             const segment_limits& limits = {}) {
    const std::int64_t count = program_count(c, limits);
    form.head_parts = head_parts_of(c);
    std::vector<decoder_form> all;
    for (std::int64_t k = 0; k < count; ++k) {
        decoder_form one = form;
        one.first = c.layers * k / count;
        one.count = c.layers * (k + 1) / count - one.first;
        one.head = k + 1 == count;
        all.push_back(one);
    }
    decoder_form& last = all.back();
    if (limits.weight_bytes > 0 && last.count * layer_bytes(c) + 2 * c.vocabulary * c.width > limits.weight_bytes) {
        last.head = false;
        form.first = c.layers;
        form.count = 0;
        form.head = true;
        all.push_back(form);
    }
    return all;
}

} // namespace ane::models
