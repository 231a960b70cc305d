/// A language model on the CPU, through the decoder that users have, for `llama_cpp.py`: it runs what it is told, so that a
/// peer's runs may come in between.
///
/// Usage: benchmark_decoder MODEL THREADS CONTEXT CHUNK. Each line of the standard input is a number of tokens. From an empty
/// context they are fed at once, and logits of the last one computed; "1" goes on behind what is there. The answer is the
/// seconds by the clock and by the processor, and the bytes in memory.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/decoder/decoder.hpp>
#include <anemone/models/checkpoint.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

double processor_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The pages that the process has in memory, as Linux counts them.
std::int64_t bytes_in_memory() {
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    file >> all >> resident;
    return resident * 4096;
}

} // namespace

int main(int count, char** given) {
    if (count != 5) {
        fmt::print(stderr, "usage: benchmark_decoder MODEL THREADS CONTEXT CHUNK\n");
        return 2;
    }
    try {
        const ane::models::checkpoint model = ane::models::read_checkpoint(given[1]);
        ane::decoder decoder(model.configuration, model.weights,
                             {.context = std::atoll(given[3]), .chunk = std::atoll(given[4])},
                             ane::backend::cpu{}.threads(std::atoi(given[2])));
        ane::decoder_stream text = decoder.open();
        for (std::string line; std::getline(std::cin, line);) {
            std::vector<ane::token_id> tokens(static_cast<std::size_t>(std::stoll(line)));
            for (std::size_t i = 0; i < tokens.size(); ++i) {
                tokens[i] = static_cast<ane::token_id>(7 * i % 1000);
            }
            if (tokens.size() > 1 || static_cast<std::int64_t>(text.tokens().size()) == text.capacity()) {
                text.truncate(0);
            }
            const auto begin = std::chrono::steady_clock::now();
            const double busy = processor_seconds();
            text.feed(tokens);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            fmt::print("{} {} {}\n", took.count(), processor_seconds() - busy, bytes_in_memory());
            std::fflush(stdout);
        }
    } catch (const std::exception& failure) {
        fmt::print(stderr, "{}\n", failure.what());
        return 1;
    }
    return 0;
}
