#include "command.hpp"
#include "command_line.hpp"
#include "ending.hpp"
#include "option_files.hpp"
#include "output_path.hpp"
#include "terminal_text.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>
#include <anemone/readers/unreadable.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace command {

void write_text(const std::string& to, const std::string& text) {
    if (!to.empty() && to != "-") {
        require_unread(to);
        ane::write_file(to, text);
        return;
    }
    const std::string shown = harmless(text, coloured());
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() || std::fflush(stdout) != 0) {
        throw ane::error(ane::errc::file, "standard output", std::string("cannot be written: ") + std::strerror(errno));
    }
}

void tell(const std::string& text) { std::fputs(harmless(text, false).c_str(), stderr); }

bool coloured() {
    const char* const none = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0');
}

namespace {

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
    std::string said = err.str();
    while (said.ends_with('\n')) {
        said.pop_back();
    }
    const std::size_t last = std::min(said.rfind('\n'), said.size()); // the parser's own, behind what was wrong
    return impossible_because(error_text(said.substr(0, last), "") + said.substr(last + (last < said.size() ? 1 : 0)) +
                              (last < said.size() ? "\n" : ""));
}

struct subcommand {
    std::string_view name;
    void (*add)(CLI::App&, int&);
};
constexpr subcommand subcommands[] = {
    {"check", add_check},
    {"run", add_run},
    {"diff", add_diff},
    {"cost", add_cost},
    {"placement", add_placement},
    {"timeline", add_timeline},
    {"optimize", add_optimize},
    {"compress", add_compress},
    {"train", add_train},
    {"generate", add_generate},
    {"precision", add_precision},
    {"draw", add_draw},
    {"convert", add_convert},
    {"bench", add_bench},
    {"targets", add_targets},
    {"rules", add_rules},
    {"completions", add_completions},
    {"manual", add_manual},
};

/// The subcommand that is called; all of them where none or one that describes the others is, and where a file may set
/// options of any. The options of all take more time than many a call.
void add_subcommands(CLI::App& app, int& status, const std::vector<std::string>& arguments) {
    const std::string_view called = arguments.empty() ? std::string_view() : arguments.front();
    const auto* const one = std::find_if(std::begin(subcommands), std::end(subcommands),
                                         [&](const subcommand& each) { return each.name == called; });
    if (one != std::end(subcommands) && called != "completions" && called != "manual" && !has_config(arguments)) {
        one->add(app, status);
        return;
    }
    for (const subcommand& each : subcommands) {
        each.add(app, status);
    }
}

/// Everything that takes memory: what there is none for is thrown out of it, from its handlers too.
int run(int count, char** arguments) {
    end_without_memory();
    CLI::App app("What the Apple Neural Engine makes of a model, without the engine.", "anemone");
    app.set_version_flag("--version", ANEMONE_VERSION_TEXT);
    app.require_subcommand(1);
    add_config(app);
    app.footer("Exit codes: 0 all is well; 1 a model is refused, or answers differ; 2 the request failed.\n"
               "Arguments can come from a file, one a line: anemone check @files.txt\n"
               "Documentation: docs/command.md. Nothing here was ever run on Apple silicon.");
    int status = well;
    try {
        std::vector<std::string> all = expanded(count, arguments);
        add_subcommands(app, status, all);
        name_values(app);
        refuse_empty_paths(app);
        app.parse_complete_callback(memory_may_be_thrown); // what is asked is known, and nothing done yet
        end_without_remains();
        require_config(all);
        std::reverse(all.begin(), all.end()); // as the parser wants them
        try {
            app.parse(std::move(all));
        } catch (const CLI::ParseError& wrong) {
            return ended_by(app, wrong);
        }
        return status;
    } catch (const ane::unreadable& refused) {
        std::string text;
        for (const ane::read_fault& fault : refused.faults()) {
            text += error_text(ane::text(fault), "");
        }
        return impossible_because(text);
    } catch (const ane::error& failure) {
        return impossible_because(error_text(failure.what(), ane::name(failure.code())));
    }
}

} // namespace
} // namespace command

int main(int count, char** arguments) {
    try {
        try {
            return command::run(count, arguments);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& failure) {
            return command::impossible_because(command::error_text(failure.what(), ""));
        }
    } catch (...) { // from a handler too
        return command::told_without_memory();
    }
}
