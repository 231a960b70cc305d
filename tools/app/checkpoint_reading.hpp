#pragma once

#include "reading.hpp"
#include <anemone/io/opened_files.hpp>
#include <anemone/models/checkpoint.hpp>
#include <anemone/models/decoder_form.hpp>
#include <anemone/readers/read_model.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Published language models: a folder with `config.json`, or a GGUF file.
namespace app {

/// The form that a front end asks for of a published decoder. The context that it was trained for may be shorter than the
/// usual one.
ane::models::decoder_form form_of(const ane::models::decoder_configuration& c, const reading_options& how);

/// A published model with all its weights, to be run. Throws what `ane::models::read_checkpoint` throws, and `ane::error`
/// (errc::weights) that names what is missing.
ane::models::checkpoint read_whole_checkpoint(const std::string& path, std::uint64_t max_memory, const caller& who);

/// The whole decoder, or the program of it that was chosen. Throws as `read`.
ane::read_model read_checkpoint(const std::string& path, const reading_options& how, const caller& who,
                                ane::opened_files& parts);

/// The programs of a published decoder as variants, where there are several; of those that are alike one where no weights are
/// there. Throws as `read`.
std::vector<variant> programs_in(const std::string& path, const reading_options& how);

} // namespace app
