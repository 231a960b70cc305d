#pragma once

#include "../base/formatted.hpp"
#include "../base/unique_names.hpp"
#include "../base/way.hpp"

#include <string>
#include <string_view>

/// Names of a file, which may be any bytes. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

constexpr bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

/// Everything but printable ASCII as \xNN.
ANEMONE_INLINE std::string escaped(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        text += is_plain(c) ? std::string(1, c) : formatted("\\x{:02X}", static_cast<unsigned>(c) & 0xFFU);
    }
    return text;
}
/// A name for messages, long ones cut; quoted by the caller.
ANEMONE_INLINE std::string shown(std::string_view name) {
    constexpr std::size_t most = 120;
    return escaped(name.substr(0, most)) + (name.size() > most ? "..." : "");
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
            name += is_plain(c) ? c : '_';
        }
        return taken_.fresh(name.empty() ? "constant" : name);
    }

private:
    unique_names taken_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
