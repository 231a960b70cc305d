#pragma once

#include "../graph/refusal.hpp"
#include "activation_layout.hpp"
#include "configuration.hpp"

#include <cstdint>

namespace ane::models {

/// Where keys and values of earlier positions stand: states that the program writes, or read-only inputs (the vendor's
/// form), where the host puts the new ones, which are outputs, behind the old ones.
enum class cache_form : std::uint8_t { inputs, states };

/// Which graph is made of a decoder.
struct decoder_form {
    std::int64_t positions = 1;   ///< that one run computes: 1 to decode, the length of a chunk for a prompt
    std::int64_t capacity = 2048; ///< earlier positions that the caches hold; with `inputs` 0 is possible: no cache
    cache_form caches = cache_form::inputs;
    activation_layout layout = activation_layout::rows;
    std::int64_t first = 0;  ///< layer of a program
    std::int64_t count = -1; ///< of layers; -1: all from the first one on
    bool head = true;        ///< whether it ends with the logits
    int head_parts = 1;      ///< the head as so many products, each over a part of the vocabulary
    std::int64_t batch = 1;  ///< texts that a run computes at once, each with positions and a cache of its own

    friend constexpr bool operator==(const decoder_form&, const decoder_form&) = default;
};

/// The layer behind the last one of a form.
constexpr std::int64_t end_of(const decoder_configuration& c, const decoder_form& f) noexcept {
    return f.count < 0 ? c.layers : f.first + f.count;
}
/// The words of the vocabulary that a part of the head has: equal parts, of which the last is smaller.
constexpr std::int64_t part_begin(const decoder_configuration& c, const decoder_form& f, int part) noexcept {
    const std::int64_t size = (c.vocabulary + f.head_parts - 1) / f.head_parts;
    return size * part < c.vocabulary ? size * part : c.vocabulary;
}

/// The most positions of a run, of all texts together, and of a cache.
inline constexpr std::int64_t most_positions = std::int64_t{1} << 20U;

/// Throws `ane::error` (errc::graph) for a form that the decoder does not have.
constexpr void require_form(const decoder_configuration& c, const decoder_form& f) {
    constexpr std::int64_t most = most_positions;
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("configuration", wrong.data());
    }
    if (f.positions < 1 || f.positions > most) {
        ane::detail::refuse_graph("positions", "a run computes from 1 to 1048576 positions", f.positions, most);
    }
    if (f.batch < 1 || f.batch > most / f.positions) {
        ane::detail::refuse_graph("batch", "all texts of a run have from 1 to 1048576 positions together", f.batch,
                                  most / f.positions);
    }
    if (f.capacity < (f.caches == cache_form::states ? 1 : 0) || f.capacity > most) {
        ane::detail::refuse_graph(
            "capacity", "caches have room for 1 to 1048576 positions, read-only ones also for none", f.capacity, most);
    }
    if (f.first < 0 || f.first > c.layers || end_of(c, f) > c.layers || end_of(c, f) < f.first) {
        ane::detail::refuse_graph("layers", "the decoder has no such layers", end_of(c, f), c.layers);
    }
    if (end_of(c, f) == f.first && !f.head) {
        ane::detail::refuse_graph("layers", "a program without a layer and without the head computes nothing");
    }
    if (f.head_parts < 1 || f.head_parts > 1024 || part_begin(c, f, f.head_parts - 1) >= c.vocabulary) {
        ane::detail::refuse_graph("head_parts", "the head has from 1 to 1024 parts, none of them empty", f.head_parts,
                                  1024);
    }
}

} // namespace ane::models
