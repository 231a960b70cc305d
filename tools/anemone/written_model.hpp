#pragma once

#include "../app/convert.hpp"
#include "option_arguments.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace command {

/// Where a model is to be written, and as what.
struct written_form {
    std::string path{}; ///< empty: nowhere
    app::convert_options how{};
};

/// Adds `-o,--output` and `--to` to a subcommand that may write what it made.
void add_written(CLI::App& sub, written_form& written, const std::string& text);

/// Throws `ane::error` (errc::argument) where what is written would replace the model that is read.
void require_apart(const written_form& written, const std::string& model);

/// The same of all files of the model, which is read now, before much is computed that is then to be written.
void require_apart(const written_form& written, const app::model& model);

/// Writes a model, unless nowhere. The lines that tell where.
std::string write(app::model of, const written_form& written);

} // namespace command
