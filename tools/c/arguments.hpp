#pragma once

#include "../bindings/arrays.hpp"
#include "guarded.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// What callers hand over, checked.
namespace c_interface {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// That a structure is one that this version knows.
inline void require_size(std::size_t size, std::size_t known, const char* name) {
    if (size != known) {
        throw ane::error(ane::errc::argument, name,
                         "has size " + std::to_string(size) + ", this library has " + std::to_string(known));
    }
}

inline std::vector<std::string> texts(const char* const* list, std::size_t count, const char* name) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(needed_text((&needed(list, name))[i], name));
    }
    return all;
}

template <class Byte> bindings::array<Byte> array_of(const anemone_array& a) {
    const std::string name = needed_text(a.name, "name of an array");
    if (a.type < ANEMONE_FLOAT16 || a.type > ANEMONE_FLOAT64) {
        throw ane::error(ane::errc::argument, name, "has type " + std::to_string(a.type) + ", which is none");
    }
    if (a.data == nullptr) {
        throw ane::error(ane::errc::argument, name, "has data NULL");
    }
    return {name, static_cast<bindings::element>(a.type), {static_cast<Byte*>(a.data), a.bytes}, std::nullopt};
}

template <class Byte>
std::vector<bindings::array<Byte>> arrays_of(const anemone_array* list, std::size_t count, const char* name) {
    std::vector<bindings::array<Byte>> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(array_of<Byte>((&needed(list, name))[i]));
    }
    return all;
}

} // namespace c_interface
