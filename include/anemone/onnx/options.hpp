#pragma once

#include "../base/way.hpp"
#include "../io/opened_files.hpp"
#include "../readers/input_shape.hpp"
#include "../values/shape.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

using onnx_shape = input_shape;

/// An input as a constant: shapes, axes and switches that the file leaves to the caller. One value fills the shape; where
/// the file says a shape of as many elements, that counts.
struct onnx_value {
    std::string name;
    extents shape;
    std::vector<double> values;
};

struct onnx_reader_options {
    std::vector<onnx_shape> shapes = {};
    /// Free dimensions by the name that the file gives them: {"batch", 1}.
    std::vector<std::pair<std::string, std::int64_t>> dimensions = {};
    std::vector<onnx_value> values = {};
    /// Bytes that weights and computed constants may take in memory, all together, and before that the messages of the
    /// file, which are decoded if they take no more than that or 16 MB.
    std::uint64_t max_bytes = std::uint64_t{8} << 30U;
    /// Reads constants beyond fp16 as +-65504, with a note, instead of refusing them. Masks before a softmax are read
    /// anyway, as finite ones.
    bool saturates_infinities = false;
    /// Is told each file that is opened, also where the reader throws: what a program must not write over.
    opened_files* opened = nullptr;
    /// Reads a model whose external data are not there: its shapes and types, without the values (`read_model::missing`).
    bool allows_missing = false;
};

} // namespace ane::inline ANEMONE_WAY
