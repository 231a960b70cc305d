#pragma once

#include "../base/way.hpp"
#include "../readers/read_model.hpp"
#include "../readers/unreadable.hpp"
#include "options.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The component `onnx` of the package: target anemone::onnx, or anemone::onnx_compiled beside anemone::compiled. Its
/// body needs the headers and libraries of ONNX and Protocol Buffers; nothing else of the library does.
namespace ane::inline ANEMONE_WAY {

/// Reads a model of ONNX, opsets 7 to 21, into a checked graph and its weights. The graph computes in fp16: ports of
/// other real types and of wide integers become fp16 ports, booleans bytes; `notes` says so. What depends on constants
/// only is computed while reading. Nodes keep the name of their node in the file as the file of their source position,
/// and its number as the line. Throws `unreadable` with everything that it found wrong: number and name of the node,
/// operator, reason.
///
/// `file_name` is for messages. Without a folder, external data is refused.
ANEMONE_API read_model read_onnx(std::span<const std::byte> bytes, const onnx_reader_options& options = {},
                                 std::string_view file_name = "model.onnx");

/// The same from a file. External data is read from the folder that the file is in and those below; nothing else is.
/// Files must not change meanwhile. Throws `error` (errc::file) where the file cannot be read.
ANEMONE_API read_model read_onnx_file(const std::string& path, const onnx_reader_options& options = {});

/// The operators that are read, in alphabetical order.
ANEMONE_API std::vector<std::string> onnx_operators();

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "onnx.ipp"
#endif
