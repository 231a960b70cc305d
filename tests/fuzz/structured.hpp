#pragma once

#include "message_mutation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// What a fuzz target may have beside the bytes that it is given: inputs of its own and changes that keep their structure.
/// libFuzzer searches by them (LLVMFuzzerCustomMutator); without it replay.cpp makes some of each, by a seed.
#if defined(ANEMONE_FUZZ_SEARCHES)
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most); // libFuzzer's own
#endif

/// The input of a number below `structured_seeds()`. A target may leave the two out.
__attribute__((weak)) std::string structured_seed(unsigned number);
__attribute__((weak)) unsigned structured_seeds();

extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t most, unsigned seed);

/// Whether a change of a search is libFuzzer's own: one in four is.
constexpr bool is_for_bytes([[maybe_unused]] unsigned seed) {
#if defined(ANEMONE_FUZZ_SEARCHES)
    return seed % 4 == 0;
#else
    return false;
#endif
}
inline std::size_t bytes_mutation([[maybe_unused]] std::uint8_t* data, std::size_t size,
                                  [[maybe_unused]] std::size_t most) {
#if defined(ANEMONE_FUZZ_SEARCHES)
    return LLVMFuzzerMutate(data, size, most);
#else
    return size;
#endif
}

/// The change of a message; in a search one in sixteen begins with an input of the target.
inline std::size_t structured_mutation(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                                       std::span<const std::string> words) {
    if (is_for_bytes(seed)) {
        return bytes_mutation(data, size, most);
    }
#if defined(ANEMONE_FUZZ_SEARCHES)
    if (seed % 16 == 1 && structured_seeds != nullptr) {
        const std::string fresh = structured_seed(seed / 16 % structured_seeds());
        if (fresh.size() <= most) {
            std::copy(fresh.begin(), fresh.end(), data);
            size = fresh.size();
        }
    }
#endif
    return message_mutation::mutate(data, size, most, seed, words);
}
