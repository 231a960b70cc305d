#pragma once

#include <anemone/readers/read_model.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace command {

/// How a model is read.
struct reading {
    std::string function{};                         ///< of MIL text or a package, or the procedure of a netplist
    std::vector<std::string> shapes{};              ///< of ONNX inputs that the file leaves free: "x=1,3,224,224"
    std::uint64_t memory = std::uint64_t{8} << 30U; ///< bytes that the weights may take
    bool approximates = false; ///< every number as the nearest that fp16 holds: to judge, not to run
};

/// Adds `--shape`, `--function` and `--max-memory` to a subcommand (reading_options.cpp: what reads a model parses no
/// arguments).
void add_reading(CLI::App& sub, reading& how);

/// The model of a path: MIL text, a property list, ONNX, an ML package, or a folder that has one (`.mlmodelc`, what we
/// write). Throws `ane::error` (errc::file) where it is none, and `ane::unreadable` with all that is wrong with the file.
ane::read_model read(const std::string& path, const reading& how);

/// Whether a path that `read` takes is MIL text, or a folder with it.
bool is_mil(const std::string& path);

/// The SHA-256 of a model's file; of a folder the file in it that has the model, nothing for a whole package.
std::string digest_of(const std::string& path);

} // namespace command
