#include "machine.hpp"

#include <anemone/base/error.hpp>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>
#include <sys/utsname.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace kit {
namespace {

#if defined(__APPLE__)
std::string known_to_the_kernel(const char* name) {
    std::array<char, 256> text{};
    std::size_t size = text.size() - 1;
    return ::sysctlbyname(name, text.data(), &size, nullptr, 0) == 0 ? text.data() : "not known";
}
#else
/// What follows `key` in a file of lines, without quotes.
std::string line_of(const char* file, std::string_view key) {
    std::ifstream in(file);
    for (std::string row; std::getline(in, row);) {
        if (row.substr(0, key.size()) == key) {
            const std::size_t begin = row.find_first_not_of(" \t:=\"", key.size());
            const std::size_t end = row.find_last_not_of('"');
            return begin == std::string::npos ? std::string() : row.substr(begin, end - begin + 1);
        }
    }
    return "not known";
}
#endif

struct mac {
    std::string_view chip;
    ane::target engine;
};
/// Products as the table of targets has them (targets/table.hpp); more words first.
constexpr mac macs[] = {
    {"Apple M1 Pro", ane::h13g}, {"Apple M1 Max", ane::h13g}, {"Apple M1 Ultra", ane::h13g},
    {"Apple M1", ane::h13},      {"Apple M2 Pro", ane::h14g}, {"Apple M2 Max", ane::h14g},
    {"Apple M2", ane::h14},      {"Apple M3 Pro", ane::h15g}, {"Apple M3 Max", ane::h15g},
    {"Apple M3", ane::h15},      {"Apple M4 Pro", ane::h16g}, {"Apple M4 Max", ane::h16g},
    {"Apple M4", ane::h16},      {"Apple M5 Pro", ane::h17s}, {"Apple M5 Max", ane::h17s},
    {"Apple M5", ane::h17},      {"Apple M6", ane::h18},
};

} // namespace

std::string chip_name() {
#if defined(__APPLE__)
    return known_to_the_kernel("machdep.cpu.brand_string");
#else
    return line_of("/proc/cpuinfo", "model name");
#endif
}

std::string system_name() {
#if defined(__APPLE__)
    return "macOS " + known_to_the_kernel("kern.osproductversion") + " (" + known_to_the_kernel("kern.osversion") + ")";
#else
    utsname system{};
    ::uname(&system);
    return line_of("/etc/os-release", "PRETTY_NAME") + ", " + system.sysname + " " + system.release + ", " +
           system.machine;
#endif
}

std::string compiler_name() { return __VERSION__; }

std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::optional<ane::target> engine_of(const std::string& chip) {
    for (const mac& each : macs) {
        if (chip == each.chip) {
            return each.engine;
        }
    }
    return std::nullopt;
}

ane::target this_engine() {
#if defined(__APPLE__)
    const auto found = engine_of(chip_name());
    if (!found) {
        throw ane::error(ane::errc::argument, chip_name(),
                         "is no chip that the kit knows; name its engine with --target (docs/targets.md)");
    }
    return *found;
#else
    const char* const host = std::getenv("ANEMONE_STANDIN_HOST");
    return host == nullptr ? ane::h13 : ane::find_target(host).value_or(ane::h13);
#endif
}

} // namespace kit
