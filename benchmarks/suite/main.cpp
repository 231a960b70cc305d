/// The table of workloads: every contender's result checked, then timed in turns. `./run bench` builds and starts it.

#include "arguments.hpp"
#include "summary.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace suite {

namespace {

/// This process and what it starts run on the first `threads` of the processors.
void pin(const std::vector<int>& processors, int threads) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < threads && i < static_cast<int>(processors.size()); ++i) {
        CPU_SET(static_cast<std::size_t>(processors[static_cast<std::size_t>(i)]), &set);
    }
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        throw ane::error(ane::errc::argument, "--cpus", "this process may not run on these processors");
    }
}

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One number of threads: all workloads, in a process of its own, since the libraries fix their threads when they start.
int work(const arguments& given) {
    const int threads = given.threads.front();
    pin(given.processors, threads);
    field f = make_field({.threads = threads,
                          .scripts = SUITE_SCRIPTS,
                          .modules = given.modules,
                          .scratch = given.scratch + "/" + std::to_string(threads),
                          .peers = given.peers});
    if (!given.follows) {
        for (const auto& who : f.present) {
            fmt::print("{:<18} {}\n", who->name(), who->description());
        }
        for (const std::string& line : f.absent) {
            fmt::print("skipped            {}\n", line);
        }
    }
    std::vector<record> records;
    ane::machine_limits limits;
    if (!given.how.check_only) {
        limits = ane::measure_limits({.threads = threads});
        fmt::print("\nthis machine       {}\n", limits.line());
    }
    int wrong = 0;
    for (const std::string& name : given.workloads) {
        const problem p = make_problem(name, given.small);
        std::vector<record> block;
        for (result& r : measure(p, f, given.how)) {
            wrong += r.ours && !r.failure.empty() && !left_out(r) ? 1 : 0;
            wrong += r.failure.starts_with("wrong result") ? 1 : 0;
            block.push_back({std::move(r), p.title, p.flops, p.bytes});
        }
        fmt::print("\n{}", block_text(block, limits.peak));
        std::fflush(stdout);
        records.insert(records.end(), block.begin(), block.end());
    }
    if (!given.how.check_only) { // a neighbour may have disturbed the first time
        limits = best_of(limits, ane::measure_limits({.threads = threads}));
        fmt::print("\nthis machine       {}\n", limits.line());
        const std::vector<record> machine = records_of(limits);
        records.insert(records.begin(), machine.begin(), machine.end());
    }
    ane::write_file(given.results, csv_text(records));
    return wrong > 0 ? 1 : 0;
}

/// Starts this program again for a number of threads.
int start(const char* program, arguments given, int threads, bool follows) {
    const std::string count = std::to_string(threads);
    for (const char* const name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
        setenv(name, count.c_str(), 1);
    }
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0) { // older than the processor: it would take the kernels for AVX2
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    }
#endif
    given.threads = {threads};
    given.follows = follows;
    given.results = given.scratch + "/results_" + count + ".csv";
    std::vector<std::string> words = words_of(given);
    std::vector<char*> list{const_cast<char*>(program)}; // NOLINT: execv does not write
    for (std::string& word : words) {
        list.push_back(word.data());
    }
    list.push_back(nullptr);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", list.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int run(int count, char** words) {
    arguments given = parse_arguments(count, words);
    if (!given.results.empty()) {
        return work(given);
    }
    std::filesystem::create_directories(given.scratch);
    std::vector<record> records;
    int status = 0;
    if (!given.from.empty()) {
        records = records_of(text_of(given.from));
        given.threads.clear();
    }
    for (std::size_t i = 0; i < given.threads.size(); ++i) {
        status = std::max(status, start(words[0], given, given.threads[i], i > 0));
        const std::string path = given.scratch + "/results_" + std::to_string(given.threads[i]) + ".csv";
        if (std::filesystem::exists(path)) {
            const std::vector<record> more = records_of(text_of(path));
            records.insert(records.end(), more.begin(), more.end());
            std::filesystem::remove(path);
        }
    }
    if (!given.csv.empty()) {
        ane::write_file(given.csv, csv_text(records));
    }
    if (!given.markdown.empty()) {
        ane::write_file(given.markdown, with_measurements(text_of(given.markdown), markdown(records)));
    }
    if (!given.svg.empty() && !records.empty()) {
        ane::write_file(given.svg, chart(records, records.front().found.threads));
    }
    return status;
}

} // namespace

} // namespace suite

int main(int count, char** words) {
    try {
        return suite::run(count, words);
    } catch (const std::exception& failure) {
        fmt::print(stderr, "{}\n", failure.what());
        return 2;
    }
}
