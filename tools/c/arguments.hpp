#pragma once

#include "../app/arrays.hpp"
#include "guarded.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// What callers hand over beside options, checked.
namespace c_interface {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

static_assert(static_cast<int>(app::element::float16) == ANEMONE_FLOAT16 &&
              static_cast<int>(app::element::int8) == ANEMONE_INT8 &&
              static_cast<int>(app::element::uint8) == ANEMONE_UINT8 &&
              static_cast<int>(app::element::float32) == ANEMONE_FLOAT32 &&
              static_cast<int>(app::element::float64) == ANEMONE_FLOAT64);

template <class Byte> app::array<Byte> array_of(const anemone_array& a) {
    const std::string name = needed_text(a.name, "name of an array");
    if (a.type < ANEMONE_FLOAT16 || a.type > ANEMONE_FLOAT64) {
        throw ane::error(ane::errc::argument, name, "has type " + std::to_string(a.type) + ", which is none");
    }
    if (a.data == nullptr) {
        throw ane::error(ane::errc::argument, name, "has data NULL");
    }
    return {name, static_cast<app::element>(a.type), {static_cast<Byte*>(a.data), a.bytes}, std::nullopt};
}

template <class Byte>
std::vector<app::array<Byte>> arrays_of(const anemone_array* list, std::size_t count, const char* name) {
    std::vector<app::array<Byte>> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(array_of<Byte>((&needed(list, name))[i]));
    }
    return all;
}

} // namespace c_interface
