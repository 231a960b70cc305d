#pragma once

#include "shared_weights.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A number that equal bytes have alike, of some of them: what has it is compared as a whole.
ANEMONE_INLINE std::uint64_t mark_of(const std::byte* bytes, std::size_t count) {
    constexpr std::size_t looked_at = 1024;
    std::uint64_t mark = count;
    const std::size_t step = std::max<std::size_t>(count / looked_at, 1);
    for (std::size_t i = 0; i < count; i += step) {
        mark = (mark ^ std::to_integer<std::uint64_t>(bytes[i])) * 0x100000001B3U;
    }
    return mark;
}

ANEMONE_INLINE const std::byte* bytes_of(const packed_matrix& m) {
    return reinterpret_cast<const std::byte*>(m.lines.data());
}
ANEMONE_INLINE const std::byte* bytes_of(const packed_codes& c) {
    return reinterpret_cast<const std::byte*>(c.codes.data());
}

ANEMONE_INLINE std::size_t size_of(const packed_matrix& m) { return m.bytes(); }
ANEMONE_INLINE std::size_t size_of(const packed_codes& c) { return c.codes.size(); }

ANEMONE_INLINE bool equals(const packed_matrix& a, const packed_matrix& b) {
    return a.matrices == b.matrices && a.k == b.k && a.n == b.n && a.columns == b.columns &&
           std::memcmp(bytes_of(a), bytes_of(b), a.bytes()) == 0;
}
ANEMONE_INLINE bool equals(const packed_codes& a, const packed_codes& b) { return a == b; }

/// The packed weights of a kind that programs have now.
template <class Packed> class weight_pool {
public:
    std::shared_ptr<const Packed> find_or_add(Packed made) {
        const std::uint64_t mark = mark_of(bytes_of(made), size_of(made));
        const std::scoped_lock lock(mutex_);
        std::erase_if(known_, [](const entry& e) { return e.weight.expired(); });
        for (const entry& e : known_) {
            if (e.mark == mark) {
                if (auto same = e.weight.lock(); same != nullptr && equals(*same, made)) {
                    return same;
                }
            }
        }
        auto added = std::make_shared<const Packed>(std::move(made));
        known_.push_back({mark, added});
        return added;
    }

private:
    struct entry {
        std::uint64_t mark;
        std::weak_ptr<const Packed> weight;
    };
    std::mutex mutex_;
    std::vector<entry> known_;
};

template <class Packed> std::shared_ptr<const Packed> shared(Packed made) {
    static weight_pool<Packed> pool;
    return made.bytes() < least_shared_weight ? std::make_shared<const Packed>(std::move(made))
                                              : pool.find_or_add(std::move(made));
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY std::shared_ptr<const packed_matrix> shared_weight(packed_matrix made) {
    return detail::shared(std::move(made));
}
ANEMONE_BODY std::shared_ptr<const packed_codes> shared_weight(packed_codes made) {
    return detail::shared(std::move(made));
}

} // namespace ane::cpu::inline ANEMONE_WAY
