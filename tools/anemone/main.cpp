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
#include <new>
#include <sstream>
#include <string>
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
    return impossible_because(error_text(said, ""));
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
    add_check(app, status);
    add_run(app, status);
    add_diff(app, status);
    add_cost(app, status);
    add_placement(app, status);
    add_timeline(app, status);
    add_optimize(app, status);
    add_compress(app, status);
    add_train(app, status);
    add_generate(app, status);
    add_precision(app, status);
    add_draw(app, status);
    add_convert(app, status);
    add_bench(app, status);
    add_targets(app, status);
    add_rules(app, status);
    add_completions(app, status);
    add_manual(app, status);
    name_values(app);
    refuse_empty_paths(app);
    app.parse_complete_callback(memory_may_be_thrown); // what is asked is known, and nothing done yet
    end_without_remains();
    try {
        std::vector<std::string> all = expanded(count, arguments);
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
