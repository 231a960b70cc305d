#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ane::standin {

/// FNV-1a over the content, twice with different starts: 128 bits in hexadecimal.
class content_hash {
public:
    void add(std::string_view bytes) {
        for (const char c : bytes) {
            a_ = (a_ ^ static_cast<unsigned char>(c)) * prime;
            b_ = (b_ ^ static_cast<unsigned char>(c)) * prime;
        }
        a_ = (a_ ^ 0x100U) * prime; // a boundary, so that parts cannot be shifted into each other
        b_ = (b_ ^ 0x101U) * prime;
    }

    std::string text() const {
        std::string result;
        for (const std::uint64_t word : {a_, b_}) {
            for (int shift = 60; shift >= 0; shift -= 4) {
                result += "0123456789abcdef"[(word >> static_cast<unsigned>(shift)) & 15U];
            }
        }
        return result;
    }

private:
    static constexpr std::uint64_t prime = 1099511628211ULL;
    std::uint64_t a_ = 14695981039346656037ULL;
    std::uint64_t b_ = 7809847782465536322ULL;
};

} // namespace ane::standin
