#ifndef ANEMONE_MLPACKAGE_PACKAGE_VERDICT_HPP
#define ANEMONE_MLPACKAGE_PACKAGE_VERDICT_HPP

#include "../base/way.hpp"
#include "../readers/file_verdict.hpp"
#include "mlpackage.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// The verdict on an ML package, or the model's file in one, as `judge_mil_file` gives that on MIL text: on all functions,
/// or the one of the options. Core ML's compiler writes the text that the engine's compiler gets, ports and arguments that
/// are left out included; what it does with operations that the engine's compiler refuses, placing them elsewhere, is no
/// part of the verdict. Throws `error` (errc::file) where a file cannot be read.
ANEMONE_API_OF(anemone_mlpackage_package_verdict_hpp)
file_verdict judge_mlpackage_file(const std::string& path, target t, const mil_reader_options& options = {});

/// The same of any file with a program in MIL: text, alone or in a `.mlmodelc`, and packages, told by what they are.
ANEMONE_API_OF(anemone_mlpackage_package_verdict_hpp)
file_verdict judge_model_file(const std::string& path, target t, const mil_reader_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "package_verdict.ipp"
#endif
