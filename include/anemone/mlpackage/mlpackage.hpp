#ifndef ANEMONE_MLPACKAGE_MLPACKAGE_HPP
#define ANEMONE_MLPACKAGE_MLPACKAGE_HPP

#include "../base/way.hpp"
#include "../formats/mil.hpp"
#include "../readers/file_lookup.hpp"
#include "../readers/mil.hpp"
#include "../readers/read_model.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// ML packages (`.mlpackage`), the files of Core ML, and the models in them (`.mlmodel`), of the kind ML Program: written
/// from the public schema. Core ML has not loaded any that this project wrote.
namespace ane::inline ANEMONE_WAY {

/// Writes a program as an ML package: a folder with the same statements and the same weights, which appears whole or not
/// at all. A package that is there is replaced where it has no other files than those that are written; one with others
/// is refused, or with `keeps_others` keeps them; anything else is refused. Ports of bytes and truth values become int32
/// ports with a cast. Returns the path. `emit_mil` with `core_ml_states` gives programs whose states Core ML keeps. Throws
/// `error` (errc::file), and `unreadable` with a place in the text for what a package cannot say.
ANEMONE_API_OF(anemone_mlpackage_mlpackage_hpp)
std::string write_mlpackage(const mil_program& program, const std::string& path, bool keeps_others = false);

/// The model's file in such a package; its weights are expected in `weights/weight.bin` beside it.
ANEMONE_API_OF(anemone_mlpackage_mlpackage_hpp) std::vector<std::byte> mlmodel_bytes(const mil_program& program);

/// Reads an ML package, or a model's file with the weights beside it, as `read_mil_file` reads MIL text: the same
/// statements mean the same. The line of a place is the number of its operation in the function, from 1 on. What a file
/// refers to is read only from within its folder. Throws `error` (errc::file) where a file cannot be read, `unreadable`
/// where it is no ML Program, or with all that is wrong with the function.
ANEMONE_API_OF(anemone_mlpackage_mlpackage_hpp)
read_model read_mlpackage_file(const std::string& path, const mil_reader_options& options = {});

/// The same from memory; `files` gives the weights by the paths that stand in the message.
ANEMONE_API_OF(anemone_mlpackage_mlpackage_hpp)
read_model read_mlmodel(std::span<const std::byte> bytes, file_lookup files, const mil_reader_options& options = {},
                        std::string_view file_name = "model.mlmodel");

/// The functions of an ML package, or of a model's file. Throws as `read_mlpackage_file`.
ANEMONE_API_OF(anemone_mlpackage_mlpackage_hpp)
std::vector<file_function> mlpackage_file_functions(const std::string& path);

/// The names of the functions of a model's file, in their order.
ANEMONE_API_OF(anemone_mlpackage_mlpackage_hpp)
std::vector<std::string> mlmodel_functions(std::span<const std::byte> bytes,
                                           std::string_view file_name = "model.mlmodel");

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "mlpackage.ipp"
#endif
