#include "command.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace command {

void write_text(const std::string& to, const std::string& text) {
    if (!to.empty() && to != "-") {
        ane::write_file(to, text);
    } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw ane::error(ane::errc::file, "standard output", "cannot be written");
    }
}

bool coloured() {
    const char* const none = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0');
}

namespace {

/// The arguments, with those of a file, one a line, in the place of `@file`. A file may not name another.
std::vector<std::string> expanded(int count, char** arguments) {
    std::vector<std::string> all;
    for (int i = 1; i < count; ++i) {
        const std::string each = arguments[i];
        if (each.size() < 2 || each.front() != '@') {
            all.push_back(each);
            continue;
        }
        std::ifstream file(each.substr(1));
        if (!file) {
            throw ane::error(ane::errc::file, each.substr(1), "cannot be opened");
        }
        for (std::string line; std::getline(file, line);) {
            if (!line.empty() && line.front() != '#') {
                all.push_back(line);
            }
        }
    }
    return all;
}

} // namespace
} // namespace command

int main(int count, char** arguments) {
    CLI::App app("What the Apple Neural Engine makes of a model, without the engine.", "anemone");
    app.set_version_flag("--version", ANEMONE_VERSION_TEXT);
    app.require_subcommand(1);
    app.set_config("--config", "anemone.toml", "Options from a file, by subcommand: [check] targets = \"macs\"");
    app.footer("Exit codes: 0 all is well; 1 a model is refused, or answers differ; 2 what was asked cannot be done.\n"
               "Arguments can come from a file, one a line: anemone check @files.txt\n"
               "Documentation: docs/command.md. Nothing here was ever run on Apple silicon.");
    int status = command::well;
    command::add_check(app, status);
    command::add_run(app, status);
    command::add_diff(app, status);
    command::add_cost(app, status);
    command::add_draw(app, status);
    command::add_convert(app, status);
    command::add_bench(app, status);
    command::add_targets(app, status);
    command::add_rules(app, status);
    try {
        std::vector<std::string> all = command::expanded(count, arguments);
        std::reverse(all.begin(), all.end()); // as the parser wants them
        app.parse(std::move(all));
        return status;
    } catch (const CLI::ParseError& wrong) {
        return app.exit(wrong) == 0 ? command::well : command::impossible;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "anemone: %s\n", failure.what());
        return command::impossible;
    }
}
