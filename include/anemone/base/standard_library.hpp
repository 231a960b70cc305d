#pragma once

#include <cstddef> // what library this is

/// Graphs are built in constant expressions, with std::vector and std::string.
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
#error                                                                                                                 \
    "Anemone needs a std::vector that works in constant expressions: libc++ 15 or later (Apple clang 15), or libstdc++ 12"
#endif
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 12
#error "Anemone needs a std::vector that works in constant expressions: libstdc++ 12 or later, or libc++ 15"
#endif
