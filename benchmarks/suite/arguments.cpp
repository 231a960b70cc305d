#include "arguments.hpp"

#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sched.h>
#include <string>

namespace suite {

namespace {

constexpr const char* help = R"(usage: bench_suite [option]...

  --only NAME,...      these workloads, or all whose names begin so (conv3x3); --list prints them
  --peers NAME,...     these peers beside ours: "oneDNN,PyTorch frozen"
  --threads 1,2        numbers of threads, each in a process of its own
  --cpus 0,1           the processors to run on; 1 thread runs on the first
  --quick              3 rounds of short turns
  --rounds N           rounds (9)
  --turn SECONDS       how long a contender runs in each round (0.04)
  --check              small sizes, and only whether the results are right; the status says so
  --csv FILE           everything measured
  --markdown FILE      the tables of docs/performance.md, written between their markers
  --svg FILE           the points of all contenders under the roofline
  --from FILE          these from an earlier --csv, without measuring
  --modules FOLDER     where `npm install onnxruntime-node` was done
  --scratch FOLDER     for files that other processes read
)";

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::vector<int> integers(const std::string& option, const std::string& text, int least) {
    std::vector<int> list;
    for (const std::string& part : split(text)) {
        char* end = nullptr;
        const long value = std::strtol(part.c_str(), &end, 10);
        if (part.empty() || *end != '\0' || value < least || value > 4096) {
            throw ane::error(ane::errc::argument, option,
                             "\"" + part + "\" is no number from " + std::to_string(least) + " to 4096");
        }
        list.push_back(static_cast<int>(value));
    }
    return list;
}

std::vector<std::string> chosen(const std::string& text) {
    std::vector<std::string> list;
    for (const std::string& wanted : split(text)) {
        const std::size_t before = list.size();
        for (const std::string& name : workload_names()) {
            if (name == wanted || (name.starts_with(wanted) && !wanted.empty())) {
                list.push_back(name);
            }
        }
        if (list.size() == before) {
            throw ane::error(ane::errc::argument, wanted, "is no workload; --list prints them");
        }
    }
    return list;
}

std::vector<int> allowed_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> list;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(static_cast<std::size_t>(i), &set)) {
            list.push_back(i);
        }
    }
    return list;
}

std::string joined(const std::vector<int>& list) { return fmt::format("{}", fmt::join(list, ",")); }

} // namespace

arguments parse_arguments(int count, char** words) {
    arguments given;
    given.workloads = workload_names();
    given.processors = allowed_processors();
    bool threads_given = false;
    for (int i = 1; i < count; ++i) {
        const std::string option = words[i];
        const auto value = [&] {
            if (i + 1 == count) {
                throw ane::error(ane::errc::argument, option, "needs a value");
            }
            return std::string(words[++i]);
        };
        if (option == "--only") {
            given.workloads = chosen(value());
        } else if (option == "--peers") {
            given.peers = split(value());
        } else if (option == "--threads") {
            given.threads = integers(option, value(), 1);
            threads_given = true;
        } else if (option == "--cpus") {
            given.processors = integers(option, value(), 0);
        } else if (option == "--quick") {
            given.how.rounds = 3;
            given.how.turn_seconds = 0.015;
        } else if (option == "--rounds") {
            given.how.rounds = integers(option, value(), 1).front();
        } else if (option == "--turn") {
            given.how.turn_seconds = std::atof(value().c_str());
        } else if (option == "--check") {
            given.how.check_only = given.small = true;
        } else if (option == "--csv") {
            given.csv = value();
        } else if (option == "--svg") {
            given.svg = value();
        } else if (option == "--from") {
            given.from = value();
        } else if (option == "--markdown") {
            given.markdown = value();
        } else if (option == "--modules") {
            given.modules = value();
        } else if (option == "--scratch") {
            given.scratch = value();
        } else if (option == "--results") {
            given.results = value();
        } else if (option == "--follows") {
            given.follows = true;
        } else if (option == "--list" || option == "--help") {
            fmt::print("{}", option == "--help" ? help : fmt::format("{}\n", fmt::join(workload_names(), "\n")));
            std::exit(0); // NOLINT(concurrency-mt-unsafe): before any thread
        } else {
            throw ane::error(ane::errc::argument, option, "is no option; --help prints them");
        }
    }
    const auto most = static_cast<int>(given.processors.size());
    if (!threads_given) {
        std::erase_if(given.threads, [&](int n) { return n > most; });
    }
    for (const int n : given.threads) {
        if (n > most) {
            throw ane::error(ane::errc::argument, "--threads",
                             fmt::format("{} threads need as many processors, and there are {}", n, most));
        }
    }
    given.how.threads = given.threads.front();
    given.modules = std::filesystem::absolute(given.modules).string(); // other programs read them
    given.scratch = std::filesystem::absolute(given.scratch).string();
    return given;
}

std::vector<std::string> words_of(const arguments& given) {
    std::vector<std::string> words{"--only",    fmt::format("{}", fmt::join(given.workloads, ",")),
                                   "--threads", joined(given.threads),
                                   "--cpus",    joined(given.processors),
                                   "--rounds",  std::to_string(given.how.rounds),
                                   "--turn",    fmt::format("{}", given.how.turn_seconds),
                                   "--modules", given.modules,
                                   "--scratch", given.scratch,
                                   "--results", given.results};
    if (!given.peers.empty()) {
        words.insert(words.end(), {"--peers", fmt::format("{}", fmt::join(given.peers, ","))});
    }
    if (given.how.check_only) {
        words.emplace_back("--check");
    }
    if (given.follows) {
        words.emplace_back("--follows");
    }
    return words;
}

} // namespace suite
