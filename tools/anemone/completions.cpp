#include "../app/option.hpp"
#include "command.hpp"
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

namespace command {

namespace {

std::string joined(const std::vector<std::string>& list, const char* between = " ") {
    return fmt::format("{}", fmt::join(list, between));
}

/// Within single quotes of a POSIX shell.
std::string shell_text(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return result + "'";
}

std::vector<std::string> names_of(const described_option& option) {
    std::vector<std::string> all = option.shorts;
    all.insert(all.end(), option.longs.begin(), option.longs.end());
    return all;
}

/// What completes a value: its choices, or what its word stands for. Several can be given with commas where `is_list`.
struct completed {
    std::vector<std::string> values;
    bool is_file = false;
    bool is_list = false;
};

completed completed_by(const described_option& option) {
    completed result;
    result.values = option.choices.empty() ? values_of(option.word) : option.choices;
    result.is_file = option.word == app::words::file;
    result.is_list = option.choices.empty() && option.word != app::words::target &&
                     option.word != app::words::reference && !result.is_file && option.name.empty();
    return result;
}

bool is_flag(const described_option& option) { return option.word.empty() && option.choices.empty(); }

// ---- bash

constexpr std::string_view bash_functions = R"bash(# Completion of anemone for bash: eval "$(anemone completions bash)"

# The word at the cursor, which bash cuts at ':' and '=', and what of it the line already has.
_anemone_reply() { # <values>, or @file; <list> where several are given with commas
    local values=$1 list=$2 word=$3 kept=''
    if [[ $values == @file ]]; then
        if [[ $word == *=* ]]; then # NAME=FILE
            [[ $COMP_WORDBREAKS == *=* ]] || kept=${word%%=*}=
            word=${word#*=}
        fi
        compopt -o filenames 2>/dev/null
        local IFS=$'\n'
        COMPREPLY=($(compgen -P "$kept" -f -- "$word"))
        return
    fi
    if [[ -n $list && $word == *,* ]]; then
        kept=${word%,*},
        word=${word##*,}
    fi
    COMPREPLY=($(compgen -P "$kept" -W "$values" -- "$word"))
    if [[ ${3} == *:* && $COMP_WORDBREAKS == *:* ]]; then
        local cut=${3%"${3##*:}"} i
        for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
            COMPREPLY[i]=${COMPREPLY[i]#"$cut"}
        done
    fi
}

)bash";

std::string bash_values(const completed& by) { return by.is_file ? "@file" : joined(by.values); }

std::string bash_script(const std::vector<described_command>& commands) {
    std::string text(bash_functions);
    text += "_anemone() {\n"
            "    local line=${COMP_LINE:0:COMP_POINT} word previous command='' each i\n"
            "    local -a words\n"
            "    read -r -a words <<<\"$line\"\n"
            "    [[ $line == *' ' ]] && words+=('')\n"
            "    word=${words[-1]} previous=${words[-2]}\n"
            "    for ((i = 1; i < ${#words[@]} - 1; i++)); do\n"
            "        [[ ${words[i]} == --config ]] && { ((i++)); continue; }\n"
            "        [[ ${words[i]} == -* ]] || { command=${words[i]}; break; }\n"
            "    done\n"
            "    if [[ $word == --*=* ]]; then\n"
            "        previous=${word%%=*} word=${word#*=}\n"
            "    fi\n"
            "    case $command in\n";
    std::vector<std::string> names;
    for (const described_command& each : commands) {
        if (!each.name.empty()) {
            names.push_back(each.name);
        }
    }
    for (const described_command& each : commands) {
        std::vector<std::string> options;
        std::string positional;
        text += fmt::format("    {})\n        case $previous in\n", each.name.empty() ? "''" : each.name);
        for (const described_option& option : each.options) {
            if (!option.name.empty()) {
                positional =
                    fmt::format("_anemone_reply {} '' \"$word\"", shell_text(bash_values(completed_by(option))));
                continue;
            }
            const std::vector<std::string> all = names_of(option);
            options.insert(options.end(), all.begin(), all.end());
            const completed by = completed_by(option);
            if (!is_flag(option)) {
                text += fmt::format("        {}) {}; return ;;\n", joined(all, " | "),
                                    by.values.empty() && !by.is_file
                                        ? "COMPREPLY=()"
                                        : fmt::format("_anemone_reply {} '{}' \"$word\"", shell_text(bash_values(by)),
                                                      by.is_list ? "list" : ""));
            }
        }
        if (each.name.empty()) {
            positional = fmt::format("_anemone_reply {} '' \"$word\"", shell_text(joined(names)));
        }
        text += fmt::format("        esac\n"
                            "        if [[ $word == -* ]]; then\n"
                            "            _anemone_reply {} '' \"$word\"\n"
                            "        else\n"
                            "            {}\n"
                            "        fi\n"
                            "        ;;\n",
                            shell_text(joined(options)), positional.empty() ? ":" : positional);
    }
    return text + "    esac\n}\ncomplete -F _anemone anemone\n";
}

// ---- zsh

/// A message within "[...]" of _arguments, in single quotes.
std::string zsh_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        result += c == '[' || c == ']' || c == ':' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return result;
}

std::string zsh_action(const completed& by, std::string_view word) {
    if (by.is_file) {
        return fmt::format(":{}:{{compset -P \"*=\"; _files}}", word); // also behind NAME=
    }
    if (by.values.empty()) {
        return fmt::format(":{}: ", word);
    }
    std::vector<std::string> values;
    for (const std::string& each : by.values) {
        values.push_back(zsh_text(each));
    }
    const std::string list = joined(values);
    return by.is_list ? fmt::format(":{}:_sequence compadd - {}", word, list) : fmt::format(":{}:({})", word, list);
}

std::string zsh_script(const std::vector<described_command>& commands) {
    std::string text =
        "#compdef anemone\n# Completion of anemone for zsh: anemone completions zsh >_anemone in a folder of "
        "$fpath, before compinit\n\n_anemone() {\n    local line state\n    _arguments -C \\\n";
    std::string cases;
    std::string subcommands;
    for (const described_command& each : commands) {
        std::string arguments;
        for (const described_option& option : each.options) {
            const completed by = completed_by(option);
            if (!option.name.empty()) {
                arguments += fmt::format("        {} \\\n", shell_text(fmt::format("{}{}", option.repeats ? "*" : "1",
                                                                                   zsh_action(by, option.name))));
                continue;
            }
            for (const std::string& name : names_of(option)) {
                arguments += fmt::format("        {} \\\n",
                                         shell_text(fmt::format("*{}[{}]{}", name, zsh_text(option.text),
                                                                is_flag(option) ? "" : zsh_action(by, option.word))));
            }
        }
        if (each.name.empty()) {
            text += arguments;
        } else {
            subcommands += fmt::format(" {}\\:{}", each.name, shell_text(zsh_text(each.text)));
            cases += fmt::format("    {})\n        _arguments \\\n{}            && return\n        ;;\n", each.name,
                                 arguments);
        }
    }
    std::string list;
    for (const described_command& each : commands) {
        if (!each.name.empty()) {
            list += fmt::format("        {}\n", shell_text(fmt::format("{}:{}", each.name, zsh_text(each.text))));
        }
    }
    text +=
        "        '1:subcommand:->subcommand' \\\n        '*::argument:->arguments'\n"
        "    case $state in\n    subcommand)\n        local -a subcommands=(\n" +
        list +
        "        )\n        _describe subcommand subcommands\n        return\n        ;;\n    esac\n"
        "    case $line[1] in\n" +
        cases +
        "    esac\n}\n\nif [ \"$funcstack[1]\" = _anemone ]; then\n    _anemone \"$@\"\nelse\n    compdef _anemone anemone\nfi\n";
    return text;
}

// ---- fish

/// Within single quotes of fish, where a backslash escapes itself and the quote.
std::string fish_text(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return result + "'";
}

std::string fish_script(const std::vector<described_command>& commands) {
    std::string text =
        "# Completion of anemone for fish: anemone completions fish >~/.config/fish/completions/anemone.fish\n"
        "complete -c anemone -f\n";
    for (const described_command& each : commands) {
        const std::string when =
            each.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + each.name;
        if (!each.name.empty()) {
            text += fmt::format("complete -c anemone -n __fish_use_subcommand -a {} -d {}\n", each.name,
                                fish_text(each.text));
        }
        for (const described_option& option : each.options) {
            const completed by = completed_by(option);
            std::string line = fmt::format("complete -c anemone -n {}", fish_text(when));
            for (const std::string& name : option.longs) {
                line += " -l " + name.substr(2);
            }
            for (const std::string& name : option.shorts) {
                line += " -s " + name.substr(1);
            }
            if (by.is_file) {
                line += option.name.empty() ? " -r -F" : " -F";
            } else if (!by.values.empty()) {
                line +=
                    (option.name.empty() ? " -x -a " : " -a ") +
                    fish_text(by.is_list ? fmt::format("(__fish_append , {})", joined(by.values)) : joined(by.values));
            } else if (!is_flag(option)) {
                line += " -x";
            }
            text += line + fmt::format(" -d {}\n", fish_text(option.text));
        }
    }
    return text;
}

} // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
    const std::vector<described_command> commands = described(app);
    return shell == "bash" ? bash_script(commands) : shell == "zsh" ? zsh_script(commands) : fish_script(commands);
}

void add_completions(CLI::App& app, int& status) {
    struct options {
        std::string shell;
        std::string output;
    };
    const auto given = std::make_shared<options>();
    CLI::App* const sub = app.add_subcommand("completions", "Prints a script that completes this command in a shell");
    sub->add_option("SHELL", given->shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    sub->add_option("-o,--output", given->output, "A file instead of standard output");
    sub->footer("Examples:\n  eval \"$(anemone completions bash)\"\n"
                "  anemone completions zsh >~/.zfunc/_anemone\n"
                "  anemone completions fish >~/.config/fish/completions/anemone.fish");
    sub->callback([&app, given, &status] {
        write_text(given->output, completion_script(app, given->shell));
        status = well;
    });
}

} // namespace command
