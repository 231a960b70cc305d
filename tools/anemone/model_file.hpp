#pragma once

#include <anemone/readers/read_model.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The kinds of file that a model comes in.
enum class file_kind { mil, netplist, onnx };

/// A model as the user names it, and where it was found.
struct model_file {
    std::string path; ///< of the text, the property list
    file_kind kind;
};

/// What kind of model a path is: MIL text, a property list, ONNX, or a folder that has one (`.mlmodelc`, what we write).
/// Throws `ane::error` (errc::file) where it is none.
model_file find_model(const std::string& path);

/// How a model is read.
struct reading {
    std::string function{};                    ///< of MIL text, or the procedure of a netplist
    std::vector<std::string> shapes{};         ///< of ONNX inputs that the file leaves free: "x=1,3,224,224"
    std::uint64_t memory = std::uint64_t{8} << 30U; ///< bytes that the weights may take
    bool approximates = false;                 ///< every number as the nearest that fp16 holds: to judge, not to run
};

/// Throws `ane::unreadable` with all that is wrong with the file.
ane::read_model read(const model_file& file, const reading& how);

} // namespace command
