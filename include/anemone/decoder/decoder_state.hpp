#pragma once

#include "../backend/any.hpp"
#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../models/decoder_graph.hpp"
#include "../models/head_part.hpp"
#include "../models/programs.hpp"
#include "../models/token_rows.hpp"
#include "decoder.hpp"
#include "layer_program.hpp"
#include "position_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

/// What decoders and their streams keep. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Keys and values of a layer: (kept heads, head width, capacity) and (kept heads, capacity, head width).
struct layer_cache {
    std::vector<half> keys;
    std::vector<half> values;
};

/// Of one stream.
struct stream_state {
    std::shared_ptr<decoder_state> by;
    std::vector<token_id> tokens{};
    std::vector<layer_cache>
        caches{}; ///< with `cache_form::states` those of a program that runs the stream hold instead
    std::vector<float> logits{};
    std::int64_t reused = 0;

    explicit stream_state(std::shared_ptr<decoder_state> of) : by(std::move(of)) {}
    stream_state(const stream_state&) = delete;
    stream_state& operator=(const stream_state&) = delete;
    inline ~stream_state();
};

/// The head's weight, and also in parts, rows for each, under the names that a graph in parts reads.
ANEMONE_INLINE weight_store with_head_parts(weight_store weights, const models::decoder_configuration& c,
                                            const decoder_options& how) {
    const std::string name = token_rows::name_of(models::head_of(c));
    const stored_tensor* const whole = weights.find(name);
    if (how.head_parts == 1 || whole == nullptr) {
        return weights;
    }
    const models::decoder_form form = form_of(how, 1);
    for (int part = 0; part < how.head_parts; ++part) {
        const std::string part_name = formatted("{}_{}", name, part);
        if (!weights.contains(part_name)) {
            weights.add(models::head_part(*whole, part_name, c, form, part));
        }
    }
    return weights;
}

/// Programs that a run goes through in a row, for so many positions.
struct program_chain {
    std::vector<layer_program> programs{};
    position_memory memory;
    bool has_head = false;
};

struct decoder_state {
    models::decoder_configuration configuration;
    weight_store weights;
    decoder_options how;
    backend::any place;
    token_rows embedding{};
    token_rows position_rows{};
    std::map<std::int64_t, program_chain> chains{}; ///< by their positions; 0: the head alone
    stream_state* held = nullptr;                   ///< whose caches are the states of
    program_chain* holder = nullptr;                ///< these programs
    std::mutex turn{};

    decoder_state(const models::decoder_configuration& of, weight_store given, const decoder_options& options,
                  backend::any where)
        : configuration(of), weights(std::move(given)), how(options), place(std::move(where)) {}

    bool with_states() const { return how.caches == models::cache_form::states; }

    /// The programs for so many positions, compiled where that is not done yet. Those for chunks of prompts have no head: it
    /// is run for the rows that are wanted.
    ANEMONE_INLINE program_chain& chain(std::int64_t positions) {
        const auto found = chains.find(positions);
        if (found != chains.end()) {
            return found->second;
        }
        const bool is_head = positions == 0;
        const std::int64_t rows = is_head ? how.rows : positions;
        program_chain made{.memory = position_memory(configuration, how, rows)};
        made.has_head = rows == how.rows;
        std::vector<models::decoder_form> forms;
        if (is_head) {
            forms.push_back(form_of(how, rows));
            forms.back().first = configuration.layers;
            forms.back().count = 0;
        } else {
            forms = models::programs_of(configuration, form_of(how, rows), {}, how.layers_per_program);
        }
        for (models::decoder_form& form : forms) {
            stop_if_cancelled();
            form.head_parts = how.head_parts;
            form.head = form.head && made.has_head;
            if (form.count > 0 || form.head) {
                made.programs.emplace_back(models::decoder_graph(configuration, form), weights, place);
            }
        }
        return chains.emplace(positions, std::move(made)).first->second;
    }

    /// Gives the states of programs the caches of a stream; those that they held go back to theirs.
    ANEMONE_INLINE void hold(stream_state& stream, program_chain& chain) {
        if (!with_states() || (held == &stream && holder == &chain)) {
            return;
        }
        if (held != nullptr) {
            each_state(
                *holder,
                [&](std::span<std::byte> state, std::span<std::byte> cache) {
                    std::memcpy(cache.data(), state.data(), cache.size());
                },
                *held);
        }
        held = nullptr;
        each_state(
            chain,
            [&](std::span<std::byte> state, std::span<std::byte> cache) {
                std::memcpy(state.data(), cache.data(), cache.size());
            },
            stream);
        held = &stream;
        holder = &chain;
    }

    ANEMONE_INLINE void forget(const stream_state& stream) { held = held == &stream ? nullptr : held; }

    /// The memory of a cache by the name of its port; empty where it is none.
    ANEMONE_INLINE static std::span<half> cache_of(stream_state& stream, const numbered_name& port) {
        if (port.number < 0 || port.number >= static_cast<std::int64_t>(stream.caches.size())) {
            return {};
        }
        layer_cache& cache = stream.caches[static_cast<std::size_t>(port.number)];
        return port.name == "keys"     ? std::span<half>(cache.keys)
               : port.name == "values" ? std::span<half>(cache.values)
                                       : std::span<half>();
    }

private:
    template <class Visit> void each_state(program_chain& chain, const Visit& visit, stream_state& stream) {
        for (layer_program& each : chain.programs) {
            for (const std::string& name : each.states()) {
                const std::span<std::byte> state = each.program().state(name);
                const std::span<std::byte> cache = std::as_writable_bytes(cache_of(stream, numbered(name)));
                if (state.size() != cache.size()) {
                    throw error(errc::graph, name,
                                formatted("is a state of {} bytes, the cache has {}", state.size(), cache.size()));
                }
                visit(state, cache);
            }
        }
    }
};

inline stream_state::~stream_state() {
    const std::scoped_lock lock(by->turn);
    by->forget(*this);
}

} // namespace ane::detail::inline ANEMONE_WAY
