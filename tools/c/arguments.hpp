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

static_assert(ane::facts_of(ane::element_type::f16).c == ANEMONE_FLOAT16 &&
              ane::facts_of(ane::element_type::int8).c == ANEMONE_INT8 &&
              ane::facts_of(ane::element_type::uint8).c == ANEMONE_UINT8 &&
              ane::facts_of(ane::element_type::f32).c == ANEMONE_FLOAT32 &&
              ane::facts_of(ane::element_type::f64).c == ANEMONE_FLOAT64);

template <class Byte> app::array<Byte> array_of(const anemone_array& a) {
    const std::string name = needed_text(a.name, "name of an array");
    const ane::element_type type = ane::find_element(&ane::element_facts::c, a.type);
    if (type == ane::element_type::undefined) {
        throw ane::error(ane::errc::argument, name, "has type " + std::to_string(a.type) + ", which is unknown");
    }
    if (a.data == nullptr) {
        throw ane::error(ane::errc::argument, name, "has data NULL");
    }
    return {name, type, {static_cast<Byte*>(a.data), a.bytes}, std::nullopt};
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
