// Published records about sums: the narrow reduction, the ceiling of products, ties, slices.

#include "probes.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace probing;

namespace {

/// [b, -b, 1] and [b, 1, -b], sixteen times: how many ones are left.
template <int B, int Left> void triples(const generation& g) {
    CHECK(sum_by_product(g, repeated({B, -B, 1}, 16)) == Left);
    CHECK(sum_by_product(g, repeated({B, 1, -B}, 16)) == Left);
}

/// A 1x1 convolution of ones over so many channels.
double through_convolution(const generation& g, std::int64_t channels, double x) {
    const halves image(static_cast<std::size_t>(channels), half(x));
    return value(run(g, op::conv2d, conv{}, {{{1, channels, 1, 1}, image}, ones_of({1, channels, 1, 1})})[0]);
}
/// A linear layer; its weights are two, so that a model of them is no product with ones.
double through_linear(const generation& g, const halves& x) {
    const auto n = static_cast<std::int64_t>(x.size());
    return value(run(g, op::linear, {}, {matrix_of(1, n, x), {{1, n}, halves(x.size(), half(2.0)), true}})[0]);
}

/// The second of two values, by a slice that begins there.
double sliced(const generation& g, half x) {
    return value(run(g, op::slice, window{{1}, {1}}, {vector_of({half{}, x})})[0]);
}
template <int In> double sliced(const generation& g) { return sliced(g, half(double{In})); }

halves with_first(double first, int ones) {
    halves x(static_cast<std::size_t>(ones) + 1, half(1.0));
    x[0] = half(first);
    return x;
}

/// Eight terms of sum 2049.
const halves tie = {half(256.0), half(256.0), half(256.0), half(256.0),
                    half(256.0), half(256.0), half(256.0), half(257.0)};

constexpr auto probes = std::to_array<probe>({
    // Recorded as products with a vector of ones; read as the reductions that the compiler makes of them.
    {"N001", [](const generation& g) { CHECK(sum_by_product(g, repeated({1}, 16000)) == 16000); }},
    {"N002", [](const generation& g) { CHECK(sum_by_product(g, repeated({1}, 16384)) == 16384); }},
    {"N003", [](const generation& g) { CHECK(sum_by_product(g, with_first(4096, 1024)) == 5116); }},
    {"N004", [](const generation& g) { CHECK(sum_by_product(g, with_first(8192, 16)) == 8208); }},
    {"N005", triples<4000, 16>},
    {"N01_1024", triples<1024, 16>},
    {"N01_3000", triples<3000, 16>},
    {"N01_4090", triples<4090, 16>},
    {"N01_4096", triples<4096, 4>},
    {"N01_8000", triples<8000, 4>},
    {"N01_16000", triples<16000, 4>},
    {"N01_30000", triples<30000, 4>},
    {"N018", [](const generation& g) { CHECK(sum_by_product(g, repeated({16000, -16000, 1}, 1)) == 1); }},
    {"N030", [](const generation& g) { CHECK(sum(g, tie) == 2048); }},
    {"N031", [](const generation& g) { CHECK(sum(g, tie) == 2050); }},
    {"N032", [](const generation& g) { CHECK(sum(g, tie) == 2050); }},
    {"N044",
     [](const generation& g) {
         CHECK(sum(g, repeated({16376}, 4)) == 65504);
         CHECK(sum(g, repeated({16384}, 4)) == inf);
     }},

    {"N040", [](const generation& g) { CHECK(through_linear(g, {half(16376.0)}) == 32752); }},
    {"N041",
     [](const generation& g) {
         CHECK(through_linear(g, {half(16384.0)}) == inf);
         CHECK(through_linear(g, {half(8192.0), half(8192.0)}) == inf);
         CHECK(through_convolution(g, 2, 16384) == inf);
     }},
    {"N042", // the cliff's upper end, 32758.8, is NC4
     [](const generation& g) {
         for (const std::size_t k : {4U, 8U, 32U, 64U, 128U}) {
             CAPTURE(k);
             halves a(k, half(32752.0 / static_cast<double>(k)));
             CHECK(dot_with_ones(g, a) == 32752);
             a.assign(k, half(32768.0 / static_cast<double>(k)));
             CHECK(dot_with_ones(g, a) == inf);
         }
     }},
    {"N043",
     [](const generation& g) {
         CHECK(dot_with_ones(g, repeated({20000, 20000, -30000, 0}, 1)) == inf);
         CHECK(dot_with_ones(g, repeated({20000, -30000, 20000, 0}, 1)) == 10000); // no partial beyond: order matters
     }},
    {"N045",
     [](const generation& g) {
         CHECK(value(of(g, op::mul, half(32752.0), half(2.0))) == 65504);
         CHECK(value(of(g, op::mul, half(256.0), half(256.0))) == inf);
     }},
    {"N046",
     [](const generation& g) {
         CHECK(through_convolution(g, 1, 60000) == 60000);
         CHECK(through_linear(g, {half(30000.0)}) == inf); // N041: a linear layer of one product
     }},
    {"N047",
     [](const generation& g) {
         CHECK(through_convolution(g, 2, 16384) == inf);
         CHECK(through_convolution(g, 4, 8188) == 32752);
     }},
    {"N048",
     [](const generation& g) {
         for (int exponent = -16; exponent < 15; ++exponent) {
             for (const std::int64_t channels : {1, 2, 4}) {
                 const double x = std::ldexp(2047.0 / 1024, exponent) / static_cast<double>(channels);
                 CHECK(std::isfinite(through_convolution(g, channels, x)));
                 CHECK(std::isfinite(dot_with_ones(g, halves(static_cast<std::size_t>(channels), half(x)))));
             }
         }
     }},

    {"N060", [](const generation& g) { CHECK(sliced<4094>(g) == 4094); }},
    {"N061", [](const generation& g) { CHECK(sliced<4095>(g) == inf); }},
    {"N062", [](const generation& g) { CHECK(sliced<4096>(g) == inf); }},
    {"N063", [](const generation& g) { CHECK(sliced<4100>(g) == inf); }},
    {"N064", [](const generation& g) { CHECK(sliced<-4096>(g) == -inf); }},
    {"N067", [](const generation& g) { CHECK(sliced<4096>(g) == inf); }},
    {"N068", [](const generation& g) { CHECK(sliced<60000>(g) == 60000); }},
    {"N069", [](const generation& g) { CHECK(sliced<65504>(g) == 65504); }},
    {"N070",
     [](const generation& g) { // the listing shows the scaled value, the measured output is the source's
         CHECK(g.path.width_slice_gain * sliced<4094>(g) == 65504);
         CHECK(sliced<4096>(g) == inf);
     }},
    {"N071",
     [](const generation& g) {
         CHECK(65504.0 / g.path.width_slice_gain == 4094);
         CHECK(sliced<4094>(g) == 4094);
     }},

    {"N073", // the published 62624 and 62656 need a sum in [250.28, 250.3125); 250 and 19/64 is one
     [](const generation& g) {
         const halves x = repeated({250, 0, 0, 0, 0.296875, 0, 0, 0}, 1);
         const half total(sum(g, x));
         CHECK(value(of(g, op::mul, total, total)) == 62624);                                             // unfused
         CHECK(value(round_to_half(250.296875 * 250.296875, g.path.reduction_ties)) == 62624 + 32);           // fused: one ulp
     }},
    {"N074", // the route of a reduction: at most one ulp between two generations, the tie
     [](const generation& g) {
         random_values random{74};
         for (int round = 0; round < 100; ++round) {
             const halves x = random.normals(round % 2 == 0 ? 192 : 384);
             const double other = sum({family::a16, datapath_of(family::a16)}, x);
             CHECK(ulp_distance(half(sum(g, x)), half(other)) <= 1);
         }
     }},
    {"N075", // a sum in parts of 128, each stored, against one sum: one rounding
     [](const generation& g) {
         random_values random{75};
         for (int round = 0; round < 100; ++round) {
             halves x = random.normals(256);
             for (half& v : x) {
                 v = half(std::fabs(value(v)));
             }
             const half first(sum(g, halves(x.begin(), x.begin() + 128))), second(sum(g, halves(x.begin() + 128, x.end())));
             CHECK(ulp_distance(of(g, op::add, first, second), half(sum(g, x))) <= 1);
         }
     }},
});

} // namespace

std::span<const probe> probing::sum_probes() { return probes; }
