#pragma once

#include <string_view>

namespace ane {

/// The version of the library, as in CMakeLists.txt; a test checks that the two agree.
inline constexpr std::string_view version = "0.1.0";

} // namespace ane
