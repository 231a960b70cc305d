#pragma once

#include "model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bindings {

/// The caller's memory for a port: `bytes` with elements of `type`.
template <class Byte> struct array {
    std::string name;
    element type = element::float16;
    std::span<Byte> bytes{};
    std::optional<std::vector<std::int64_t>> shape{}; ///< none: the port's
};
using input_array = array<const std::byte>;
using output_array = array<std::byte>;

/// The first `count` elements, which the bytes hold.
std::vector<double> numbers_of(const input_array& a, std::size_t count);

} // namespace bindings
