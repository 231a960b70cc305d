#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../weights/store.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// A number of 64 bits for what went in: equal things have equal ones, different ones almost always others.
class running_digest {
public:
    ANEMONE_INLINE void add(std::uint64_t word) {
        state_ = (state_ ^ word) * 0x9e3779b97f4a7c15U;
        state_ ^= state_ >> 32U;
    }
    ANEMONE_INLINE void add(std::span<const std::byte> bytes) {
        std::size_t at = 0;
        for (; at + 8 <= bytes.size(); at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, 8);
            add(word);
        }
        std::uint64_t rest = bytes.size();
        for (; at < bytes.size(); ++at) {
            rest = rest << 8U | static_cast<std::uint64_t>(bytes[at]);
        }
        add(rest);
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0x243f6a8885a308d3U;
};

/// What a graph computes, and with which of the weights that do not change.
ANEMONE_INLINE std::string model_digest(const graph_view& g, const weight_store& frozen) {
    running_digest d;
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        d.add(static_cast<std::uint64_t>(n.kind) << 8U | static_cast<std::uint64_t>(n.type));
        for (int axis = 0; axis < n.shape.rank; ++axis) {
            d.add(static_cast<std::uint64_t>(n.shape[axis]));
        }
        for (const int operand : g.operands(i)) {
            d.add(static_cast<std::uint64_t>(operand));
        }
        if (n.kind == op::constant) {
            d.add(std::as_bytes(g.values(n)));
        }
    }
    for (const stored_tensor& each : frozen) {
        d.add(std::as_bytes(std::span(each.name)));
        d.add(each.bytes);
    }
    return formatted("{:016x}", d.value());
}

} // namespace ane::detail::inline ANEMONE_WAY
