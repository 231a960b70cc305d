#pragma once

#include "model_path.hpp"
#include "reading.hpp"
#include <anemone/io/opened_files.hpp>
#include <anemone/readers/read_model.hpp>

/// Published image networks: a folder with `config.json`, or a name.
namespace app {

/// The network and its weights: those of its folder, or of the file that `how` names. Throws as `read`.
ane::read_model read_network(const found_file& file, const reading_options& how, const caller& who,
                             ane::opened_files& parts);

} // namespace app
