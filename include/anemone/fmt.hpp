#pragma once

#include "values/half.hpp"

#include <fmt/format.h>

/// Formatters for fmt: include this where a value of the library is an argument of fmt::format.

/// A half prints as the shortest decimal that reads back as the same half's float value.
template <> struct fmt::formatter<ane::half> : fmt::formatter<float> {
    template <class Context> auto format(ane::half value, Context& context) const {
        return fmt::formatter<float>::format(static_cast<float>(value), context);
    }
};
