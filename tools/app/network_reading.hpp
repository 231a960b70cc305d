#pragma once

#include "model_path.hpp"
#include "reading.hpp"
#include <anemone/io/opened_files.hpp>
#include <anemone/readers/read_model.hpp>

#include <string>
#include <vector>

/// Published networks of images, texts and speech: a folder with `config.json`, or a name.
namespace app {

/// The network and its weights: those of its folder, or of the file that `how` names. Throws as `read`.
ane::read_model read_network(const found_file& file, const reading_options& how, const caller& who,
                             ane::opened_files& parts);

/// The parts of a network that is published as several programs, where `how` chooses none; else none. Throws as `read`.
std::vector<variant> parts_in(const std::string& path, const reading_options& how);

} // namespace app
