#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_decoder_inputs_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "decoder_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE void require_numbers(const char* subject, std::size_t given, std::int64_t wanted) {
    if (wanted < 0 || given != static_cast<std::size_t>(wanted)) {
        throw error(errc::argument, subject, formatted("has room for {} numbers, not {}", given, wanted));
    }
}

/// The frequencies of llama3's scaling: slow pairs are stretched, fast ones are not, between them both are mixed.
ANEMONE_INLINE double llama3_frequency(const rope& r, double frequency) {
    const double turns = static_cast<double>(r.original_positions) * frequency / (2 * std::numbers::pi);
    if (turns < r.low_frequency) {
        return frequency / r.factor;
    }
    if (turns > r.high_frequency) {
        return frequency;
    }
    const double mixed = (turns - r.low_frequency) / (r.high_frequency - r.low_frequency);
    return (1 - mixed) * frequency / r.factor + mixed * frequency;
}

/// The share of the stretched angle in yarn's pair k.
ANEMONE_INLINE double yarn_share(const rope& r, std::int64_t head_width, double k) {
    const auto pair_of = [&](double turns) {
        return static_cast<double>(head_width) *
               std::log(static_cast<double>(r.original_positions) / (turns * 2 * std::numbers::pi)) /
               (2 * std::log(r.base));
    };
    const double low = std::max(std::floor(pair_of(r.beta_fast)), 0.0);
    double high = std::min(std::ceil(pair_of(r.beta_slow)), static_cast<double>(head_width - 1));
    high += low == high ? 0.001 : 0;
    return std::clamp((k - low) / (high - low), 0.0, 1.0);
}

ANEMONE_BODY_OF std::vector<double> rotary_frequencies(const rope& r, std::int64_t head_width, std::int64_t length) {
    if (head_width < 2 || head_width % 2 != 0 || head_width > 65536 || !(r.base > 0) || !(r.factor >= 1)) {
        throw error(errc::argument, "rotary positions",
                    formatted("a head of {} with base {} and factor {} has none", head_width, r.base, r.factor));
    }
    const auto width = static_cast<double>(head_width);
    double base = r.base;
    if (r.kind == rope_kind::dynamic && length > r.original_positions && head_width > 2) {
        const double times = static_cast<double>(length) / static_cast<double>(r.original_positions);
        base *= std::pow(r.factor * times - (r.factor - 1), width / (width - 2));
    }
    std::vector<double> result;
    for (std::int64_t k = 0; k < head_width / 2; ++k) {
        double frequency = std::pow(base, -2 * static_cast<double>(k) / width);
        if (r.kind == rope_kind::linear) {
            frequency /= r.factor;
        } else if (r.kind == rope_kind::llama3) {
            frequency = llama3_frequency(r, frequency);
        } else if (r.kind == rope_kind::yarn) {
            const double share = yarn_share(r, head_width, static_cast<double>(k));
            frequency = share * frequency / r.factor + (1 - share) * frequency;
        }
        result.push_back(frequency);
    }
    return result;
}

ANEMONE_BODY_OF void rotary_tables(const rope& r, std::int64_t head_width, std::int64_t first, std::span<float> cosines,
                                   std::span<float> sines, std::int64_t length) {
    const std::vector<double> frequencies = rotary_frequencies(r, head_width, length);
    const std::size_t half = frequencies.size();
    const std::size_t rows = cosines.size() / (2 * half);
    require_numbers("cosines", cosines.size(), static_cast<std::int64_t>(rows * 2 * half));
    require_numbers("sines", sines.size(), static_cast<std::int64_t>(rows * 2 * half));
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < half; ++k) {
            const double angle = static_cast<double>(first + static_cast<std::int64_t>(row)) * frequencies[k];
            const std::size_t at = row * 2 * half + k;
            cosines[at] = cosines[at + half] = static_cast<float>(std::cos(angle) * r.attention_factor);
            sines[at] = sines[at + half] = static_cast<float>(std::sin(angle) * r.attention_factor);
        }
    }
}

ANEMONE_INLINE void require_room(const decoder_form& form, std::int64_t kept, std::int64_t count) {
    const std::int64_t room =
        form.caches == cache_form::states ? form.capacity - kept : form.capacity + form.positions - kept;
    if (kept < 0 || kept > form.capacity || count < 0 || count > form.positions || count > room) {
        throw error(errc::argument, "cache",
                    formatted("{} positions behind {} do not fit: a run computes {}, the caches hold {}", count, kept,
                              form.positions, form.capacity));
    }
}

ANEMONE_BODY_OF void causal_mask(const decoder_form& form, std::int64_t kept, std::int64_t window,
                                 std::span<float> mask) {
    require_room(form, kept, 0);
    const bool is_inputs = form.caches == cache_form::inputs;
    const std::int64_t columns = is_inputs ? form.capacity + form.positions : form.capacity;
    require_numbers("mask", mask.size(), form.positions * columns);
    for (std::int64_t row = 0; row < form.positions; ++row) {
        const std::int64_t own = kept + row;
        for (std::int64_t column = 0; column < columns; ++column) {
            // The position of a column: in the cache its number, behind it those of the run; none where nothing stands yet.
            const bool is_new = is_inputs && column >= form.capacity;
            const std::int64_t position = is_new ? kept + column - form.capacity : column;
            const bool stands = is_new || !is_inputs || column < kept;
            const bool seen = stands && position <= own && (window == 0 || own - position < window);
            mask[static_cast<std::size_t>(row * columns + column)] = seen ? 0.0F : -40000.0F;
        }
    }
}

ANEMONE_BODY_OF void cache_places(const decoder_form& form, std::int64_t kept, std::int64_t count,
                                  std::span<float> at) {
    require_room(form, kept, count);
    require_numbers("at", at.size(), form.capacity * form.positions);
    std::fill(at.begin(), at.end(), 0.0F);
    for (std::int64_t p = 0; p < count && kept + p < form.capacity; ++p) {
        at[static_cast<std::size_t>((kept + p) * form.positions + p)] = 1.0F;
    }
}

} // namespace ane::models::inline ANEMONE_WAY
