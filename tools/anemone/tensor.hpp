#pragma once

#include "../app/arrays.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace command {

/// An array of a file, as numbers.
struct tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<double> values; ///< row-major
    bool was_fp16 = false;      ///< the file has them as fp16

    std::size_t count() const { return values.size(); }
};

/// The tensors as arrays for a model with such inputs; they keep the memory. Where there is one tensor and one input it is
/// for that, whatever it is called.
std::vector<app::input_array> arrays_for(const std::vector<app::port>& inputs, std::span<const tensor> tensors);

} // namespace command
