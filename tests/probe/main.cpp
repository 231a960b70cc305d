// The kit: see docs/probe.md and options.cpp.

#include "../../examples/digits/terminal.hpp"
#include "child.hpp"
#include "conductor.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "report.hpp"
#include "tasks.hpp"
#include "worker.hpp"
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace kit {
namespace {

/// Throws `ane::error` before ten minutes are spent on a report that could not be written.
void require_writable(const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::absolute(path).parent_path();
    if (fs::is_directory(path)) {
        throw ane::error(ane::errc::file, path, "is a folder; --output names a file");
    }
    if (!fs::is_directory(folder)) {
        throw ane::error(ane::errc::file, folder.string(), "is no folder");
    }
    if (::access(folder.c_str(), W_OK) != 0 || (fs::exists(path) && ::access(path.c_str(), W_OK) != 0)) {
        throw ane::error(ane::errc::file, path, "cannot be written: no permission");
    }
}

std::vector<task> chosen(std::vector<task> all, const std::vector<std::string>& only) {
    if (only.empty()) {
        return all;
    }
    std::vector<task> some{all.front()}; // which library answers is always asked
    for (const std::string& id : only) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const task& t) { return t.id == id; });
        if (found == all.end()) {
            throw ane::error(ane::errc::argument, "--only", "'" + id + "' is not one of the ids of --list");
        }
        if (std::none_of(some.begin(), some.end(), [&](const task& t) { return t.id == id; })) {
            some.push_back(*found);
        }
    }
    return some;
}

int probe(const std::string& program, options o) {
    require_writable(o.output);
    const std::vector<task> tasks = chosen(all_tasks(), o.only);
    o.chip = o.chip ? o.chip : this_engine();
    heading head{now(), {}, chip_name(), system_name(), compiler_name(), *o.chip};
    fmt::print("{} items, {} door{}; nothing is written before the end\n", tasks.size(), o.doors.size(),
               o.doors.size() == 1 ? "" : "s");
    std::fflush(stdout);
    end_in_order();
    const ane::e5rt::temporary_directory scratch("anemone-probe"); // what a worker that dies leaves there goes with it
    ::setenv("TMPDIR", scratch.path().c_str(), 1);
    progress_bar bar("probing", tasks.size() * o.doors.size());
    conductor all(program, o, [&](const record& r) {
        bar.advance();
        if (!is_good(r.outcome)) {
            fmt::print("{}{} {}: {}\n", is_terminal(stderr) ? "\r\x1b[K" : "", r.id, name(r.door), name(r.outcome));
            std::fflush(stdout);
        }
    });
    const std::vector<record> records = all.run(tasks);
    bar.finish();
    head.ended = now();
    const std::string text = report_text(head, records);
    try {
        ane::write_file(o.output, text);
    } catch (const ane::error& e) {
        fmt::print("{}", text); // better here than nowhere
        fmt::print(stderr, "{}\nthe report stands above instead\n", e.what());
        return 2;
    }
    fmt::print("{}\n{}; the report is {}\n", counts(records),
               all_good(records) ? "everything agrees" : "NOT everything agrees", o.output);
    return all_good(records) ? 0 : 1;
}

} // namespace
} // namespace kit

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (!arguments.empty() && arguments[0] == kit::worker_option) {
            return kit::work(kit::errand::from(arguments));
        }
        const kit::options o = kit::read_options(arguments);
        if (o.help) {
            fmt::print("{}", kit::usage);
        } else if (o.list) {
            for (const kit::task& t : kit::all_tasks()) {
                const std::size_t end = t.about.find('\n'); // behind it the reason, where nothing is asked
                fmt::print("{:<16} {}{}\n", t.id,
                           t.run ? "" : "not asked: ", t.run ? t.about.substr(0, end) : t.about.substr(end + 1));
            }
        } else {
            return kit::probe(kit::own_path(argv[0]), o);
        }
        return 0;
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
