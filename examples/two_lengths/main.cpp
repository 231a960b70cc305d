/// Sequences of any length with programs of fixed shapes: one template makes a graph for each of a few lengths, and the
/// program picks the smallest that the sequence fits into. A mask hides the padding.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

using namespace ane::literals;

constexpr int width = 16;

/// Self-attention over `Length` tokens. The engine's programs have static shapes, so each length is a model of its own.
template <int Length>
constexpr auto model = ane::graph([](auto& g) {
    auto tokens = g.input("tokens"_s, ane::f16<1, 1, Length, width>, ane::within(-1, 1));
    auto mask = g.input("mask"_s, ane::f16<1, 1, Length, Length>, ane::within(-1e4, 0));
    g.output("mixed"_s, attention(tokens, tokens, tokens, mask));
});
static_assert(ane::conforms<model<64>, ane::macs> && ane::conforms<model<128>, ane::macs>);

using sequence = std::vector<double>; // length x width, row by row

/// Runs a sequence that is no longer than `Length`; returns as many rows as it has.
template <int Length> std::vector<ane::half> run(const sequence& tokens) {
    static auto program = ane::compile<model<Length>>(ane::backend::cpu{}); // compiled once, on first use
    const auto length = static_cast<int>(tokens.size()) / width;
    ane::ndarray<ane::shape<1, 1, Length, width>> padded;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        padded[i] = ane::half(tokens[i]);
    }
    ane::ndarray<ane::shape<1, 1, Length, Length>> mask;
    for (int query = 0; query < Length; ++query) {
        for (int key = length; key < Length; ++key) {
            mask(0, 0, query, key) = ane::half(-1e4); // finite: infinity minus infinity would not be a number
        }
    }
    const auto result = program({"tokens"_s = padded, "mask"_s = mask});
    const auto mixed = result["mixed"_s].elements().first(tokens.size());
    return {mixed.begin(), mixed.end()};
}

/// The bucket is chosen at run time.
std::vector<ane::half> run_any(const sequence& tokens) {
    const std::size_t length = tokens.size() / width;
    if (length <= 64) {
        return run<64>(tokens);
    }
    if (length <= 128) {
        return run<128>(tokens);
    }
    throw ane::error(ane::errc::argument, "sequence", fmt::format("{} tokens, the largest bucket has 128", length));
}

sequence make_sequence(std::size_t length) {
    sequence tokens(length * width);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i] = std::sin(0.7 * static_cast<double>(i));
    }
    return tokens;
}

int main() {
    for (const std::size_t length : {10U, 64U, 65U, 128U}) {
        fmt::print("{:>3} tokens: bucket {:>3}, {} values\n", length, length <= 64 ? 64 : 128,
                   run_any(make_sequence(length)).size());
    }
    // The same sequence must give the same answer in either bucket: padding has no influence.
    const sequence tokens = make_sequence(50);
    const auto d = ane::compare(run<64>(tokens), run<128>(tokens));
    fmt::print("50 tokens in both buckets: they differ by {} ulp, at most {:.2g}\n", d.max_ulp, d.max_abs);
    bool refused = false;
    try {
        run_any(make_sequence(200));
    } catch (const ane::error& e) {
        fmt::print("{}\n", e.what());
        refused = true;
    }
    return refused && d.max_ulp <= 1 ? 0 : 1;
}
