#pragma once

#include <CLI/CLI.hpp>

/// What the values of options stand for, as `--help` calls them; completions and the manual follow it.
namespace command::words {

inline constexpr const char* file = "FILE";
inline constexpr const char* targets = "TARGETS"; ///< several, with commas and ranges
inline constexpr const char* target = "TARGET";
inline constexpr const char* backends = "BACKENDS"; ///< cpu, oracle:TARGET, engine:TARGET
inline constexpr const char* rules = "RULES";

/// Gives the options of all subcommands their word, by their names.
void name_values(CLI::App& app);

} // namespace command::words
