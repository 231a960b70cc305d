#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ane {

/// The system that loads a model: its version of Core ML decides which operations a file may name. `any`: no question.
enum class operating_system : std::uint8_t { any, macos12, macos13, macos14, macos15 };

/// What a system's Core ML reads (public schema of Core ML: the versions of its operations and of the format).
struct system_description {
    operating_system id;
    std::string_view name;      ///< "macos14"
    std::string_view product;   ///< "macOS 14, iOS 17"
    std::string_view opset;     ///< of MIL text: "ios17"
    std::string_view message;   ///< the same in a package: "CoreML7"
    std::int64_t specification; ///< the newest version of the format that it loads
};

inline constexpr std::array<system_description, 5> system_table{{
    {operating_system::any, "any", "any system", "ios18", "CoreML8", 9},
    {operating_system::macos12, "macos12", "macOS 12, iOS 15", "ios15", "CoreML5", 6},
    {operating_system::macos13, "macos13", "macOS 13, iOS 16", "ios16", "CoreML6", 7},
    {operating_system::macos14, "macos14", "macOS 14, iOS 17", "ios17", "CoreML7", 8},
    {operating_system::macos15, "macos15", "macOS 15, iOS 18", "ios18", "CoreML8", 9},
}};

constexpr const system_description& describe(operating_system s) noexcept {
    return system_table[static_cast<std::size_t>(s)];
}
constexpr std::string_view name(operating_system s) noexcept { return describe(s).name; }

/// The first system whose Core ML has an opset, by either name of it; `any` for those that are not known.
constexpr operating_system system_of_opset(std::string_view opset) noexcept {
    for (const system_description& s : system_table) {
        if (s.id != operating_system::any && (s.opset == opset || s.message == opset)) {
            return s.id;
        }
    }
    return operating_system::any;
}

/// The version of macOS; 0 for `any`.
constexpr int macos_version(operating_system s) noexcept {
    return s == operating_system::any ? 0 : 11 + static_cast<int>(s);
}

} // namespace ane
