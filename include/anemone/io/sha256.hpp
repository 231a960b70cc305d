#pragma once

#include "../base/way.hpp"
#include "unicode.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ane::inline ANEMONE_WAY {

/// SHA-256 (FIPS 180-4), as `sha256sum` prints it.
class sha256 {
public:
    ANEMONE_INLINE void update(std::span<const std::byte> bytes) {
        for (const std::byte b : bytes) {
            push(static_cast<std::uint8_t>(b));
        }
        length_ += bytes.size();
    }

    /// The digest in hexadecimal; the object is used up.
    ANEMONE_INLINE std::string finish() {
        const std::uint64_t bits = length_ * 8;
        push(0x80);
        while (filled_ != 56) {
            push(0);
        }
        for (int shift = 56; shift >= 0; shift -= 8) {
            push(static_cast<std::uint8_t>(bits >> shift));
        }
        std::string text;
        for (const std::uint32_t word : state_) {
            text += detail::hexadecimal(word, 8);
        }
        return text;
    }

private:
    ANEMONE_INLINE void push(std::uint8_t byte) {
        block_[filled_++] = byte;
        if (filled_ == block_.size()) {
            compress();
            filled_ = 0;
        }
    }

    ANEMONE_INLINE void compress() {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < 16; ++i) {
            for (std::size_t k = 0; k < 4; ++k) {
                w[i] = w[i] << 8U | block_[4 * i + k];
            }
        }
        for (std::size_t i = 16; i < 64; ++i) {
            const std::uint32_t a = w[i - 15];
            const std::uint32_t b = w[i - 2];
            w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + w[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
        }
        std::array<std::uint32_t, 8> s = state_;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
            const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            const std::uint32_t first = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                        choice + constants()[i] + w[i];
            const std::uint32_t second = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
            s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
        }
        for (std::size_t i = 0; i < 8; ++i) {
            state_[i] += s[i];
        }
    }

    /// The first 32 bits behind the point of the cube roots of the first 64 primes.
    ANEMONE_INLINE static const std::array<std::uint32_t, 64>& constants() {
        static const std::array<std::uint32_t, 64> all = [] {
            std::array<std::uint32_t, 64> k{};
            std::size_t found = 0;
            for (std::uint32_t n = 2; found < k.size(); ++n) {
                bool prime = true;
                for (std::uint32_t d = 2; d * d <= n; ++d) {
                    prime = prime && n % d != 0;
                }
                if (prime) { // 53 bits of a double are 3 before the point and more than 32 behind it
                    const double root = std::cbrt(static_cast<double>(n));
                    k[found++] = static_cast<std::uint32_t>(std::ldexp(root - std::floor(root), 32));
                }
            }
            return k;
        }();
        return all;
    }

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> block_{};
    std::size_t filled_ = 0;
    std::uint64_t length_ = 0;
};

} // namespace ane::inline ANEMONE_WAY
