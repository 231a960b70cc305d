#pragma once

#include <anemone/readers/read_model.hpp>

#include <string>

namespace command {

/// Writes a model as "mil", "netplist" or "mlpackage" into a folder, which is made where it is missing, and returns what
/// a reader opens: the path of the text, or of the package. `core_ml_states`: states as Core ML has them, in MIL text.
/// Throws `ane::error` (errc::argument) for another format, and as the writers do.
std::string write_model(const ane::read_model& model, const std::string& to, const std::string& folder,
                        bool core_ml_states = false);

} // namespace command
