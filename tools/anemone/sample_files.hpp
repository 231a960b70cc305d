#pragma once

#include "../app/model.hpp"
#include "../app/samples.hpp"

#include <string>
#include <vector>

namespace command {

/// The runs of a model in files of arrays and in folders of such, .npz and .npy, in the order of their names. Throws
/// `ane::error` for files that are none, for a folder without one, and as `app::add_runs`.
ane::model_samples samples_in(const std::vector<std::string>& paths, const app::model& model);

} // namespace command
