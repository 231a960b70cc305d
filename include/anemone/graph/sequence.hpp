#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace ane {

namespace detail {

/// Whether elements may be moved about as bytes when a program runs.
template <class T>
constexpr bool moves_as_bytes = std::is_trivially_copyable_v<T>&& std::is_trivially_destructible_v<T> &&
                                alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// Copies elements between arrays that do not overlap. Compilers limit the steps of a constant expression: clang, which
/// has the narrower limit, counts a copy of numbers as one.
template <class T> constexpr void copy_elements(const T* from, T* to, std::size_t count) {
    if (!std::is_constant_evaluated()) {
        if constexpr (moves_as_bytes<T>) {
            if (count > 0) {
                std::memcpy(static_cast<void*>(to), from, count * sizeof(T)); // NOLINT(bugprone-sizeof-expression)
            }
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                to[i] = from[i];
            }
        }
        return;
    }
#if defined(__clang__)
    if constexpr (std::is_arithmetic_v<T>) {
        if (count > 0) {
            __builtin_memcpy(to, from, count * sizeof(T));
        }
        return;
    }
#endif
    const std::size_t fours = count - count % 4; // spelled out for g++, which otherwise warns about the loop below
    for (std::size_t i = 0; i < fours; i += 4) { // four elements at once save steps in constant expressions
        (to[i] = from[i], to[i + 1] = from[i + 1], to[i + 2] = from[i + 2], to[i + 3] = from[i + 3]);
    }
    for (std::size_t i = fours; i < count; ++i) {
        to[i] = from[i];
    }
}

/// Memory of `new[]` for so many elements that begins with what `data`, which is freed, has in its first bytes: one
/// function for plain elements of every type, since compilers of a header-only program would make it for each.
[[gnu::noinline]] inline void* in_more_room(void* data, std::size_t used_bytes, std::size_t wanted,
                                            std::size_t element_bytes) {
    if (wanted > std::numeric_limits<std::size_t>::max() / 2 / element_bytes) {
        throw std::bad_array_new_length();
    }
    void* const grown = ::operator new[](wanted* element_bytes);
    if (used_bytes > 0) {
        std::memcpy(grown, data, used_bytes);
    }
    ::operator delete[](data);
    return grown;
}

} // namespace detail

/// A growing array of plain values. It does what std::vector does in a fifth of the constant-evaluation steps, of which
/// clang 14 allows about a million per expression: a graph of thousands of nodes fits; and with a fifth of its functions,
/// which compilers of a header-only program have to make for each type.
template <class T> class sequence {
public:
    using value_type = T;

    constexpr sequence() = default;
    constexpr explicit sequence(std::size_t count, const T& value = T{}) {
        reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            data_[i] = value;
        }
        size_ = count;
    }
    constexpr sequence(const sequence& other) { append(other); }
    constexpr sequence(sequence&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    constexpr sequence& operator=(sequence other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    constexpr ~sequence() { delete[] data_; }

    constexpr void reserve(std::size_t wanted) {
        if (wanted <= capacity_) {
            return;
        }
        if (!std::is_constant_evaluated() && detail::moves_as_bytes<T>) {
            constexpr std::size_t each = sizeof(T); // NOLINT(bugprone-sizeof-expression)
            data_ = static_cast<T*>(detail::in_more_room(data_, size_ * each, wanted, each));
        } else {
            T* const grown = new T[wanted]();
            detail::copy_elements(data_, grown, size_);
            delete[] data_;
            data_ = grown;
        }
        capacity_ = wanted;
    }
    constexpr void push_back(const T& value) {
        if (size_ == capacity_) {
            // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may be an element of this sequence
            const T kept = value;
            grow(size_ + 1);
            data_[size_++] = kept;
        } else {
            data_[size_++] = value;
        }
    }
    /// Appends every element of a range with data() and size(); the range must not be part of this sequence.
    template <class Range> constexpr void append(const Range& values) {
        const std::size_t count = values.size();
        grow(size_ + count);
        if (count > 0) {
            const T* const from = values.data();
            detail::copy_elements(from, data_ + size_, count);
            size_ += count;
        }
    }
    constexpr void pop_back() { --size_; }
    constexpr void clear() { size_ = 0; }

    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* data() { return data_; }
    constexpr const T* data() const { return data_; }
    constexpr T& operator[](std::size_t i) { return data_[i]; }
    constexpr const T& operator[](std::size_t i) const { return data_[i]; }
    constexpr T& front() { return data_[0]; }
    constexpr const T& front() const { return data_[0]; }
    constexpr T& back() { return data_[size_ - 1]; }
    constexpr const T& back() const { return data_[size_ - 1]; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr const T* begin() const { return data_; }
    constexpr const T* end() const { return data_ + size_; }

private:
    constexpr void grow(std::size_t wanted) {
        if (wanted > capacity_) {
            reserve(wanted > 4 * capacity_ ? wanted : 4 * capacity_);
        }
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

namespace detail {

/// Appends the digits of a number from 0 on.
constexpr void append_number(sequence<char>& text, std::int64_t number) {
    char digits[20]{};
    int count = 0;
    do {
        digits[count++] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        text.push_back(digits[--count]);
    }
}

} // namespace detail

} // namespace ane
