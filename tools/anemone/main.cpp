#include "command.hpp"
#include "command_line.hpp"
#include "input_file.hpp"
#include "terminal_text.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>
#include <anemone/readers/unreadable.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace command {

void write_text(const std::string& to, const std::string& text) {
    if (!to.empty() && to != "-") {
        ane::write_file(to, text);
        return;
    }
    const std::string shown = harmless(text, coloured());
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() || std::fflush(stdout) != 0) {
        throw ane::error(ane::errc::file, "standard output", std::string("cannot be written: ") + std::strerror(errno));
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
        constexpr std::uint64_t most = std::uint64_t{1} << 24U;
        std::istringstream file(input_bytes(each.substr(1), most));
        for (std::string line; std::getline(file, line);) {
            if (!line.empty() && line.front() != '#') {
                all.push_back(line);
            }
        }
    }
    return all;
}

/// A configuration file is one, before it is read: neither a device nor larger than any of them.
std::string config_fault(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) {
        return ""; // the usual one may be missing; the parser complains of another
    }
    try {
        static_cast<void>(input_bytes(path, std::uint64_t{1} << 24U));
        return "";
    } catch (const ane::error& wrong) {
        return wrong.what();
    }
}

int impossible_because(const std::string& text) {
    std::fputs(text.c_str(), stderr);
    return impossible;
}

/// What the parser says, without controls that came from an argument.
int ended_by(const CLI::App& app, const CLI::ParseError& wrong) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(wrong, out, err) == 0) { // --help, --version
        write_text("", out.str());
        return well;
    }
    return impossible_because("error: " + harmless(err.str(), false));
}

} // namespace
} // namespace command

int main(int count, char** arguments) {
    CLI::App app("What the Apple Neural Engine makes of a model, without the engine.", "anemone");
    app.set_version_flag("--version", ANEMONE_VERSION_TEXT);
    app.require_subcommand(1);
    app.set_config("--config", "anemone.toml", "Options from a file, by subcommand: [check] targets = \"macs\"")
        ->check(command::config_fault);
    app.footer("Exit codes: 0 all is well; 1 a model is refused, or answers differ; 2 the request failed.\n"
               "Arguments can come from a file, one a line: anemone check @files.txt\n"
               "Documentation: docs/command.md. Nothing here was ever run on Apple silicon.");
    int status = command::well;
    command::add_check(app, status);
    command::add_run(app, status);
    command::add_diff(app, status);
    command::add_cost(app, status);
    command::add_placement(app, status);
    command::add_timeline(app, status);
    command::add_optimize(app, status);
    command::add_compress(app, status);
    command::add_draw(app, status);
    command::add_convert(app, status);
    command::add_bench(app, status);
    command::add_targets(app, status);
    command::add_rules(app, status);
    command::add_completions(app, status);
    command::add_manual(app, status);
    command::name_values(app);
    try {
        std::vector<std::string> all = command::expanded(count, arguments);
        std::reverse(all.begin(), all.end()); // as the parser wants them
        try {
            app.parse(std::move(all));
        } catch (const CLI::ParseError& wrong) {
            return command::ended_by(app, wrong);
        }
        return status;
    } catch (const ane::unreadable& refused) {
        std::string text;
        for (const ane::read_fault& fault : refused.faults()) {
            text += command::error_text(ane::text(fault), "");
        }
        return command::impossible_because(text);
    } catch (const ane::error& failure) {
        return command::impossible_because(command::error_text(failure.what(), ane::name(failure.code())));
    } catch (const std::bad_alloc&) {
        return command::impossible_because(
            "error: memory: the system gives no more; a smaller --max-memory says of what\n");
    } catch (const std::exception& failure) {
        return command::impossible_because(command::error_text(failure.what(), ""));
    }
}
