#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../graph/index_nodes.hpp"
#include "../values/half.hpp"
#include "input_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace ane::detail::inline ANEMONE_WAY {

/// The place of an fp16 number among all: -0 is 0, a NaN lies beyond the infinities.
ANEMONE_INLINE int order_of(std::uint16_t bits) {
    const int magnitude = bits & 0x7FFF;
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// The smallest and the largest place of a number in [low, high].
struct order_range {
    int lowest;
    int highest;

    explicit order_range(const contract& promise) {
        const half low(promise.low);
        const half high(promise.high);
        lowest = order_of(low.bits) + (static_cast<double>(low) < promise.low ? 1 : 0);
        highest = order_of(high.bits) - (static_cast<double>(high) > promise.high ? 1 : 0);
    }
    bool has(std::uint16_t bits) const {
        const int order = order_of(bits);
        return order >= lowest && order <= highest;
    }
};

ANEMONE_INLINE std::uint16_t half_at(std::span<const std::byte> from, std::size_t index) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from.data() + 2 * index, 2);
    return bits;
}

/// The first of every `step`-th element that is outside; `count` where none is.
ANEMONE_INLINE std::size_t first_outside(std::span<const std::byte> from, std::size_t count, std::size_t step,
                                         const order_range& range) {
    constexpr std::size_t block = 1024;
    std::size_t first = 0;
    if (step == 1) { // whole blocks without a branch in them
        for (; first + block <= count; first += block) {
            std::uint16_t bits[block];
            std::memcpy(bits, from.data() + 2 * first, sizeof bits);
            std::int16_t least = INT16_MAX;
            std::int16_t most = -INT16_MAX;
            for (std::size_t i = 0; i < block; ++i) {
                const auto negative = static_cast<std::int16_t>(static_cast<std::int16_t>(bits[i]) >> 15); // 0 or -1
                const auto magnitude = static_cast<std::int16_t>(bits[i] & 0x7FFF);
                const auto order = static_cast<std::int16_t>((magnitude ^ negative) - negative);
                least = order < least ? order : least;
                most = order > most ? order : most;
            }
            if (least < range.lowest || most > range.highest) {
                break;
            }
        }
    }
    for (std::size_t i = first; i < count; i += step) {
        if (!range.has(half_at(from, i))) {
            return i;
        }
    }
    return count;
}

ANEMONE_INLINE void refuse_element(std::string_view port, std::size_t index, double value, const contract& promise) {
    throw error(errc::port, std::string(port),
                formatted("element {} is {}, outside [{}, {}], which the model promises", index, value, promise.low,
                          promise.high));
}

/// The range of an input that is indices: what is promised, or the integers that fp16 tells from all others.
ANEMONE_INLINE contract kept_range(const contract& promise, bool is_index) {
    const double most = first_shared_integer - 1;
    return is_index && !promise.declared ? within(-most, most) : promise;
}

ANEMONE_INLINE void refuse_index(std::string_view port, std::size_t index, double value) {
    throw error(errc::port, std::string(port),
                formatted("element {} is {}, an index, which fp16 may have made of another one: it has all integers "
                          "below {}; a promise, within(0, n), takes what is larger",
                          index, value, first_shared_integer));
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void check_inputs(const graph_view& model, input_buffers inputs, input_check how) {
    constexpr std::size_t samples = 256;
    if (how == input_check::off) {
        return;
    }
    std::size_t position = 0;
    const sequence<char> bound = detail::bound_nodes(model);
    const sequence<char> are_indices = index_nodes(model);
    for (int i = 0; i < model.size() && position < inputs.size(); ++i) {
        if (bound[static_cast<std::size_t>(i)] == 0) {
            continue;
        }
        const std::span<const std::byte> given = inputs[position++];
        const contract& declared = model[i].get<contract>();
        const bool is_index = are_indices[static_cast<std::size_t>(i)] != 0 && model[i].type == dtype::f16;
        const contract promise = detail::kept_range(declared, is_index);
        const auto size = static_cast<std::size_t>(bytes(model[i].type, 1));
        const std::size_t count = given.size() / size;
        // Odd, so that the samples do not stay in one column of a row of even length.
        const std::size_t step = how == input_check::sampled && count > samples ? (count / samples) | 1 : 1;
        if (!promise.declared) {
            continue;
        }
        if (model[i].type == dtype::f16) {
            const std::size_t outside = detail::first_outside(given, count, step, detail::order_range(promise));
            if (outside < count) {
                const auto value = static_cast<double>(half::from_bits(detail::half_at(given, outside)));
                if (!declared.declared) {
                    detail::refuse_index(model.called(model.name(i)), outside, value);
                }
                detail::refuse_element(model.called(model.name(i)), outside, value, promise);
            }
        } else {
            for (std::size_t e = 0; e < count; e += step) {
                const auto byte = std::to_integer<std::uint8_t>(given[e]);
                const double value = model[i].type == dtype::int8 ? static_cast<std::int8_t>(byte) : byte;
                if (value < promise.low || value > promise.high) {
                    detail::refuse_element(model.called(model.name(i)), e, value, promise);
                }
            }
        }
    }
}

} // namespace ane::inline ANEMONE_WAY
