#pragma once

#include "../base/way.hpp"
#include "../models/decoder_inputs.hpp"
#include "../values/half.hpp"
#include "decoder_options.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// The forms of a decoder's programs.
ANEMONE_INLINE models::decoder_form form_of(const decoder_options& how, std::int64_t rows) {
    models::decoder_form form{.positions = rows, .capacity = how.context, .caches = how.caches};
    form.head_parts = how.head_parts;
    return form;
}

/// What the host gives to a run beside the caches: rows of the embedding, tables of positions, masks. Rows behind those of
/// tokens are padding.
class position_memory {
public:
    ANEMONE_INLINE position_memory(const models::decoder_configuration& c, const decoder_options& how,
                                   std::int64_t rows)
        : configuration_(c), form_(form_of(how, rows)), x(static_cast<std::size_t>(rows * c.width)) {
        const bool with_states = how.caches == models::cache_form::states;
        const auto table = static_cast<std::size_t>(c.rotary.kind == models::rope_kind::none ? 0 : rows * c.head_width);
        const auto mask = static_cast<std::size_t>(rows * (how.context + (with_states ? 0 : rows)));
        cosines_.resize(table);
        sines_.resize(table);
        local_cosines_.resize(models::has_local_rotary(c) ? table : 0);
        local_sines_.resize(local_cosines_.size());
        mask_.resize(mask);
        local_mask_.resize(models::has_windows(c) ? mask : 0);
        at_.resize(with_states ? static_cast<std::size_t>(how.context * rows) : 0);
    }

    std::int64_t rows() const { return form_.positions; }

    /// For `count` tokens from position `first` on.
    ANEMONE_INLINE void place(std::int64_t first, std::int64_t count) {
        turn(configuration_.rotary, first, cosines_, sines_);
        turn(configuration_.local_rotary, first, local_cosines_, local_sines_);
        numbers_.resize(mask_.size());
        models::causal_mask(form_, first, 0, numbers_);
        round(mask_, numbers_);
        if (!local_mask_.empty()) {
            models::causal_mask(form_, first, configuration_.window, numbers_);
            round(local_mask_, numbers_);
        }
        if (!at_.empty()) {
            numbers_.resize(at_.size());
            models::cache_places(form_, first, count, numbers_);
            round(at_, numbers_);
        }
    }

    /// The memory of a port that is no cache; empty for an unknown one.
    ANEMONE_INLINE std::span<const half> named(std::string_view port) const {
        return port == "x"               ? std::span<const half>(x)
               : port == "cosines"       ? std::span<const half>(cosines_)
               : port == "sines"         ? std::span<const half>(sines_)
               : port == "local_cosines" ? std::span<const half>(local_cosines_)
               : port == "local_sines"   ? std::span<const half>(local_sines_)
               : port == "mask"          ? std::span<const half>(mask_)
               : port == "local_mask"    ? std::span<const half>(local_mask_)
               : port == "at"            ? std::span<const half>(at_)
                                         : std::span<const half>();
    }

private:
    ANEMONE_INLINE static void round(std::vector<half>& to, std::span<const float> from) {
        std::transform(from.begin(), from.end(), to.begin(), [](float each) { return half(each); });
    }
    ANEMONE_INLINE void turn(const models::rope& by, std::int64_t first, std::vector<half>& cosines,
                             std::vector<half>& sines) {
        if (cosines.empty()) {
            return;
        }
        numbers_.resize(cosines.size());
        other_numbers_.resize(sines.size());
        models::rotary_tables(by, configuration_.head_width, first, numbers_, other_numbers_, form_.capacity);
        round(cosines, numbers_);
        round(sines, other_numbers_);
    }

    models::decoder_configuration configuration_;
    models::decoder_form form_;
    std::vector<half> cosines_{}, sines_{}, local_cosines_{}, local_sines_{}, mask_{}, local_mask_{}, at_{};
    std::vector<float> numbers_{}, other_numbers_{};

public:
    std::vector<half> x; ///< [rows, width]
};

} // namespace ane::detail::inline ANEMONE_WAY
