#pragma once

#include "../base/formatted.hpp"
#include "../base/unique_names.hpp"
#include "../base/way.hpp"
#include "../io/unicode.hpp"

#include <string>
#include <string_view>

/// Names of a file, which may be any bytes. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// A name for messages, letters of any alphabet, long ones cut between two of them; quoted by the caller.
ANEMONE_INLINE std::string shown(std::string_view name) {
    constexpr std::size_t most = 120;
    std::size_t end = name.size();
    if (end > most) {
        end = most;
        for (int i = 0; i < 3 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U; ++i) {
            --end;
        }
    }
    return ane::detail::printable(name.substr(0, end)) + (end < name.size() ? "..." : "");
}

/// Names that are given out once each.
class fresh_names {
public:
    /// Letters, digits and underscores, as ports need it.
    ANEMONE_INLINE std::string identifier(std::string_view wanted) {
        std::string name;
        for (const char c : wanted) {
            const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            name += good ? c : '_';
        }
        if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
            name.insert(0, "_");
        }
        return taken_.fresh(name);
    }
    /// The name itself where it is printable.
    ANEMONE_INLINE std::string printable(std::string_view wanted) {
        std::string name;
        for (const char c : wanted) {
            name += c >= 0x20 && c < 0x7F ? c : '_';
        }
        return taken_.fresh(name.empty() ? "constant" : name);
    }

private:
    unique_names taken_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
