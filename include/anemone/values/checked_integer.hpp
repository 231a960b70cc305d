#pragma once

#include <cstdint>

namespace ane {

/// An integer of 64 bits that is reckoned from what a file or a caller says: extents, offsets, bytes. What is beyond 64 bits
/// is not known, nor what follows of it, and is refused at the end:
///
///     const checked_integer bytes = checked_integer(rows) * columns * 2;
///     if (!bytes.is_known() || bytes.value() > most) ...
class checked_integer {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): an integer is one
    constexpr checked_integer(std::int64_t value) : value_(value) {}

    constexpr bool is_known() const { return known_; }
    /// 0 where it is not known.
    constexpr std::int64_t value() const { return known_ ? value_ : 0; }
    /// Whether it is known and in a range, its ends among it.
    constexpr bool is_within(std::int64_t least, std::int64_t most) const {
        return known_ && least <= value_ && value_ <= most;
    }

    friend constexpr checked_integer operator+(checked_integer a, checked_integer b) {
        return a.with(b, __builtin_add_overflow(a.value_, b.value_, &a.value_));
    }
    friend constexpr checked_integer operator-(checked_integer a, checked_integer b) {
        return a.with(b, __builtin_sub_overflow(a.value_, b.value_, &a.value_));
    }
    friend constexpr checked_integer operator*(checked_integer a, checked_integer b) {
        return a.with(b, __builtin_mul_overflow(a.value_, b.value_, &a.value_));
    }

private:
    constexpr checked_integer with(const checked_integer& other, bool overflows) {
        known_ = known_ && other.known_ && !overflows;
        return *this;
    }

    std::int64_t value_;
    bool known_ = true;
};

} // namespace ane
