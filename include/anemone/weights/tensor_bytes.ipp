#pragma once

#include "../base/formatted.hpp"
#include "../io/steady_file.hpp"
#include "tensor_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

namespace ane::detail::inline ANEMONE_WAY {

/// Bytes of a file that somebody asked for, for all copies. Two threads that ask at once may both read; one copy is kept.
class read_once {
public:
    read_once() = default;
    read_once(const read_once&) = delete;
    read_once& operator=(const read_once&) = delete;
    ~read_once() { delete kept_.load(); }

    const std::vector<std::byte>* get() const { return kept_.load(std::memory_order_acquire); }
    ANEMONE_INLINE const std::vector<std::byte>& of(const file_part& part) {
        if (get() == nullptr) {
            auto made = std::make_unique<const std::vector<std::byte>>(all_of(part));
            const std::vector<std::byte>* none = nullptr;
            if (kept_.compare_exchange_strong(none, made.get())) {
                static_cast<void>(made.release());
            }
        }
        return *get();
    }
    ANEMONE_INLINE static std::vector<std::byte> all_of(const file_part& part) {
        std::vector<std::byte> bytes(part.count);
        read_part(part, 0, bytes);
        return bytes;
    }

private:
    std::atomic<const std::vector<std::byte>*> kept_{nullptr};
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

struct tensor_bytes::state {
    detail::file_part part;
    std::shared_ptr<detail::read_once> memory;
};

ANEMONE_BODY tensor_bytes tensor_bytes::in_file(const detail::file_part& part) {
    tensor_bytes result;
    result.file_.make() = {part, std::make_shared<detail::read_once>()};
    return result;
}

ANEMONE_BODY std::size_t tensor_bytes::size() const noexcept {
    return file_.get() == nullptr ? held_.size() : file_.get()->part.count;
}
ANEMONE_BODY bool tensor_bytes::empty() const noexcept { return size() == 0; }
ANEMONE_BODY bool tensor_bytes::is_in_memory() const noexcept {
    return file_.get() == nullptr || file_.get()->memory->get() != nullptr;
}

ANEMONE_BODY void tensor_bytes::read(std::size_t begin, std::span<std::byte> into) const {
    if (begin > size() || into.size() > size() - begin) {
        throw error(errc::argument, "bytes of a tensor",
                    formatted("{} from {} on are asked for, there are {}", into.size(), begin, size()));
    }
    if (into.empty()) {
        return;
    }
    if (is_in_memory()) {
        std::memcpy(into.data(), data() + begin, into.size());
    } else {
        detail::read_part(file_.get()->part, begin, into);
    }
}

ANEMONE_BODY tensor_bytes tensor_bytes::part(std::size_t begin, std::size_t count) const {
    if (begin <= size() && count <= size() - begin && count >= detail::least_file_part && !is_in_memory()) {
        return in_file(file_.get()->part.part(begin, count));
    }
    std::vector<std::byte> copy(begin > size() ? 0 : std::min(count, size() - begin));
    if (copy.size() < count) {
        throw error(errc::argument, "bytes of a tensor",
                    formatted("{} from {} on are asked for, there are {}", count, begin, size()));
    }
    read(begin, copy);
    return copy;
}

ANEMONE_BODY const std::byte* tensor_bytes::data() const {
    return file_.get() == nullptr ? held_.data() : file_.get()->memory->of(file_.get()->part).data();
}
ANEMONE_BODY const std::byte* tensor_bytes::begin() const { return data(); }
ANEMONE_BODY const std::byte* tensor_bytes::end() const { return data() + size(); }
ANEMONE_BODY const std::byte& tensor_bytes::operator[](std::size_t i) const { return data()[i]; }

ANEMONE_BODY std::vector<std::byte> tensor_bytes::taken() && {
    if (file_.get() == nullptr) {
        return std::move(held_);
    }
    const std::vector<std::byte>* const known = file_.get()->memory->get();
    return known != nullptr ? *known : detail::read_once::all_of(file_.get()->part);
}

ANEMONE_BODY bool tensor_bytes::operator==(const tensor_bytes& other) const {
    constexpr std::size_t piece = std::size_t{64} << 10U;
    if (size() != other.size()) {
        return false;
    }
    if (is_in_memory() && other.is_in_memory()) {
        return std::equal(begin(), end(), other.begin());
    }
    std::vector<std::byte> mine(std::min(piece, size()));
    std::vector<std::byte> others = mine;
    for (std::size_t at = 0; at < size(); at += mine.size()) {
        mine.resize(std::min(piece, size() - at));
        others.resize(mine.size());
        read(at, mine);
        other.read(at, others);
        if (mine != others) {
            return false;
        }
    }
    return true;
}

} // namespace ane::inline ANEMONE_WAY
