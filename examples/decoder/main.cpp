/// A decoder of twelve layers that is cut into three programs, as if one could not hold it, and decodes 64 tokens with
/// its caches resident: the bits of the uncut oracle, on the oracle and through both doors of the engine.
#include "model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

using namespace ane::literals;

/// Four layers a program; the facts know 24 (docs/segments.md).
const ane::segment_limits four_layers{.decoder_layers = 4};

/// The bits of all tokens, each made of what the one before gave.
template <class Program> std::vector<std::uint16_t> decode(Program program) {
    std::vector<std::uint16_t> bits;
    ane::ndarray<ane::shape<1, width>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = ane::half(std::sin(1.7 * static_cast<double>(i)));
    }
    for (int token = 0; token < length; ++token) {
        ane::ndarray<ane::shape<1, length>> mask;
        for (int later = token + 1; later < length; ++later) {
            mask(0, later) = ane::half(-1e4);
        }
        const auto at = ane::ones_at<ane::shape<length, 1>, ane::half>(token);
        const auto y = program({"x"_s = x, "at"_s = at, "mask"_s = mask})["y"_s];
        for (std::size_t i = 0; i < x.size; ++i) {
            bits.push_back(y[i].bits);
            x[i] = ane::half(2 * std::tanh(static_cast<double>(y[i])));
        }
    }
    return bits;
}

bool good = true;

void compare(const char* what, const std::vector<std::uint16_t>& wanted, const std::vector<std::uint16_t>& found) {
    int different = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        different += found[i] == wanted[i] ? 0 : 1;
    }
    fmt::print("{:<34} {} of {} numbers differ\n", what, different, wanted.size());
    good = good && different == 0;
}

/// Compiles in segments for a device; nothing where its library is missing.
template <class Device>
void try_device(const char* what, const Device& device, const std::vector<std::uint16_t>& wanted,
                const ane::weight_store& weights) {
    try {
        ane::backend::segmented_options options{.limits = four_layers};
        compare(what, wanted,
                decode(ane::compile<decoder>(ane::backend::segmented(ane::h13, device, options), weights)));
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::library) {
            throw;
        }
        fmt::print("{:<34} left out ({})\n", what, e.what());
    }
}

int main() {
    const ane::weight_store weights = ane::random_weights(decoder, 5);
    fmt::print("{}\n", ane::print(decoder, ane::segments_of(decoder, ane::h13, four_layers)));
    const auto wanted = decode(ane::compile<decoder>(ane::backend::oracle{ane::h13}, weights));
    try_device("oracle, in segments", ane::backend::oracle{ane::h13}, wanted, weights);
    try_device("engine, MIL, in segments", ane::backend::engine{ane::h13}, wanted, weights);
    try_device("engine, netplists, in segments",
               ane::backend::engine{ane::h13, {.runtime = ane::backend::engine_runtime::netplist}}, wanted, weights);
    return good ? 0 : 1;
}
