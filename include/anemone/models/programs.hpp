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

/// How many layers of a decoder one program holds: one at least, whatever it takes.
constexpr std::int64_t layers_per_program(const decoder_configuration& c, const segment_limits& limits = {}) noexcept {
    std::int64_t most = c.layers;
    if (limits.decoder_layers > 0 && limits.decoder_layers < most) {
        most = limits.decoder_layers;
    }
    if (limits.weight_bytes > 0 && limits.weight_bytes / layer_bytes(c) < most) {
        most = limits.weight_bytes / layer_bytes(c);
    }
    return most < 1 ? 1 : most;
}

/// The forms of the programs of a decoder, in the order in which they run: each has `layers`, the last one what is left; 0: as
/// many as the limits allow. The head, in parts, belongs to the last program if its weights have room there, or if that has all
/// layers because it was asked to, else it is a program of its own.
inline std::vector<decoder_form> programs_of(const decoder_configuration& c, decoder_form form = {},
                                             const segment_limits& limits = {}, std::int64_t layers = 0) {
    const std::int64_t each = layers > 0 ? layers : layers_per_program(c, limits);
    form.head_parts = head_parts_of(c);
    form.head = false;
    std::vector<decoder_form> all;
    for (form.first = 0; form.first < c.layers; form.first += each) {
        form.count = c.layers - form.first < each ? c.layers - form.first : each;
        all.push_back(form);
    }
    const std::int64_t last_bytes = all.back().count * layer_bytes(c) + 2 * c.vocabulary * c.width;
    if (limits.weight_bytes == 0 || last_bytes <= limits.weight_bytes || layers == c.layers) {
        all.back().head = true;
    } else {
        form.first = c.layers;
        form.count = 0;
        form.head = true;
        all.push_back(form);
    }
    return all;
}

/// Whether the graphs of two forms are the same but for the names of ports and weights.
constexpr bool are_alike(const decoder_configuration& c, const decoder_form& one, decoder_form other) noexcept {
    const std::int64_t first = other.first;
    other.first = one.first;
    bool alike = one == other;
    for (std::int64_t i = one.first; alike && i < end_of(c, one); ++i) {
        alike = has_window(c, i) == has_window(c, i - one.first + first);
    }
    return alike;
}

} // namespace ane::models
