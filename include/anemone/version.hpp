#pragma once

#include <string_view>

namespace ane {

/// The version of the library, as CMakeLists.txt has it; a test holds the two together.
inline constexpr std::string_view version = "0.1.0";

} // namespace ane
