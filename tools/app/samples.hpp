#pragma once

#include "arrays.hpp"
#include <anemone/backend/samples.hpp>

#include <string>
#include <vector>

namespace app {

/// Adds runs of a model with such inputs: its arrays, by name, hold the inputs of one or, along a first axis, of several;
/// they have shapes. Throws `ane::error` (errc::argument) about `source` for any other shape, and as
/// `input_memory`.
void add_runs(ane::model_samples& samples, const std::vector<port>& inputs, const std::vector<input_array>& arrays,
              const std::string& source);

} // namespace app
