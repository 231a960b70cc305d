#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// The subcommands, one a file. Each adds itself to the application; when it is called it returns the exit code: 0 all is
/// well, 1 a model is refused or answers differ, and throws for what cannot be done, which is 2.
namespace command {

/// What the program ends with.
enum exit_code : int { well = 0, refused = 1, impossible = 2 };

void add_check(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_cost(CLI::App& app, int& status);
void add_placement(CLI::App& app, int& status);
void add_timeline(CLI::App& app, int& status);
void add_optimize(CLI::App& app, int& status);
void add_compress(CLI::App& app, int& status);
void add_train(CLI::App& app, int& status);
void add_generate(CLI::App& app, int& status);
void add_precision(CLI::App& app, int& status);
void add_draw(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_targets(CLI::App& app, int& status);
void add_rules(CLI::App& app, int& status);
void add_completions(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);

/// Writes a text to a file, whole or not at all; to standard output where the name is empty or "-", there without
/// controls that came from a file.
void write_text(const std::string& to, const std::string& text);

/// Writes remarks to standard error, without controls that came from a file.
void tell(const std::string& text);

/// Whether standard output is a terminal that takes colours (NO_COLOR is not set).
bool coloured();

} // namespace command
