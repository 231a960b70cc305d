/// Runs a fuzz target over files instead of searching: for compilers without libFuzzer, and for a file that it found.
/// Folders stand for the files in them; options (`-max_total_time=20`) are the search's and mean nothing here. A target
/// with inputs and changes of its own (structured.hpp) is given them too, by the seed of the test.
#include "../from_environment.hpp"
#include "structured.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t most_bytes = 1U << 16U;
constexpr unsigned changes = 16; ///< of each input; a search makes more

using input = std::vector<std::uint8_t>;

input content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    return {bytes.begin(), bytes.end()};
}

const input* running = nullptr; ///< what the target is given now

/// Keeps what broke the target, for a sanitizer's trace says nothing of it, and neither does a signal.
void keep_input(int which) {
    const int file = ::open("broke_the_target", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const auto size = ::write(file, running->data(), running->size());
    constexpr std::string_view told = "what broke the target is in the file broke_the_target\n";
    static_cast<void>(size);
    static_cast<void>(::write(STDERR_FILENO, told.data(), told.size()));
    std::signal(which, SIG_DFL);
    std::raise(which);
}

void run(const input& bytes) {
    running = &bytes;
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

/// Changes of an input, each of the one before, now and then of the input again.
void run_changes(const input& from, unsigned seed) {
    if (LLVMFuzzerCustomMutator == nullptr || from.size() > most_bytes) {
        return;
    }
    input changed;
    for (unsigned i = 0; i < changes; ++i) {
        if (i % 8 == 0) {
            changed = from;
        }
        const std::size_t size = changed.size();
        changed.resize(most_bytes);
        changed.resize(LLVMFuzzerCustomMutator(changed.data(), size, most_bytes, seed * changes + i));
        run(changed);
    }
}

} // namespace

int main(int count, char** arguments) {
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < count; ++i) {
        const std::filesystem::path path = arguments[i];
        if (std::string_view(arguments[i]).starts_with('-')) {
            continue;
        }
        if (!std::filesystem::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end()); // so that the seed says everything
    for (const int each : {SIGFPE, SIGSEGV, SIGABRT, SIGILL, SIGBUS}) {
        std::signal(each, keep_input);
    }
    const unsigned seed = from_environment::seed();
    for (const std::filesystem::path& each : files) {
        const input bytes = content(each);
        run(bytes);
        run_changes(bytes, seed);
    }
    const unsigned seeds = structured_seeds != nullptr ? structured_seeds() : 0;
    for (unsigned i = 0; i < seeds; ++i) {
        const std::string text = structured_seed(i);
        const input bytes(text.begin(), text.end());
        run(bytes);
        if (i % 16 == seed % 16) {
            run_changes(bytes, seed);
        }
    }
    std::printf("%zu files, %u inputs of the target's own\n", files.size(), seeds);
    return files.empty() ? 1 : 0;
}
