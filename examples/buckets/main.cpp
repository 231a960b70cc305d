/// Sequences of any length with programs of fixed shapes: one function makes a model for each of a few lengths, and
/// `bucketed` runs a sequence in the shortest that holds it. The compiler proves that the padding changes nothing.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ane::literals;

constexpr int width = 16;

/// Self-attention over `length` tokens. `seen` says which tokens there are; left out, it is all of the sequence.
constexpr auto encoder = [](auto& g, auto length) {
    auto tokens = g.input("tokens"_s, ane::f16<1, length, width>, ane::within(-1, 1));
    auto seen = g.input("seen"_s, ane::u8<1, length>);
    auto scores = matmul(tokens, transpose<ane::permutation{0, 2, 1}>(tokens)) * 0.25;
    auto weights = softmax<ane::axis{-1}>(select(not_equal(to_f16(seen), 0), scores, -10000));
    g.output("mixed"_s, matmul(weights, tokens));
};
static_assert(ane::conforms<ane::sized<encoder, 64>, ane::macs> && ane::conforms<ane::sized<encoder, 128>, ane::macs>);

/// Without the mask, the padding would take part in the softmax: no program of it compiles.
constexpr auto leaking = [](auto& g, auto length) {
    auto tokens = g.input("tokens"_s, ane::f16<1, length, width>, ane::within(-1, 1));
    g.output("mixed"_s, attention(tokens, tokens, tokens));
};
static_assert(ane::pads_harmlessly<encoder, 64, 128, 256> && !ane::pads_harmlessly<leaking, 64, 128>);

std::vector<ane::half> make_sequence(int length) {
    std::vector<ane::half> tokens(static_cast<std::size_t>(length) * width);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i] = ane::half(std::sin(0.7 * static_cast<double>(i)));
    }
    return tokens;
}

int main() {
    ane::bucketed<encoder, 64, 128, 256> encode(ane::backend::cpu{}, {}, {.most_loaded = 2});
    for (const int length : {10, 64, 65, 128, 200}) {
        const auto result = encode(length, "tokens"_s = make_sequence(length));
        std::string loaded;
        for (const int bucket : encode.loaded()) {
            loaded += fmt::format(" {}", bucket);
        }
        fmt::print("{:>3} tokens: bucket {:>3}, {} values; loaded:{}\n", length, result.bucket(),
                   result["mixed"_s].size(), loaded);
    }
    // The same sequence gives the same answer in any bucket.
    ane::bucketed<encoder, 128, 256> longer(ane::backend::cpu{});
    const auto tokens = make_sequence(50);
    const auto d = ane::compare(encode(50, "tokens"_s = tokens)["mixed"_s], longer(50, "tokens"_s = tokens)["mixed"_s]);
    fmt::print("50 tokens in 64 and in 128: they differ by {} ulp, at most {:.2g}\n", d.max_ulp, d.max_abs);
    bool refused = false;
    try {
        encode(300, "tokens"_s = make_sequence(300));
    } catch (const ane::error& e) {
        fmt::print("{}\n", e.what());
        refused = true;
    }
    return refused && d.max_ulp <= 1 ? 0 : 1;
}
