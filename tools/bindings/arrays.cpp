#include "arrays.hpp"

#include <anemone/values/half.hpp>

#include <cstring>

namespace bindings {

namespace {

template <class Number> void widen(std::span<const std::byte> from, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        Number value;
        std::memcpy(&value, from.data() + i * sizeof value, sizeof value);
        to[i] = static_cast<double>(value);
    }
}

} // namespace

std::vector<double> numbers_of(const input_array& a, std::size_t count) {
    std::vector<double> numbers(count);
    switch (a.type) {
    case element::float16: widen<ane::half>(a.bytes, numbers); break;
    case element::int8: widen<std::int8_t>(a.bytes, numbers); break;
    case element::uint8: widen<std::uint8_t>(a.bytes, numbers); break;
    case element::float32: widen<float>(a.bytes, numbers); break;
    case element::float64: widen<double>(a.bytes, numbers); break;
    }
    return numbers;
}

} // namespace bindings
