#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../passes/print.hpp"
#include "../values/half.hpp"
#include "../values/shape.hpp"
#include "../weights/formats/packing.hpp"
#include "element_count.hpp"
#include "mil_element.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Why a statement cannot be read; the statement gives place and operation.
struct refused_statement {
    std::string reason;
};

/// A tensor whose elements the file gives, packed as a blob packs them: borrowed from the blob, or its own.
struct mil_constant {
    mil_element type = mil_element::fp32;
    extents shape;
    std::span<const std::byte> bytes;
    std::shared_ptr<const std::vector<std::byte>> owned;

    std::int64_t count() const { return shape.count(); }
    bool in_blob() const { return owned == nullptr; }

    /// Element `i` as a number; exact but for 64-bit integers beyond 2^53.
    ANEMONE_INLINE double at(std::int64_t i) const {
        const element_facts& facts = facts_of(type);
        if (facts.bits <= 8) {
            return facts.kind == number_kind::with_sign
                       ? static_cast<double>(weight_formats::packed_signed_at(bytes, i, facts.bits))
                       : static_cast<double>(weight_formats::packed_at(bytes, i, facts.bits));
        }
        switch (type) {
        case mil_element::fp16: return static_cast<double>(weight_formats::half_at(bytes, i));
        case mil_element::bf16:
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(i)) << 16U));
        case mil_element::fp32: return static_cast<double>(load<float>(i));
        case mil_element::fp64: return load<double>(i);
        case mil_element::int16: return load<std::int16_t>(i);
        case mil_element::uint16: return load<std::uint16_t>(i);
        case mil_element::int32: return load<std::int32_t>(i);
        case mil_element::uint32: return load<std::uint32_t>(i);
        case mil_element::int64: return static_cast<double>(load<std::int64_t>(i));
        default: return static_cast<double>(load<std::uint64_t>(i));
        }
    }

    /// The same elements under another shape of as many.
    ANEMONE_INLINE mil_constant reshaped(const extents& to) const {
        mil_constant c = *this;
        c.shape = to;
        return c;
    }

private:
    template <class T> T load(std::int64_t i) const {
        T value;
        std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
        return value;
    }
};

/// Why a number is no element of the type, or nothing.
ANEMONE_INLINE std::string not_an_element(mil_element type, double value) {
    const element_facts& facts = facts_of(type);
    if (facts.kind == number_kind::floating) {
        return {};
    }
    const int digits = type == mil_element::boolean ? 1 : facts.bits - (facts.kind == number_kind::with_sign ? 1 : 0);
    const double most = std::ldexp(1.0, digits);
    const double least = facts.kind == number_kind::with_sign ? -most : 0;
    if (!(value >= least && value < most) || value != std::floor(value)) {
        return formatted("{} is no {}", value, facts.name);
    }
    return {};
}

/// Packs numbers. Each is an element of the type: `not_an_element` says so.
ANEMONE_INLINE std::vector<std::byte> packed(mil_element type, std::span<const double> values) {
    const element_facts& facts = facts_of(type);
    std::vector<std::byte> bytes;
    const auto each = [&]<class T>(T) {
        bytes.resize(values.size() * sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = static_cast<T>(values[i]);
            std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
    };
    if (facts.bits <= 8) {
        std::vector<int> integers;
        integers.reserve(values.size());
        for (const double value : values) {
            integers.push_back(static_cast<int>(value));
        }
        return weight_formats::pack(std::span<const int>(integers), facts.bits);
    }
    switch (type) {
    case mil_element::fp16: {
        bytes.resize(values.size() * 2);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint16_t bits = half(values[i]).bits;
            std::memcpy(bytes.data() + 2 * i, &bits, 2);
        }
        break;
    }
    case mil_element::bf16: {
        bytes.resize(values.size() * 2);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
            const auto bits = static_cast<std::uint16_t>((wide + 0x7FFFU + ((wide >> 16U) & 1U)) >> 16U);
            std::memcpy(bytes.data() + 2 * i, &bits, 2);
        }
        break;
    }
    case mil_element::fp32: each(float{}); break;
    case mil_element::fp64: each(double{}); break;
    case mil_element::int16: each(std::int16_t{}); break;
    case mil_element::uint16: each(std::uint16_t{}); break;
    case mil_element::int32: each(std::int32_t{}); break;
    case mil_element::uint32: each(std::uint32_t{}); break;
    case mil_element::int64: each(std::int64_t{}); break;
    default: each(std::uint64_t{}); break;
    }
    return bytes;
}

/// A constant of these elements; throws `refused_statement` where one is none of the type.
ANEMONE_INLINE mil_constant make_constant(mil_element type, const extents& shape, std::span<const double> values) {
    for (const double value : values) {
        if (std::string why = not_an_element(type, value); !why.empty()) {
            throw refused_statement{std::move(why)};
        }
    }
    mil_constant c;
    c.type = type;
    c.shape = shape;
    c.owned = std::make_shared<const std::vector<std::byte>>(packed(type, values));
    c.bytes = *c.owned;
    return c;
}

} // namespace ane::readers::inline ANEMONE_WAY
