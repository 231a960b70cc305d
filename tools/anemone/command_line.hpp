#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// One option or argument of a subcommand, as completions and the manual need it.
struct described_option {
    std::vector<std::string> longs;  ///< "--targets"
    std::vector<std::string> shorts; ///< "-t"
    std::string name;                ///< of an argument, "FILES"; empty for an option
    std::string word;                ///< what its value stands for, `app::words` or "TEXT"; empty for a flag
    std::vector<std::string> choices;
    std::string text;
    std::string standard; ///< its default, where that is shown
    bool repeats = false; ///< of an argument: more than one value
};

struct described_command {
    std::string name; ///< empty for the program itself
    std::string text;
    std::string footer;
    std::vector<described_option> options; ///< arguments too
};

/// Gives the options of all subcommands the word that their values stand for, by their names, where no table said it.
void name_values(CLI::App& app);

/// An empty path is refused wherever an option or an argument is a file: it is a variable that was not set.
void refuse_empty_paths(CLI::App& app);

/// The program, then its subcommands, as they were added.
std::vector<described_command> described(const CLI::App& app);

/// Values that a word of `app::words` stands for, where they are known: targets, backends, rules.
std::vector<std::string> values_of(std::string_view word);

/// Scripts for the completion of a shell: "bash", "zsh", "fish".
std::string completion_script(const CLI::App& app, std::string_view shell);

/// The manual page, section 1, for man(1).
std::string manual_page(const CLI::App& app);

} // namespace command
