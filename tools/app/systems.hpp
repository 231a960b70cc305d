#pragma once

#include "option.hpp"
#include <anemone/targets/system.hpp>

#include <array>

namespace app {

template <>
inline constexpr std::array<named_value<ane::operating_system>, 5> words_of<ane::operating_system>{
    {{"any", ane::operating_system::any},
     {"macos12", ane::operating_system::macos12},
     {"macos13", ane::operating_system::macos13},
     {"macos14", ane::operating_system::macos14},
     {"macos15", ane::operating_system::macos15}}};

} // namespace app
