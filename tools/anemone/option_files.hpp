#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Options that stand in files. A file that the user names may say whatever the command line may. One that merely lies in
/// the working folder came with what is looked at, perhaps from a stranger: it may choose among harmless answers.
namespace command {

/// The arguments, with those of a file, one a line, in the place of `@file`. A file may not name another. An argument is
/// itself behind `--`, and where a file has that very name, "@file": a pattern of the shell put it there.
std::vector<std::string> expanded(int count, char** arguments);

/// Adds `--config FILE`; without it `anemone.toml` of the working folder is read. That one may set what chooses among
/// targets and forms of the answer, which is told on standard error; anything else in it is an `ane::error`
/// (errc::argument): no output, no waiver, no promise, no limit.
void add_config(CLI::App& app);

/// Whether a file sets options: one that an argument names, or `anemone.toml`.
bool has_config(const std::vector<std::string>& arguments);

/// Throws `ane::error` where `anemone.toml` is to be read and is no file: the parser asks no questions about it.
void require_config(const std::vector<std::string>& arguments);

} // namespace command
