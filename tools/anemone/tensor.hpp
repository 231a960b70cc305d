#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/values/half.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace command {

/// An array of a file, as numbers.
struct tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<double> values; ///< row-major

    std::size_t count() const { return values.size(); }
};

/// "1x3x224x224"
std::string text(const std::vector<std::int64_t>& shape);

/// What a port takes: the numbers of a tensor in its element type. A shape that differs in extents of 1 alone fits.
/// Throws `ane::error` (errc::port) for another number of elements, and for numbers that the type cannot hold.
std::vector<std::byte> bytes_of(const tensor& from, const ane::node& port, const std::string& name);

/// The other way round.
tensor tensor_of(const std::vector<std::byte>& bytes, const ane::node& port, const std::string& name);

} // namespace command
