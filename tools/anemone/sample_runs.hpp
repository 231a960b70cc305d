#pragma once

#include "program_run.hpp"
#include "tensor.hpp"
#include <anemone/backend/samples.hpp>

#include <string>
#include <vector>

namespace command {

/// Adds runs of a model: its arrays, by name, hold the inputs of one or, along a first axis, of several. Throws
/// `ane::error` (errc::argument) about `source` for a shape that is none of these, and (errc::port) for a name that is no
/// input.
void add_runs(ane::model_samples& samples, port_buffers& ports, const std::vector<tensor>& arrays,
              const std::string& source);

} // namespace command
