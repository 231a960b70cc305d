#pragma once

#include "port.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace app {

/// The caller's memory for a port: `bytes` with elements of `type`.
template <class Byte> struct array {
    std::string name;
    element_type type = element_type::f16;
    std::span<Byte> bytes{};
    std::optional<std::vector<std::int64_t>> shape{}; ///< none: the port's
    bool was_fp16 = false;                            ///< the numbers come from fp16, whatever type they have by now
};
using input_array = array<const std::byte>;
using output_array = array<std::byte>;

/// Whether a program can use the caller's memory itself: elements of the port's type, where they may stand.
bool is_direct(const port& p, element_type type, const std::byte* at);

/// The memory of a model's inputs, in their order: that of arrays by name, or copies as the ports hold their numbers.
class input_memory {
public:
    /// Throws `ane::error` (errc::port) that names the port for an array that is missing, unknown, given twice, or of
    /// another size or shape, and for numbers that the port's type does not hold. Extents of 1 do not matter.
    input_memory(const std::vector<port>& inputs, const std::vector<input_array>& arrays);
    input_memory(const input_memory&) = delete;
    input_memory& operator=(const input_memory&) = delete;

    const std::vector<std::span<const std::byte>>& spans() const { return spans_; }

private:
    std::list<std::vector<std::byte>> owned_; // what the caller's memory cannot be used for
    std::vector<std::span<const std::byte>> spans_;
};

/// The elements of a caller's array as a port holds them. Throws as `input_memory`.
std::vector<std::byte> stored(const input_array& from, const port& p);

/// Elements of a port into the array of a caller, which is of the same type or of floats.
void give(std::span<const std::byte> elements, const port& p, const output_array& to);

/// Throws `ane::error` (errc::port) for an array that does not take what a port gives.
void require_takes(const output_array& to, const port& p);

} // namespace app
