#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_decode_figures_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../graph/weights_of.hpp"
#include "../passes/lowering.hpp"
#include "../targets/table.hpp"
#include "decode_figures.hpp"
#include "decoder_graph.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ane::models::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void require_decode_option(std::string_view name, std::int64_t value, std::int64_t least,
                                          std::int64_t most) {
    if (value < least || value > most) {
        throw error(errc::argument, std::string(name), formatted("{} is not from {} to {}", value, least, most));
    }
}

/// The options with everything chosen.
ANEMONE_INLINE decode_options chosen(const decoder_configuration& c, decode_options how) {
    constexpr std::int64_t most = std::int64_t{1} << 22U;
    require_decode_option("context", how.context, 0, most);
    require_decode_option("capacity", how.capacity, 0, 2 * most);
    require_decode_option("queries", how.queries, 1, 4096);
    require_decode_option("chunk", how.chunk, 1, 4096);
    require_decode_option("batch", how.batch, 1,
                          std::min<std::int64_t>(4096, most_positions / std::max(how.queries, how.chunk)));
    require_decode_option("layers_per_program", how.layers_per_program, 0, c.layers);
    how.capacity = how.capacity > 0 ? how.capacity : how.context + 256;
    if (how.capacity < how.context) {
        throw error(errc::argument, "capacity", formatted("{} is below the context, {}", how.capacity, how.context));
    }
    return how;
}

/// Bytes of the weights of a layer and of the head, in fp16.
struct decode_weights {
    std::int64_t layer = 0, head = 0;
};
ANEMONE_INLINE decode_weights decode_weights_of(const decoder_configuration& c) {
    const auto bytes_of = [&](std::int64_t count, bool head) {
        std::int64_t all = 0;
        const decoder_form form{.positions = 1, .capacity = 32, .first = 0, .count = count, .head = head};
        for (const wanted_weight& w : weights_of(decoder_graph(c, form))) {
            all += 2 * w.shape.count();
        }
        return all;
    };
    const std::int64_t layer = bytes_of(1, false);
    return {layer, bytes_of(1, true) - layer};
}

/// Sums of estimates of programs.
struct decode_sum {
    decode_interval seconds, joules;
    decode_shares shares;

    ANEMONE_INLINE void add(const cost& e) {
        seconds.typical += e.clock.typical;
        seconds.at_least += e.clock.at_least;
        seconds.at_most += e.clock.at_most;
        // Published energies are met within 1.4 (docs/cost.md) where the rates are measured; the static power follows the time.
        const double spread = e.rates.known_by == mark::measured ? 1.4 : 2;
        joules.typical += e.joules;
        joules.at_least += (e.joules - e.rates.static_power * (e.clock.typical - e.clock.at_least)) / spread;
        joules.at_most += (e.joules + e.rates.static_power * (e.clock.at_most - e.clock.typical)) * spread;
        shares.dispatches += e.dispatch_seconds;
        for (const layer_cost& layer : e.layers) {
            shares.caches += layer.port_seconds;
            shares.arithmetic += layer.unit_seconds;
            const double memory = std::max(layer.weight_seconds, layer.value_seconds);
            double& memory_share = layer.weight_seconds >= layer.value_seconds ? shares.weights : shares.values;
            if (layer.fills) {
                shares.arithmetic += layer.compute_seconds;
                memory_share += memory;
            } else {
                (layer.compute_seconds > memory ? shares.arithmetic : memory_share) +=
                    std::max(layer.compute_seconds, memory);
            }
        }
    }
};

/// All programs of a run over so many positions. Programs that are alike are estimated once.
ANEMONE_INLINE decode_sum sum_of(const decoder_configuration& c, const target_description& d,
                                 const std::vector<decoder_form>& programs, std::int64_t positions,
                                 const decode_options& how) {
    const auto head_parts = static_cast<int>((c.vocabulary + d.limits.tensor_w - 1) / d.limits.tensor_w);
    std::map<std::pair<std::int64_t, bool>, cost> known;
    decode_sum sum;
    for (decoder_form form : programs) {
        const std::pair key(form.count, form.head);
        auto at = known.find(key);
        // Layers with a window and others have the same shapes, but for which masks and tables come in.
        if (at == known.end()) {
            form.positions = positions;
            form.capacity = how.capacity;
            form.batch = how.batch;
            form.head_parts = form.head ? head_parts : 1;
            at = known.emplace(key, estimate(lower(decoder_graph(c, form)).view(), d)).first;
        }
        sum.add(at->second);
    }
    return sum;
}

constexpr decode_interval each_of(const decode_interval& all, std::int64_t count) {
    const auto n = static_cast<double>(count);
    return {all.typical / n, all.at_least / n, all.at_most / n};
}
constexpr decode_shares each_of(const decode_shares& all, std::int64_t count) {
    const auto n = static_cast<double>(count);
    return {all.weights / n, all.arithmetic / n, all.caches / n, all.values / n, all.dispatches / n};
}

} // namespace ane::models::detail::inline ANEMONE_WAY

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_BODY_OF decode_figures figures_of(const decoder_configuration& c, target t, const decode_options& how) {
    const target_description& d = describe(t);
    if (!has_cost_model(d)) {
        throw error(errc::argument, std::string(d.name), "is a chip of which no rates are known");
    }
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        throw error(errc::argument, "configuration", std::string(wrong));
    }
    decode_figures f;
    f.target = t;
    f.how = detail::chosen(c, how);
    const std::vector<decoder_form> programs = programs_of(c, {}, how.limits, how.layers_per_program);
    f.programs = static_cast<int>(programs.size());
    const detail::decode_sum token = detail::sum_of(c, d, programs, f.how.queries, f.how);
    const detail::decode_sum chunk = detail::sum_of(c, d, programs, f.how.chunk, f.how);
    f.token = detail::each_of(token.seconds, how.batch);
    f.token_joules = detail::each_of(token.joules, how.batch);
    f.shares = detail::each_of(token.shares, how.batch);
    f.position = detail::each_of(chunk.seconds, how.batch * how.chunk);
    f.position_joules = detail::each_of(chunk.joules, how.batch * how.chunk);
    const detail::decode_weights weights = detail::decode_weights_of(c);
    f.weight_bytes = c.layers * weights.layer + weights.head;
    f.embedding_bytes = 2 * c.width * (c.vocabulary + (c.kind == family::gpt2 ? c.positions : 0));
    f.cache_bytes = 2 * 2 * how.batch * c.layers * c.kept_heads * c.head_width * f.how.capacity;
    f.known_by = rates_of(d).known_by;
    return f;
}

} // namespace ane::models::inline ANEMONE_WAY
