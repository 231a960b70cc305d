#pragma once

#include "../passes/print.hpp"
#include "../readers/element_count.hpp"
#include "../values/half.hpp"
#include "../values/shape.hpp"
#include "element.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Why a node cannot be read; whoever reads the node adds its name and operator.
struct refused_node {
    std::string reason;
};

using readers::element_count;

/// A tensor whose elements are known while reading: as the file packs them, or as numbers that were computed.
struct constant {
    int type = tensor_proto::FLOAT;
    extents shape = {};
    std::span<const std::byte> raw = {}; ///< of the file, little-endian; empty where `numbers` has them
    std::shared_ptr<const std::vector<double>> numbers = {};

    std::int64_t count() const { return shape.count(); }

    /// Element `i`; exact but for 64-bit integers beyond 2^53.
    ANEMONE_INLINE double at(std::int64_t i) const {
        if (numbers != nullptr) {
            return (*numbers)[static_cast<std::size_t>(i)];
        }
        switch (type) {
        case tensor_proto::FLOAT: return static_cast<double>(load<float>(i));
        case tensor_proto::DOUBLE: return load<double>(i);
        case tensor_proto::FLOAT16: return static_cast<double>(half::from_bits(load<std::uint16_t>(i)));
        case tensor_proto::BFLOAT16:
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(i)) << 16U));
        case tensor_proto::UINT8: return load<std::uint8_t>(i);
        case tensor_proto::INT8: return load<std::int8_t>(i);
        case tensor_proto::BOOL: return load<std::uint8_t>(i) != 0 ? 1 : 0;
        case tensor_proto::UINT16: return load<std::uint16_t>(i);
        case tensor_proto::INT16: return load<std::int16_t>(i);
        case tensor_proto::UINT32: return load<std::uint32_t>(i);
        case tensor_proto::INT32: return load<std::int32_t>(i);
        case tensor_proto::UINT64: return static_cast<double>(load<std::uint64_t>(i));
        case tensor_proto::INT64: return static_cast<double>(load<std::int64_t>(i));
        default: break;
        }
        const unsigned pair = std::to_integer<unsigned>(raw[static_cast<std::size_t>(i / 2)]); // 4 bits each
        const unsigned nibble = i % 2 == 0 ? pair & 0xFU : pair >> 4U;
        const int number = static_cast<int>(nibble);
        return facts_of(type).kind == number_kind::with_sign && number > 7 ? number - 16 : number;
    }
    std::int64_t integer(std::int64_t i) const { return whole(at(i)); }

    ANEMONE_INLINE std::vector<std::int64_t> integers() const {
        std::vector<std::int64_t> list;
        for (std::int64_t i = 0; i < count(); ++i) {
            list.push_back(integer(i));
        }
        return list;
    }
    /// The same elements under another shape of as many.
    ANEMONE_INLINE constant reshaped(const extents& to) const {
        constant c = *this;
        c.shape = to;
        return c;
    }

private:
    template <class T> T load(std::int64_t i) const {
        T value;
        std::memcpy(&value, raw.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
        return value;
    }
};

/// A number as an element of a type: rounded for real ones, cut off for integers.
ANEMONE_INLINE double as_element(int type, double value) {
    switch (type) {
    case tensor_proto::FLOAT: return static_cast<double>(static_cast<float>(value));
    case tensor_proto::FLOAT16: return static_cast<double>(half(value));
    case tensor_proto::BOOL: return value != 0 ? 1 : 0;
    default: return is_integer(type) ? std::trunc(value) : value;
    }
}

} // namespace ane::onnx::inline ANEMONE_WAY
