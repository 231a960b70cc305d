#pragma once

#include "reading.hpp"

#include <string>

namespace app {

/// The model of an ONNX file; sentences of its reader name the options as the caller knows them. Throws as `read`, and
/// `ane::error` (errc::file) where the program was built without ONNX.
ane::read_model read_onnx(const std::string& path, const reading_options& how, const caller& who,
                          ane::opened_files& parts);

} // namespace app
